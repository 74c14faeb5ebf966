"""Docstrings, completed: what many methods take and return, and what many classes have, is described once.

A docstring says what is peculiar to a method or a class. That of a method is given entries for the parameters that it
leaves out, and what is returned. Estimators share the entries below; a class for which an argument means something else
has another entry for it in `_arguments`. That of a class is given what its bases say of parameters and attributes. What
stands in a docstring stays.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin

_ARGUMENTS = {
    "X": "X : array-like or sparse matrix of shape (n_samples, n_features)",
    "y": "y : array-like of shape (n_samples,)\n    Labels or targets.",
    "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n    How much each row counts.",
}
_TARGETS = {
    ClassifierMixin: "y : array-like of shape (n_samples,)\n    Labels: numbers, strings or booleans.",
    RegressorMixin: "y : array-like of shape (n_samples,)\n    Targets.",
    ClusterMixin: "y : None\n    There are no labels to learn from.",
}
# Methods whose arguments mean something else, whatever the class.
_OF_METHODS = {
    "kkt_cases": {
        "X": "X : array-like or sparse matrix of shape (n_samples, n_features)\n    What the model was trained on.",
        "y": "y : array-like of shape (n_samples,)\n    With which labels or targets, if any.",
        "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n    And with which weights.",
    },
    "fit_resample": {
        "X": "X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)",
        "y": "y : array-like of shape (n_samples,)\n    Labels.",
    },
}
_RESULTS = {
    "fit": "self",
    "partial_fit": "self",
    "predict": "ndarray of shape (n_samples,)",
    "fit_predict": "ndarray of shape (n_samples,)",
    "predict_proba": "ndarray of shape (n_samples, n_classes)",
    "predict_log_proba": "ndarray of shape (n_samples, n_classes)",
    "decision_function": "ndarray of shape (n_samples,) or (n_samples, n_classes)",
    "score": "float",
    "kkt_cases": "KKTCases\n"
    "    Case, multiplier, slack and margin of each sample that took part, for classes in each binary problem.",
}
_SECTIONS = re.compile(r"\n\n(?=[A-Z][A-Za-z ]+\n-{3,}(?:\n|$))")


def complete_method(method: Any, owner: type) -> None:
    """Complete the docstring of a method of an estimator."""
    entries = dict(_ARGUMENTS)
    for kind, target in _TARGETS.items():
        if issubclass(owner, kind):
            entries["y"] = target
    name = method.__name__.removeprefix("staged_")
    head = "Returns" if name == method.__name__ else "Yields"
    entries |= getattr(owner, "_arguments", {}) | _OF_METHODS.get(name, {})
    complete_docstring(method, list(inspect.signature(method).parameters)[1:], entries, _RESULTS.get(name), head)


def complete_class(owner: type) -> None:
    """Complete the docstring of an estimator by the parameters and attributes of its bases.

    The bases that count are those without an example: they are not for direct use, and what they describe is there in
    every class that derives from them. A docstring without sections is left as it is.
    """
    if not owner.__doc__ or not _SECTIONS.search(inspect.cleandoc(owner.__doc__)):
        return
    described = [_sections(base) for base in reversed(owner.__mro__[1:]) if base.__doc__]
    shared = [sections for sections in described if "Examples" not in sections]
    parameters = {
        name: text for sections in shared for text in _entries(sections, "Parameters") for name in _named(text)
    }
    own = [name for text in _entries(_sections(owner), "Parameters") for name in _named(text)]
    complete_docstring(owner, list(dict.fromkeys(own + _parameters_of(owner))), parameters, None)
    sections = _sections(owner)
    attributes = _entries(sections, "Attributes")
    for text in (text for base in reversed(shared) for text in _entries(base, "Attributes")):
        known = {name for entry in attributes for name in _named(entry)}
        if missing := [name for name in _named(text) if name not in known]:
            attributes.append(", ".join(missing) + text[len(_head(text)) :])
    if attributes:
        after = "Parameters" if "Parameters" in sections else ""
        owner.__doc__ = _document(_inserted(sections, "Attributes", "\n".join(attributes), after))


def complete_docstring(
    documented: Any, names: list[str], entries: Mapping[str, str], result: str | None, head: str = "Returns"
) -> None:
    """Describe the parameters of these names that a docstring leaves out, if all are known, and what is returned."""
    if not documented.__doc__:  # python -OO keeps none
        return
    sections = _sections(documented)
    parts = _entries(sections, "Parameters")
    places = [names.index(found[0]) for part in parts if (found := [n for n in _named(part) if n in names])]
    described = {name for part in parts for name in _named(part)}
    missing = [name for name in names if name not in described]
    if missing and entries.keys() >= set(missing) and len(places) == len(parts):
        order = sorted([*zip(places, parts, strict=True), *((names.index(name), entries[name]) for name in missing)])
        sections = _inserted(sections, "Parameters", "\n".join(part for _, part in order), "")
    if result is not None and not sections.keys() & {"Returns", "Yields"}:
        sections = _inserted(sections, head, result, "Parameters" if "Parameters" in sections else "")
    documented.__doc__ = _document(sections)


def _parameters_of(owner: type) -> list[str]:
    """The parameters of a class, also of a dataclass that is still being made; those of its bases after its own."""
    if "__init__" in vars(owner):
        return list(inspect.signature(owner).parameters)
    own = (name for name, kind in inspect.get_annotations(owner).items() if "ClassVar" not in str(kind))
    found = {name: getattr(vars(owner).get(name), "init", True) for name in own}
    for base in filter(is_dataclass, owner.__mro__[1:]):
        declared = inspect.get_annotations(base)
        for field in fields(base):
            if field.name in declared:
                found.setdefault(field.name, field.init)
    return [name for name, taken in found.items() if taken and not name.startswith("_")]


def _sections(documented: Any) -> dict[str, str]:
    """What a docstring says below each heading; what comes before them is below the empty one."""
    first, *sections = _SECTIONS.split(inspect.cleandoc(documented.__doc__))
    parted = (section.split("\n", 2) for section in sections)
    return {"": first} | {heading: text[0] if text else "" for heading, _, *text in parted}


def _document(sections: Mapping[str, str]) -> str:
    parts = (f"{heading}\n{'-' * len(heading)}\n{text}" if heading else text for heading, text in sections.items())
    return "\n\n".join(parts) + "\n"


def _inserted(sections: dict[str, str], heading: str, text: str, after: str) -> dict[str, str]:
    """The sections with another text of one of them, which comes after a given one if it is new."""
    if heading in sections:
        return sections | {heading: text}
    place = list(sections).index(after) + 1
    items = list(sections.items())
    return dict([*items[:place], (heading, text), *items[place:]])


def _entries(sections: Mapping[str, str], heading: str) -> list[str]:
    """The entries of a section: a line with names, and what is indented below it."""
    return re.split(r"\n(?! )", sections[heading]) if heading in sections else []


def _named(entry: str) -> list[str]:
    """The parameters that an entry is about, such as a and b of ``a, b : float``."""
    return [name.strip(" *\\\n") for name in _head(entry).split(",")]


def _head(entry: str) -> str:
    return entry.split(" : ")[0].split("\n    ")[0]
