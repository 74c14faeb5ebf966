"""Docstrings of methods, completed: what the methods of all estimators take and return is described once, here.

A method says what it does in a sentence. It is given the sections that its docstring lacks: its parameters, where all
of them are known here, and what a method of its name returns. A class for which an argument means something else has
another entry for it in `_arguments`; what stands in a docstring stays.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

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


def complete_docstring(method: Callable, owner: type) -> None:
    """Add the sections that the docstring of a method of this class lacks."""
    if not method.__doc__:  # none is kept by python -OO
        return
    text = inspect.cleandoc(method.__doc__)
    names = list(inspect.signature(method).parameters)[1:]
    entries = _entries(owner)
    if names and "\nParameters\n" not in text and entries.keys() >= set(names):
        listed = "\n".join(entries[name] for name in names)
        first, *rest = text.partition("\n\nReturns\n")
        text = f"{first}\n\nParameters\n----------\n{listed}{''.join(rest)}"
    stages = method.__name__.startswith("staged_")
    result = _RESULTS.get(method.__name__.removeprefix("staged_"))
    if result is not None and "\nReturns\n" not in text:
        text += f"\n\n{'Yields' if stages else 'Returns'}\n{'-' * (6 if stages else 7)}\n{result}"
    method.__doc__ = f"{text}\n"


def _entries(owner: type) -> dict[str, str]:
    entries = dict(_ARGUMENTS)
    for kind, target in _TARGETS.items():
        if issubclass(owner, kind):
            entries["y"] = target
    return entries | getattr(owner, "_arguments", {})
