"""The linear support vector classifier that finds its own C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..linear import LinearSearch
from ._linear_svc import LinearSVC


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVCCV(LinearSearch):
    """Linear support vector classifier that finds its own C by cross-validation, with a proof in every cell.

    In every fold, the machines are trained along C, each from its neighbour's solution. The scores are those of
    :class:`sklearn.model_selection.GridSearchCV` with :class:`LinearSVC`.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C, or how many automatic ones. These start where C times the largest eigenvalue of the scatter matrix
        of the rows, times the curvature of the loss, is a tenth (below, the weights only grow in proportion to C), and
        go on for seven decades. With an L1 penalty: from where the first weight leaves zero, for four decades.
    penalty : {"l2", "l1"}, default="l2"
        As in :class:`LinearSVC`.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        As there.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        As there.
    max_iter : int or None, default=1000
        Largest number of iterations a problem.

    Attributes
    ----------
    best_estimator_ : LinearSVC
        Trained on all rows with the C of the winner.
    calibration_ : object
        The map from decision values to probabilities, unless `calibration` is None.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.svm import LinearSVCCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = LinearSVCCV(Cs=[0.001, 0.01, 0.1, 1]).fit(scale(X), y)
    >>> search.best_params_
    {'C': 0.1}
    >>> round(search.best_score_, 3)
    0.977
    >>> set(search.cv_results_["status"])
    {'converged'}
    >>> search.predict_proba(scale(X)[:2]).round(2)
    array([[1., 0.],
           [1., 0.]])

    """

    _trained = LinearSVC
    _handed_on = (*LinearSearch._handed_on, "penalty", "loss", "multi_class")

    _parameter_constraints: ClassVar[dict] = {
        **LinearSearch._parameter_constraints,
        **{name: LinearSVC._parameter_constraints[name] for name in _handed_on},
    }

    penalty: str = "l2"
    loss: str = "squared_hinge"
    multi_class: str = "ovr"
    max_iter: int | None = 1000
    calibration: str | None = "sigmoid"
