"""What a linear machine minimises, in the form of the stability theorem: a mean of losses plus lambda ||w||^2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..linear_model import LinearClassifier, LogisticRegression
from ..losses import make_loss
from ..svm import LinearSVC, LinearSVR


@dataclass(frozen=True)
class RegularisedRisk:
    """The numbers of the theorem, or why there are none."""

    loss: str = ""
    lipschitz: float | None = None
    regularisation: float = 0.0
    factor: float = 1.0  # of the objective of the estimator in that of the theorem
    epsilon: float = 0.0
    reason: str = ""


def regularised_risk(estimator: Any, X: Any, y: np.ndarray, samples: int) -> RegularisedRisk:
    """rho and lambda of an estimator on so many of these rows.

    Estimators minimise 1/2 ||w||^2 + C sum_i l_i: divided by C m it is the mean loss plus ||w||^2 / (2 C m).
    """
    if not isinstance(estimator, (LinearSVC, LinearSVR, LinearClassifier, LogisticRegression)):
        return RegularisedRisk(
            reason=f"{type(estimator).__name__} is not one of the linear machines that the theorem is about"
        )
    name = "logistic" if isinstance(estimator, LogisticRegression) else estimator.loss
    if not isinstance(name, str):
        return RegularisedRisk(reason="it is about losses that are known by name")
    epsilon = float(getattr(estimator, "epsilon", 0.0))
    loss = make_loss(name, epsilon)
    for holds, words in (
        (_is_ridge(estimator), "it is about the L2 penalty"),
        (not estimator.fit_intercept, "an intercept is not penalised; the theorem is about fit_intercept=False"),
        (getattr(estimator, "class_weight", None) is None, "it is about rows of equal weight"),
        (isinstance(estimator, LinearSVR) or len(np.unique(y)) == 2, "it is about one problem, of two classes"),
        (np.isfinite(loss.lipschitz), f"the slope of the {loss.name} loss has no bound"),
        (np.isfinite(estimator.C), "nothing is penalised"),
    ):
        if not holds:
            return RegularisedRisk(loss=loss.name, epsilon=epsilon, reason=words)
    squares = X.multiply(X).sum(axis=1) if sp.issparse(X) else (np.asarray(X, dtype=np.float64) ** 2).sum(axis=1)
    rho = float(loss.lipschitz * np.sqrt(np.max(squares)))
    factor = 1.0 / (float(estimator.C) * samples)
    return RegularisedRisk(loss.name, rho, factor / 2, factor, epsilon)


def _is_ridge(estimator: Any) -> bool:
    if isinstance(estimator, LogisticRegression):
        return estimator.penalty in ("l2", "deprecated") and not getattr(estimator, "l1_ratio", 0.0)
    return isinstance(estimator.penalty, str) and estimator.penalty == "l2"
