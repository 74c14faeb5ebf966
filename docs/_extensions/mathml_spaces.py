"""Spaces in MathML: names of functions, signs and primes as TeX sets them, where a converter leaves it to browsers."""

_SCRIPTED = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
_BARS = {"‖", "|", "∣"}  # open and close alike
_BOLD = {ord("0") + digit: 0x1D7CE + digit for digit in range(10)}
_THIN = "0.167em"  # the space of TeX between a name such as log and what it is applied to


def name_of(part):
    return part.tag.rpartition("}")[2]


def text_of(part):
    return (part.text or "").strip()


def core_of(part):
    """What an operator with scripts is an operator by, and any other part itself."""
    return core_of(part[0]) if name_of(part) in _SCRIPTED and len(part) else part


def set_spaces(parent):
    """Set names, signs and primes among the parts of `parent` as TeX does; the converter leaves that to browsers."""
    parts = list(parent)
    for place, part in enumerate(parts):
        core, alone = core_of(part), _opens(parts[:place])
        if text_of(core) == "∞":
            core.tag = core.tag.replace("}mo", "}mi")
        elif name_of(core) in {"mi", "mo"} and len(text_of(core)) > 1 and text_of(core).isalpha():
            _space_name(core, alone, core_of(parts[place + 1]) if place + 1 < len(parts) else None)
        elif text_of(core) in {"−", "+", "±"} and alone:
            core.set("form", "prefix")
        if name_of(part) == "msup" and set(text_of(part[1])) & set("′″‴"):
            part.tag = part.tag.replace("msup", "mrow")  # the sign is raised by itself
            part[1].tag = part[1].tag.replace("}mi", "}mo")
            part[1].attrib.update(lspace="0", rspace="0")


def set_bold(part):
    """Bold digits as letters of their own: browsers no longer know the attribute that the converter gives them."""
    if part.get("mathvariant") == "bold" and text_of(part).isdigit():
        part.text = text_of(part).translate(_BOLD)
        del part.attrib["mathvariant"]


def _space_name(core, alone, after):
    """The name of a function, such as log or max: a thin space where no parenthesis and no operator is beside it."""
    core.tag = core.tag.replace("}mi", "}mo")
    applied = after is None or text_of(after) in set("([{,)]}") or name_of(after) == "mspace"
    core.attrib.update(form="prefix", lspace="0" if alone else _THIN, rspace="0" if applied else _THIN)


def _opens(parts):
    """Whether a sign after these parts belongs to what follows: after nothing, an operator, text or an open bracket."""
    if not parts or name_of(parts[-1]) in {"mspace", "mtext"}:
        return True
    before = core_of(parts[-1])
    if name_of(before) != "mo" or before.get("form") == "postfix":
        return False
    if text_of(before) in _BARS:
        return name_of(parts[-1]) == "mo" and sum(text_of(core_of(part)) == text_of(before) for part in parts) % 2 == 1
    return text_of(before) not in set(")]}⟩!%′″")
