"""What is wrong with a model file."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that is not a model.

    One sentence says which file, which place in it, and what is wrong there.

    A file that raises it has not been used: nothing of it was run, and no object was made from it.
    """


class Mismatch(Exception):  # noqa: N818 - never leaves the room
    """Something is not as it should be, at a place inside a model (``steps[1].coef_``)."""

    def __init__(self, where: Where, what: str) -> None:
        what = " ".join(what.split())  # in one line: parameters may be of any length, and have lines of their own
        what = what if len(what) <= _MOST_SAID else f"{what[:_MOST_SAID]}..."
        self.where, self.what = str(where), what
        super().__init__(f"{self.where}: {what}" if self.where else what)


class Place:
    """A place inside a model, put into words when there is something to say of it and not before.

    A text for each place would take time and memory by the product of depth, length of names, and number of values.
    """

    __slots__ = ("_form", "_key", "_outer", "level")

    def __init__(self, outer: Where, key: object = "", form: str = "{}", level: int | None = None) -> None:
        self._outer, self._key, self._form = outer, key, form
        self.level = level_of(outer) if level is None else level

    def __str__(self) -> str:
        parts: list[str] = []
        place: Where = self
        while isinstance(place, Place):
            parts.append(place._form.format(_short(place._key)))
            place = place._outer
        text = "".join([place, *reversed(parts)]).removeprefix(".")
        return text if len(text) <= _MOST_WORDS else f"{text[: _MOST_WORDS // 2]}...{text[-_MOST_WORDS // 2 :]}"


Where = str | Place
_MOST_WORDS, _MOST_KEY, _MOST_SAID = 400, 60, 1000


def cut_short(text: str) -> str:
    """Words of others in one line, of which the first ones will do."""
    line = " ".join(text[: 2 * _MOST_WORDS].split())
    return line if len(line) <= _MOST_WORDS else f"{line[:_MOST_WORDS]}..."


def _short(key: object) -> str:
    if not isinstance(key, str):
        return str(key)
    return key if len(key) <= _MOST_KEY else f"{key[:_MOST_KEY]}..."


def inside(where: Where, name: str) -> Place:
    """The place of an attribute."""
    return Place(where, name, ".{}")


def at(where: Where, key: int | str) -> Place:
    """The place of an item, by its number or name."""
    return Place(where, key if isinstance(key, int) else repr(key[:_MOST_KEY]), "[{}]")


def within(where: Where) -> Place:
    """The same place, one estimator deeper."""
    return Place(where, level=level_of(where) + 1)


def level_of(where: Where) -> int:
    """How many estimators are around a place."""
    return where.level if isinstance(where, Place) else 0
