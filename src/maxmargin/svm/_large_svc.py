"""The kernel classifier for many rows, with the exact optimum between two bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from ._classifier import KernelClassifier
from ._formulations import SoftMargin
from ._large_fit import fit_large_classifier
from ._large_machine import LargeMachine
from ._one_vs_one import OneVsOne
from ._verify import Audit


@dataclass(kw_only=True, eq=False, repr=False)
class LargeSVC(KernelClassifier, LargeMachine):
    """C-support vector classifier for many rows, which says how far it is from the exact one.

    The machine of `SVC`, found approximately. Its certificate is of the *exact* problem: whatever was approximated, the
    exact optimum is proven to lie between two numbers.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss against the margin width; finite.
    multi_class : {"ovo", "ovr"}, default="ovo"
        How more than two classes are trained: one-vs-one as in scikit-learn, or one-vs-rest.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.svm import LargeSVC
    >>> X, y = make_moons(3000, noise=0.2, random_state=0)
    >>> model = LargeSVC(method="landmarks", n_landmarks=50).fit(X, y)
    >>> len(model.support_)
    50
    >>> proof = model.certificate_
    >>> 0 < proof.dual <= proof.primal < 1.01 * proof.dual
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelClassifier._parameter_constraints,
        **LargeMachine._parameter_constraints,
        "multi_class": [StrOptions({"ovo", "ovr"})],
    }

    C: float = 1.0
    multi_class: str = "ovo"
    random_state: Any = 0

    def _formulation(self) -> SoftMargin:
        return SoftMargin(C=self.C, tol=np.inf, gap_tol=self.gap_tol)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LargeSVC:
        """Train on rows X with labels y."""
        self._validate_params()
        self._refuse()
        self._refuse_kernel()
        fit_large_classifier(self, self._formulation(), X, y, sample_weight)
        return self

    def _audits(self, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Audit]:
        if not self._belongs_to(y) or self.multipliers_.shape != (self.dual_coef_.shape[0], X.shape[0]):
            return []
        own, label, scheme = self._values_of(X), np.searchsorted(self.classes_, y), self._fitted_scheme()
        problems = self._training_problems(X, y, weight)
        betas = scheme.unpack(self.multipliers_.toarray(), [pair for pair, *_ in problems], label)
        return [
            self._audit(problem, coefficients, beta, k, own[pair.rows, k])
            for k, ((pair, problem, coefficients, _), beta) in enumerate(zip(problems, betas, strict=True))
        ]

    def _cases_by(self, alpha: np.ndarray, bound: np.ndarray, margin: np.ndarray) -> np.ndarray:
        """Multipliers by where the samples lie: those of the lower bound belong to no decision function."""
        return np.where(margin > 1, 0.0, bound)

    # ---------------------------------------------------------------- the exact machine

    def decision_interval(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Between what the decision values of the exact machine lie.

        Returns
        -------
        low, high : ndarray
            Of shape (n_samples,) for two classes, else (n_samples, n_problems), in the order of
            ``certificate_.problems``. Proven: they follow from the duality gap, since the objective is strongly convex.

        """
        X = self._checked(X)
        low, high = self._intervals(X, self._values_of(X))
        return (low.ravel(), high.ravel()) if len(self.classes_) == 2 else (low, high)

    def certain(self, X: Any) -> np.ndarray:
        """Whether the predicted class of each row is proven to be the one that the exact machine predicts."""
        X = self._checked(X)
        low, high = self._intervals(X, self._values_of(X))
        if len(self.classes_) == 2:
            return (low[:, 0] > 0) | (high[:, 0] <= 0)
        scheme = self._fitted_scheme()
        winner = scheme.vote(self._values_of(X))
        if not isinstance(scheme, OneVsOne):  # the largest value wins
            others = high.copy()
            others[np.arange(len(winner)), winner] = -np.inf
            return low[np.arange(len(winner)), winner] > others.max(axis=1)
        surely, perhaps = (np.zeros((len(winner), len(self.classes_))) for _ in range(2))
        for k, (a, b) in enumerate(scheme.sides):
            surely[:, a] += low[:, k] > 0
            surely[:, b] += high[:, k] < 0
            perhaps[:, a] += high[:, k] >= 0
            perhaps[:, b] += low[:, k] <= 0
        own = surely[np.arange(len(winner)), winner]
        perhaps[np.arange(len(winner)), winner] = -1
        return own > perhaps.max(axis=1)
