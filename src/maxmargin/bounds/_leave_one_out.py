"""The leave-one-out error of a support vector machine from one fit: what is proven, and what is estimated."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from ..certificates import rounded_down, rounded_up
from ._checks import positive


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut:
    """What one fit says of the error that training without each sample in turn, and testing on it, would find.

    The parts are fractions of the samples that take part (positive weight), each counted once whatever its weight.
    Kernel, class weights and the bounds of the multipliers are those of the fit: ``gamma="scale"`` and
    ``class_weight="balanced"`` are not recomputed without the sample. Leaving out the only sample of a class
    counts as an error.

    Attributes
    ----------
    bound : float
        The error is at most this. Proven, if `guaranteed`: for every sample that is not counted, *every* optimal
        machine without it, whatever its intercept, classifies it correctly. The proof holds for the data and
        parameters, however well or badly the fit has converged.
    lower : float
        The error is at least this, proven in the same way.
    guaranteed : bool
        Whether the kernel matrix is positive semi-definite, all that the proof assumes.
    method : str
        The theorem behind `bound` and `lower`.
    xi_alpha : float
        The figure of Joachims (2000). A bound only if, while the multiplier of the sample falls to zero, there is at
        all times another one strictly between its bounds; that cannot be seen from one fit, and it fails (small C and
        classes of equal size: it can say 0 where the error is 1).
    support_fraction : float
        Part of samples with a multiplier. A bound of the exact machine that has a free support vector.
    span_estimate : float
        The span rule of Vapnik and Chapelle (2000): an estimate, exact as long as no multiplier reaches or leaves a
        bound when the sample goes; nan where there is no free support vector.
    errors : dict of str to ndarray of bool
        Which rows of X are counted in each of them: ``"bound"``, ``"lower"``, ``"xi_alpha"``, ``"support"``,
        ``"span"``.
    samples : int
        How many samples take part.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[50:], y[50:]
    >>> error = SVC(kernel="linear").fit(X, y).loo_error_bound(X, y)
    >>> error.lower, error.bound
    (0.03, 0.03)
    """

    bound: float
    lower: float
    guaranteed: bool
    method: str
    xi_alpha: float
    support_fraction: float
    span_estimate: float
    errors: dict[str, np.ndarray] = field(hash=False)
    samples: int

    @classmethod
    def of(cls, errors: dict[str, np.ndarray], samples: int, guaranteed: bool, has_span: bool) -> LeaveOneOut:
        """The figures from the rows that each of them counts."""
        part = {name: float(rows.sum()) / samples for name, rows in errors.items()}
        return cls(
            part["bound"],
            part["lower"],
            guaranteed,
            "weak duality",
            part["xi_alpha"],
            part["support"],
            part["span"] if has_span else float("nan"),
            errors,
            samples,
        )

    def _lines(self) -> list[tuple[str, str]]:
        span = "none: no free support vector" if np.isnan(self.span_estimate) else f"{self.span_estimate:.4g}"
        verdict = "proven" if self.guaranteed else "NOT proven: the kernel matrix is not known to be semi-definite"
        most, least = (Fraction(int(self.errors[name].sum()), self.samples) for name in ("bound", "lower"))
        return [
            ("at most", f"{rounded_up(most, 4)} ({verdict})"),
            ("at least", f"{rounded_down(least, 4)} ({verdict})"),
            ("by", f"{self.method}, from one fit of {self.samples} samples"),
            ("span rule", f"{span} (an estimate)" if not np.isnan(self.span_estimate) else span),
            ("xi-alpha", f"{self.xi_alpha:.4g} (a bound for stable machines only)"),
            ("support vectors", f"{self.support_fraction:.4g} (a bound if one of them is free)"),
        ]

    def __str__(self) -> str:
        return "Leave-one-out error\n" + "\n".join(f"  {name:<16} {value}" for name, value in self._lines())

    __repr__ = __str__


def xi_alpha_errors(multiplier: Any, slack: Any, radius: float) -> np.ndarray:
    """Samples that the xi-alpha rule counts: ``2 alpha_i radius + xi_i >= 1`` (Joachims 2000, with rho = 2).

    A sample that is not counted is classified rightly by the machine without it, if that machine and all those between
    it and the full one are *stable*: while the multiplier of the sample is lowered to zero, some other multiplier is
    strictly between its bounds at all times, so that the intercept never jumps. Its margin then falls by at most
    ``alpha_i max_j ||phi_i - phi_j||**2 <= 2 alpha_i radius``.

    Parameters
    ----------
    multiplier, slack : array of shape (n,)
        alpha_i and xi_i of each sample.
    radius : float
        Upper bound of ``k(x, x) - k(x, z)`` over the samples (the square of a length).

    Returns
    -------
    ndarray of bool

    See Also
    --------
    left_out_signs : A proof for each sample that assumes nothing.

    Examples
    --------
    >>> from maxmargin.bounds import xi_alpha_errors
    >>> xi_alpha_errors([0.0, 0.2, 1.0], [0.0, 0.0, 0.7], radius=1.0)
    array([False, False,  True])
    """
    alpha, xi = np.asarray(multiplier, dtype=np.float64), np.asarray(slack, dtype=np.float64)
    if alpha.shape != xi.shape or alpha.ndim != 1:
        raise ValueError(f"multiplier and slack must have one number a sample; got shapes {alpha.shape}, {xi.shape}.")
    if not ((alpha >= 0).all() and (xi >= 0).all()):
        raise ValueError("multiplier and slack must not be negative.")
    return (alpha > 0) & (2 * alpha * positive("radius", radius) + xi >= 1)


def squared_spans(cross: Any, free: Any, diagonal: Any) -> np.ndarray:
    """Squared distance of each support vector from the plane through the (other) free ones.

    With the free and the bounded support vectors unchanged when sample i goes, its margin falls from y_i f(x_i) by
    exactly ``alpha_i`` times this number (Vapnik and Chapelle 2000), so that ``y_i f(x_i) <= alpha_i span_i`` tells
    the errors. Where the sets do change, that is an estimate.

    Parameters
    ----------
    cross : array of shape (m, p)
        Kernel values of all support vectors (rows) with the free ones (columns).
    free : array of int of shape (p,)
        Which rows the free ones are.
    diagonal : array of shape (m,)
        Kernel values of each with itself.

    Returns
    -------
    ndarray of shape (m,)
        Infinite where no other vector is free.

    Examples
    --------
    Two free points of a line at 0 and 2, and a bounded one at distance 1 from the line:

    >>> import numpy as np
    >>> from maxmargin.bounds import squared_spans
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]])
    >>> squared_spans(X @ X[:2].T, [0, 1], (X * X).sum(axis=1)).round(6)
    array([4., 4., 1.])
    """
    cross, free = np.asarray(cross, dtype=np.float64), np.asarray(free, dtype=np.int64)
    diagonal = np.asarray(diagonal, dtype=np.float64)
    m, p = cross.shape
    if free.shape != (p,) or diagonal.shape != (m,):
        raise ValueError(f"free must have {p} numbers and diagonal {m}; got {free.shape} and {diagonal.shape}.")
    if p == 0:
        return np.full(m, np.inf)
    # Duplicated rows, or more free vectors than dimensions, make the matrix singular: the ridge is the limit's side.
    ridge = 1e-10 * max(float(np.abs(diagonal).mean()), 1e-300)
    bordered = np.zeros((p + 1, p + 1))
    bordered[:p, :p] = cross[free] + ridge * np.eye(p)
    bordered[p, :p] = bordered[:p, p] = 1.0
    factors = lu_factor(bordered)
    right = np.vstack([cross.T, np.ones(m)])
    spans = diagonal - np.einsum("ij,ij->j", right, lu_solve(factors, right))
    # a free vector is on the plane itself; without it the distance is one over its entry of the inverse
    own = np.diag(lu_solve(factors, np.eye(p + 1)))[:p]
    with np.errstate(divide="ignore"):
        spans[free] = 1.0 / np.maximum(own, 0.0) - ridge if p > 1 else np.inf
    return np.maximum(spans, 0.0)
