"""The two questions: what has a model learned, and why does it say what it says of a row?"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..data import canonical
from ..messages import listed
from ._results import ModelExplanation, RowExplanation
from ._subject import Subject, Training, subject_of

# The module that explains the models of a room. It is imported when it is needed: a tree needs no support vectors.
_BY_ROOM = {
    "svm": "._svm",
    "linear_model": "._linear",
    "kernel_model": "._kernel_model",
    "tree": "._tree",
    "ensemble": "._ensemble",
    "neighbors": "._neighbors",
    "cluster": "._cluster",
}


def explain_model(model: Any, X: Any = None, y: Any = None, *, sample_weight: Any = None) -> ModelExplanation:
    """What a fitted model has learned.

    Of support vector machines the margin, the support vectors by their optimality case and the samples that weigh most;
    of linear ones the coefficients by name, in scaled and original units; of trees and ensembles the importances of the
    columns; of neighbours and clusters what they keep.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model of maxmargin, a search, or a pipeline that ends in one of them: the steps before it are its
        preparation, whose names and units are used.
    X, y : array-like or data frame, optional
        What the model was trained on, in the form that it was given. With it, more can be told: the cases of all
        samples, and how the model does on these rows.
    sample_weight : array-like, optional
        The weights that it was trained with.

    Returns
    -------
    ModelExplanation
        To be printed, or used by ``facts``, ``tables`` and ``to_dict()``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin.explanation import explain_model
    >>> from maxmargin.linear_model import LinearClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), LinearClassifier(penalty="l1", C=0.01)).fit(X, y)
    >>> found = explain_model(model)
    >>> found.tables["coefficients"].column("feature")[0]
    'worst concave points'

    """
    subject = subject_of(model)
    return _explainer(subject).explain_model(subject, _training(subject, X, y, sample_weight))


def explain_row(model: Any, x: Any, X: Any = None, y: Any = None, *, label: Any = None) -> RowExplanation:
    """Why a fitted model says what it says of one row.

    The decision value is taken apart into contributions that add up to it: by feature for linear machines, trees,
    forests and boosting by stumps; by support vector for kernel machines; by neighbour for neighbours. For linear
    machines there is the smallest change that flips the decision, of all features together and of each alone. With
    more than two classes, the decision is the one between the two best.

    Parameters
    ----------
    model : estimator or Pipeline
        As in `explain_model`.
    x : array-like of shape (n_features,), or a table or data frame of one row
        The row.
    X, y : array-like or data frame, optional
        What the model was trained on. With it, support vectors and neighbours can be given their targets.
    label : str or number, optional
        The true label or value of the row: the margin is then positive if the model is right.

    Returns
    -------
    RowExplanation
        To be printed, or used by ``decision``, ``contributions``, ``flip``, ``tables`` and ``to_dict()``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin.explanation import explain_row
    >>> from maxmargin.linear_model import LinearClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), LinearClassifier(penalty="l1", C=0.01)).fit(X, y)
    >>> found = explain_row(model, X[:1])
    >>> found.prediction, found.flip.to
    (0, 1)
    >>> abs(sum(found.contributions.column("contribution")) - found.decision) < 1e-10
    True

    """
    subject = subject_of(model)
    training = _training(subject, X, y, None)
    return _explainer(subject).explain_row(subject, subject.row(x), training, _label(subject, label))


def _explainer(subject: Subject) -> Any:
    return import_module(_BY_ROOM[subject.room], __package__)


def _training(subject: Subject, X: Any, y: Any, sample_weight: Any) -> Training:
    if X is None:
        for name, given in (("y", y), ("sample_weight", sample_weight)):
            if given is not None:
                raise ValueError(f"{name} was given without X; give both, or neither.")
        return Training()
    X = canonical(X)
    count = len(X) if not hasattr(X, "shape") else X.shape[0]
    target = None if y is None else np.ravel(np.asarray(y))
    if target is not None and len(target) != count:
        raise ValueError(f"X has {count} rows, but y has {len(target)}; they must be the same rows.")
    if target is None and hasattr(subject.model, "predict") and subject.room not in ("cluster",):
        if type(subject.model).__name__ != "OneClassSVM":
            raise ValueError("X was given without y; give both, or neither.")
    return Training(subject.prepared(X), target, sample_weight)


def _label(subject: Subject, label: Any) -> Any:
    """The true label, checked to be one that the model knows."""
    if label is None:
        return None
    if isinstance(label, np.generic):
        label = label.item()
    classes = getattr(subject.model, "classes_", None)
    if classes is not None:
        if label not in np.asarray(classes).tolist():
            raise ValueError(f"label must be one of the classes of the model ({listed(classes, 12)}); got {label!r}.")
    elif isinstance(label, str) or not np.isscalar(label):
        raise ValueError(f"label must be a number for this {type(subject.model).__name__}; got {label!r}.")
    return label
