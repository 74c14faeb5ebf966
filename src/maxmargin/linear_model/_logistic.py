"""Logistic regression: two classes through the logistic loss, more through the multinomial one."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import log_expit, log_softmax
from sklearn.utils._param_validation import Interval, StrOptions

from ..engine import warn
from ..linear import LinearClassifierMachine, LinearFormulation, refuse_intercept_scaling
from ..losses import make_loss
from ..penalties import Penalty, make_penalty
from ..solvers import check_solver

# Solvers of scikit-learn by name: the optimum is the same whichever finds it.
_THEIRS = {
    "lbfgs": "auto",
    "liblinear": "auto",
    "newton-cg": "newton_cg",
    "newton-cholesky": "newton",
    "sag": "auto",
    "saga": "auto",
}


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegression(LinearClassifierMachine):
    """Logistic regression whose every fit carries a proof.

    A drop-in for :class:`sklearn.linear_model.LogisticRegression`. Minimises ``C sum_i s_i log(1 + exp(-y_i f(x_i))) +
    R(w)`` for two classes, and the multinomial (softmax) cross-entropy for more; the intercept is not penalised.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet", None}, default="deprecated"
        scikit-learn 1.8 deprecates it; both ways are accepted here. If it is not given, `l1_ratio`
        and `C` decide.
    C : float, default=1.0
        Weight of the losses against the penalty; ``numpy.inf`` means no penalty. If the classes can be separated there
        is then no minimum, which the warning and the status of the certificate say.
    l1_ratio : float or None, default=0.0
        ``R(w) = l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||_2**2``.
    dual : bool, default=False
        Accepted for scikit-learn's sake: both problems have the same optimum.
    intercept_scaling : float, default=1
        Refused unless 1: the intercept is not penalised, so scaling it would have no effect.
    solver : str, default="auto"
        "auto" or a name of `maxmargin.solvers.RISK_SOLVERS`. scikit-learn's names are accepted ("newton-cg" and
        "newton-cholesky" are those, the others mean "auto"): the optimum is the same. "liblinear" needs
        ``fit_intercept=False``, because there it penalises the intercept. More than two classes have one solver:
        "newton_cg", or "proximal_gradient" with an L1 part.
    max_iter : int, default=100
        Largest number of iterations. More than two classes with an L1 part: of twenty proximal steps each.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.linear_model import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression().fit(scale(X), y)
    >>> round(model.score(scale(X), y), 3)
    0.988
    >>> model.certificate_.relative_gap < 1e-10
    True

    """

    _parameter_constraints = {
        **LinearClassifierMachine._parameter_constraints,
        "penalty": [StrOptions({"l2", "l1", "elasticnet", "deprecated"}), None],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both"), None],
        "dual": ["boolean"],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
    }

    penalty: str | None = field(default="deprecated", kw_only=False)
    l1_ratio: float | None = 0.0
    dual: bool = False
    intercept_scaling: float = 1
    class_weight: Any = None
    max_iter: int | None = 100

    def _formulation(self) -> LinearFormulation:
        refuse_intercept_scaling(self.intercept_scaling)
        if self.solver == "liblinear" and self.fit_intercept:
            raise ValueError(
                "solver='liblinear' penalises the intercept, which is not done here; use solver='auto', or "
                "fit_intercept=False."
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("penalty='elasticnet' needs an l1_ratio from 0 to 1; got None.")
        loss, penalty, strength = make_loss("logistic"), self._penalty(), 1.0 if self.C == np.inf else float(self.C)
        able = "proximal_gradient" if penalty.l1 > 0 else "newton_cg"
        refused = ""
        if self.solver not in ("auto", able, *_THEIRS):
            check_solver(self.solver, loss, penalty)
            refused = (
                f"more than two classes with penalty={penalty.name!r} need solver='auto' or {able!r}; got "
                f"{self.solver!r}."
            )
        return LinearFormulation(
            loss,
            penalty,
            strength,
            self.fit_intercept,
            joint="multinomial",
            joint_strength=strength,
            refused_jointly=refused,
            solver=_THEIRS.get(self.solver, self.solver),
        )

    def _penalty(self) -> Penalty:
        if self.penalty is None or self.C == np.inf:
            return make_penalty("none")
        if self.penalty in ("l1", "l2"):
            return make_penalty(self.penalty)
        ratio = float(self.l1_ratio or 0.0)
        return make_penalty({0.0: "l2", 1.0: "l1"}.get(ratio, "elastic_net"), ratio)

    def _warn_of_unused(self) -> None:
        if self.penalty in ("l1", "l2", None) and self.l1_ratio not in (None, 0, int(self.penalty == "l1")):
            warn(
                f"l1_ratio={self.l1_ratio!r} is not used with penalty={self.penalty!r}; set penalty='elasticnet', or "
                f"leave penalty alone and let l1_ratio decide.",
                UserWarning,
                stacklevel=3,
            )

    # ---------------------------------------------------------------- prediction

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes."""
        values = self._linear_values(X)
        if values.shape[1] == 1:
            return log_expit(np.hstack([-values, values]))
        return log_softmax(values, axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        return np.exp(self.predict_log_proba(X))
