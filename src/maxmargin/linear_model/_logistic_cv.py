"""Logistic regression that finds its own C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from ..engine import interruptible
from ..linear import LinearSearch
from ..search import trains_winner
from ._logistic import LogisticRegression


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegressionCV(LinearSearch):
    """Logistic regression that finds its own C by cross-validation, with a proof in every cell.

    In every fold, the machines are trained along C, each from its neighbour's solution. The scores are those of
    :class:`sklearn.model_selection.GridSearchCV` with :class:`LogisticRegression`, and so are the names of the results:
    :class:`sklearn.linear_model.LogisticRegressionCV` has a table of its own form. The probabilities are the model's.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C, or how many automatic ones. These start where C times the largest eigenvalue of the scatter matrix
        of the rows, times the curvature of the loss, is a tenth (below, the weights only grow in proportion to C), and
        go on for seven decades. With an L1 part: from where the first weight leaves zero, for four decades.
    penalty : {"l2", "l1", "elasticnet"}, default="deprecated"
        As in :class:`LogisticRegression`: as long as it is left alone, `l1_ratio` decides.
    l1_ratio : float or None, default=0.0
        ``R(w) = l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||_2**2``.
    max_iter : int, default=100
        Largest number of iterations.
    solver : str, default="auto"
        As in :class:`LogisticRegression`.

    Attributes
    ----------
    best_estimator_ : LogisticRegression
        Trained on all rows with the C of the winner.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.linear_model import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = LogisticRegressionCV(Cs=[0.01, 0.1, 1, 10], scoring="neg_log_loss").fit(scale(X), y)
    >>> search.best_params_
    {'C': 1.0}
    >>> round(search.best_score_, 3)
    -0.08

    """

    _trained = LogisticRegression
    _handed_on = (*LinearSearch._handed_on, "penalty", "l1_ratio")

    _parameter_constraints: ClassVar[dict] = {
        **LinearSearch._parameter_constraints,
        **{name: LogisticRegression._parameter_constraints[name] for name in _handed_on},
        "penalty": [StrOptions({"l2", "l1", "elasticnet", "deprecated"})],
    }

    penalty: str = "deprecated"
    l1_ratio: float | None = 0.0
    max_iter: int | None = 100

    @available_if(trains_winner)
    @interruptible
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, those of ``best_estimator_``."""
        return self._winner().predict_proba(X)

    @available_if(trains_winner)
    @interruptible
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes."""
        return self._winner().predict_log_proba(X)
