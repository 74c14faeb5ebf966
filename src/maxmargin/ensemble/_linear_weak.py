"""A plane: a threshold along the direction of weighted least squares.

With columns shifted and scaled to -1 ... 1 (z), weights w_i that add up to 1, their mean taken off the columns, and
targets t_ic = 1 - p_c for rows of class c and -p_c for the others (p_c the weight of class c), the directions

    v_c = (Z' D Z + alpha I)^-1 Z' D t_c,   D = diag(w)

are those of Fisher's discriminant of class c against the rest. Along each of them the best threshold is found as for a
stump, and the best of the planes is kept. Of two classes there is one direction.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils._param_validation import Interval

from ._stump_search import TIE, best_of_entries
from ._weak_learner import Prepared, WeakLearner

_LEVEL = 1e-12


class _PreparedPlane(Prepared):
    def __init__(self, learner: DecisionPlane, X: Any, label: np.ndarray, classes: np.ndarray) -> None:
        super().__init__(learner, X, label, classes)
        Z = X.astype(np.float64)
        low, high = Z.min(axis=0), Z.max(axis=0)
        self._centre, half = low / 2 + high / 2, high / 2 - low / 2
        with np.errstate(over="ignore"):
            self._scale = np.where(half > 0, 1.0 / np.where(half > 0, half, 1.0), 0.0)
        if not np.isfinite(self._scale).all():
            j = int(np.argmin(np.isfinite(self._scale)))
            raise ValueError(
                f"column {j} of X has values between {low[j]:g} and {high[j]:g}, too close for float64 to scale them. "
                f"Scale X (StandardScaler)."
            )
        self._Z = (Z - self._centre) * self._scale
        self._alpha = learner.alpha

    def find(self, weights: np.ndarray) -> dict[str, Any]:
        total = weights.sum()
        of_class = np.bincount(self.label, weights=weights, minlength=len(self.classes)) / total
        best, direction, cut = -1.0, np.zeros(self.n_features), np.inf
        for v in self._directions(weights / total, of_class):
            score, threshold = self._cut(self._Z @ v, weights, of_class * total)
            if score > best + TIE * total:
                best, direction, cut = score, v, threshold
        coef = direction * self._scale
        intercept = float(-cut - self._centre @ coef) if np.isfinite(cut) else -np.inf
        # by the same arithmetic as in prediction: a row on the plane itself must not change sides
        self.side[:] = self._Z @ direction > cut
        return {"coef_": coef, "intercept_": intercept, "_direction": direction, "_cut": cut} | self._frame()

    def _frame(self) -> dict[str, Any]:
        return {"_centre": self._centre, "_scale": self._scale}

    def _directions(self, shares: np.ndarray, of_class: np.ndarray) -> np.ndarray:
        """One row a direction, normed."""
        K, Z = len(of_class), self._Z
        if K == 1:
            return np.empty((0, Z.shape[1]))
        mean = shares @ Z
        gram = (Z * shares[:, None]).T @ Z - np.outer(mean, mean)
        gram[np.diag_indices_from(gram)] += self._alpha
        picked = range(1, 2) if K == 2 else range(K)
        targets = np.column_stack([shares * (self.label == c) for c in picked])
        right = Z.T @ targets - np.outer(mean, of_class[list(picked)])
        found = cho_solve(cho_factor(gram), right).T
        lengths = np.linalg.norm(found, axis=1)
        return found[lengths > 0] / lengths[lengths > 0, None]

    def _cut(self, along: np.ndarray, weights: np.ndarray, totals: np.ndarray) -> tuple[float, float]:
        """The best threshold along a direction."""
        order = np.argsort(along, kind="stable").astype(np.int32)
        values = along[order]
        # equal rows have equal values but for rounding, and must not be parted
        ends = np.append(np.diff(values) > _LEVEL * np.abs(values).max(), True)
        n = len(order)
        first, last = np.zeros(1, np.int64), np.full(1, n - 1)  # a threshold after the last row is none
        signed = np.where(self.label == 1, weights, -weights)
        places = (np.zeros(1, np.int64), order, ends, first, last, last)
        score, place, column = best_of_entries(*places, weights, signed, self.label, totals, len(totals) > 2)
        if column < 0:
            return -1.0, np.inf
        middle = values[place] / 2 + values[place + 1] / 2
        return float(score), float(middle if middle < values[place + 1] else values[place])


class DecisionPlane(WeakLearner):
    """A plane as a weak learner: weighted least squares for its direction, the least error for its place.

    Parameters
    ----------
    alpha : float, default=1e-6
        Ridge penalty, for columns that were scaled to -1 ... 1. It is there for columns that depend on each other.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Normal of the plane; rows with ``x @ coef_ + intercept_ > 0`` are in the second part.
    intercept_ : float
        Its place; -inf if no direction parts the classes.
    value_ : ndarray of shape (2, n_classes)
        Weighted shares of the classes in both parts.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With more than two classes, the direction is that of one class against the rest, whichever leaves the least Gini
    impurity on the two sides.

    Examples
    --------
    >>> from maxmargin.ensemble import DecisionPlane
    >>> plane = DecisionPlane().fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]], [0, 0, 0, 1])
    >>> plane.predict([[1.9, 1.9], [1.0, 0.5]])
    array([1, 0])

    """

    _parameter_constraints: dict = {"alpha": [Interval(Real, 0, None, closed="neither")]}
    _accepts_sparse = False

    coef_: np.ndarray
    intercept_: float
    _direction: np.ndarray
    _cut: float
    _centre: np.ndarray
    _scale: np.ndarray

    def __init__(self, alpha: float = 1e-6) -> None:
        self.alpha = alpha

    def _prepare(self, X: Any, label: np.ndarray, classes: np.ndarray) -> Prepared:
        return _PreparedPlane(self, X, label, classes)

    def _second_part(self, X: Any) -> np.ndarray:
        return ((X.astype(np.float64) - self._centre) * self._scale) @ self._direction > self._cut
