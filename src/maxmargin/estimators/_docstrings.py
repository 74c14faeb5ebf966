"""Docstrings, completed: what many methods take and return is described once.

A docstring says what is peculiar to a method or a class. It is given entries for the parameters that it leaves out, and
what is returned. Estimators share the entries below; a class for which an argument means something else has another
entry for it in `_arguments`. What stands in a docstring stays.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
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
_RESULTS = {
    "fit": "self",
    "partial_fit": "self",
    "predict": "ndarray of shape (n_samples,)",
    "fit_predict": "ndarray of shape (n_samples,)",
    "predict_proba": "ndarray of shape (n_samples, n_classes)",
    "predict_log_proba": "ndarray of shape (n_samples, n_classes)",
    "decision_function": "ndarray of shape (n_samples,) or (n_samples, n_classes)",
    "score": "float",
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
    names = list(inspect.signature(method).parameters)[1:]
    complete_docstring(method, names, entries | getattr(owner, "_arguments", {}), _RESULTS.get(name), head)


def complete_docstring(
    documented: Any, names: list[str], entries: Mapping[str, str], result: str | None, head: str = "Returns"
) -> None:
    """Describe the parameters of these names that a docstring leaves out, if all are known, and what is returned."""
    if not documented.__doc__:  # python -OO keeps none
        return
    first, *sections = _SECTIONS.split(inspect.cleandoc(documented.__doc__))
    given = next((section for section in sections if section.startswith("Parameters\n")), "")
    parts = re.split(r"\n(?! )", given)[2:]  # without the heading and its line
    places = [names.index(found[0]) for part in parts if (found := [n for n in _named(part) if n in names])]
    described = {name for part in parts for name in _named(part)}
    missing = [name for name in names if name not in described]
    if missing and entries.keys() >= set(missing) and len(places) == len(parts):
        order = sorted([*zip(places, parts, strict=True), *((names.index(name), entries[name]) for name in missing)])
        listed = "\n".join(["Parameters\n----------", *(part for _, part in order)])
        sections = [listed, *(section for section in sections if section is not given)]
    if result is not None and not any(section.startswith(("Returns\n", "Yields\n")) for section in sections):
        after = 1 if sections and sections[0].startswith("Parameters\n") else 0
        sections.insert(after, f"{head}\n{'-' * len(head)}\n{result}")
    documented.__doc__ = "\n\n".join([first, *sections]) + "\n"


def _named(entry: str) -> list[str]:
    """The parameters that an entry is about, such as a and b of ``a, b : float``."""
    return [name.strip(" *\\\n") for name in entry.split(" : ")[0].split("\n    ")[0].split(",")]
