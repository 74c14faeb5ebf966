"""The verdict that two classes cannot be separated, with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import Rows, csr_rows, inexact_value
from ..engine import interruptible
from ..kernels import Kernel, kernel_name, symmetric_part
from ._coinciding import coinciding_weights


@dataclass(frozen=True)
class SeparationProof:
    """Two convex combinations, one of each class, that coincide in feature space.

    If a hyperplane separated the classes, it would separate the two combinations as well; it cannot, because they
    are the same point up to ``distance``: no hyperplane separates the classes by a wider margin.

    Attributes
    ----------
    positive, negative : ndarray of int
        Rows of the training data.
    positive_weights, negative_weights : ndarray of float
        Convex weights of those rows: not negative, each set sums to 1.
    distance : float
        Distance of the two combinations in feature space, recomputed in float64.
    scale : float
        Largest length of a sample in feature space, to which the distance is to be compared.
    kernel : Kernel or None
        That of the feature space; None for that of the rows themselves.
    holds : bool
        Whether this is such a proof, as far as it was checked: what `verify` says.
    through_origin : bool
        Whether it is about hyperplanes through the origin, of machines without an intercept. The weights of both sets
        then sum to 1 together, and one set may be empty: the origin is a convex combination of the rows of one class
        and the others times -1, all of which such a hyperplane would have on one side.

    """

    positive: np.ndarray
    negative: np.ndarray
    positive_weights: np.ndarray
    negative_weights: np.ndarray
    distance: float
    scale: float
    kernel: Kernel | None = None
    holds: bool = True
    through_origin: bool = False

    @interruptible
    def verify(self, X: Any, y: Any) -> SeparationProof:
        """The proof once more, from the data: `distance` and `scale` recomputed, and whether it `holds`.

        It holds if the weights are convex, the rows of each set are of one class, the classes of the two sets differ,
        and there are weights within a millionth of these whose combinations are exactly the same point: those in
        float64 are rounded. That is proven in every column of the feature space, with bounds of all rounding errors or
        in exact arithmetic, where the space has columns that can be written out: for linear and polynomial kernels,
        sums and products of them, and precomputed matrices. In other feature spaces combinations are the same only if
        they are of the same rows with the same weights (as is necessary for an RBF kernel, which maps different rows to
        linearly independent points). Where neither is shown, the proof does not hold: that is not yet a proof of the
        contrary.

        Parameters
        ----------
        X, y : array-like
            Rows (the matrix for a precomputed kernel) and labels of the training.

        Returns
        -------
        SeparationProof

        """
        y = np.asarray(y).ravel()
        own = self.kernel is not None and kernel_name(self.kernel) == "function"  # given the values as they are
        exact = own or inexact_value(X) is None
        X = csr_rows(X) if sp.issparse(X) else np.asarray(X)
        rows = np.concatenate([self.positive, self.negative]).astype(np.int64)
        if X.shape[0] != len(y) or (rows < 0).any() or (rows >= len(y)).any():
            raise ValueError(f"X has {X.shape[0]} rows and y {len(y)}, which cannot be those that the proof is about.")
        beta = np.concatenate([self.positive_weights, -self.negative_weights])
        sign = np.repeat([1.0, -1.0], [len(self.positive), len(self.negative)])
        distance, scale = _figures(self.kernel, X, rows, beta, self.through_origin)
        classes = [set(np.unique(y[part]).tolist()) for part in (self.positive, self.negative)]
        fewest = 0 if self.through_origin else 1
        one_each = all(fewest <= len(part) <= 1 for part in classes) and classes[0] != classes[1]
        weights = [self.positive_weights, self.negative_weights]
        weights = [np.concatenate(weights)] if self.through_origin else weights
        # values that float64 does not hold are rounded, and rows that differ may then be the same
        holds = exact and one_each and all(_convex(part) for part in weights) and _finite(X[rows])
        if holds and not _cancel(self.kernel, X, rows, beta):
            args = self.kernel, X, rows, sign, np.abs(beta), self.through_origin
            holds = coinciding_weights(*args) is not None
        return replace(self, distance=distance, scale=scale, holds=holds)


def _convex(weights: np.ndarray) -> bool:
    return bool((weights >= 0).all() and abs(float(weights.sum()) - 1) <= 1e-9)


def _finite(part: Any) -> bool:
    values = part.data if sp.issparse(part) else part
    return values.dtype.kind not in "fc" or bool(np.isfinite(values).all())


def row_keys(kernel: Kernel | None, X: Any, rows: np.ndarray) -> list:
    """What tells rows apart: those with equal keys are the same point in any feature space.

    Of a precomputed kernel, those of its matrix.
    """
    if kernel is not None and kernel_name(kernel) == "precomputed":
        X = symmetric_part(np.asarray(X, dtype=np.float64))
    part = X[rows]
    if sp.issparse(part):
        part = sp.csr_array(part, dtype=np.float64, copy=True)
        part.sum_duplicates()
        part.eliminate_zeros()
        ends = zip(part.indptr[:-1].tolist(), part.indptr[1:].tolist(), strict=True)
        return [(part.indices[a:b].tobytes(), part.data[a:b].tobytes()) for a, b in ends]
    try:
        numbers = part.astype(np.float64)
    except (TypeError, ValueError):  # what a user's function takes; two objects are equal if they are one
        return [row if isinstance(row, str) else id(row) for row in part.tolist()]
    return [row.tobytes() for row in numbers + 0.0]  # -0.0 is 0.0


def _cancel(kernel: Kernel | None, X: Any, rows: np.ndarray, beta: np.ndarray) -> bool:
    """Whether the weights of equal rows cancel, but for rounding: then some row is in both sets."""
    left: dict[Any, float] = {}
    for key, value in zip(row_keys(kernel, X, rows), beta.tolist(), strict=True):
        left[key] = left.get(key, 0.0) + value
    most = 1e-9 * float(np.abs(beta).max(initial=0.0))
    return len(rows) > 0 and all(abs(value) <= most for value in left.values())


@np.errstate(all="ignore")
def _figures(
    kernel: Kernel | None, X: Any, rows: np.ndarray, beta: np.ndarray, through_origin: bool
) -> tuple[float, float]:
    """The distance of the combinations and the largest length of a sample; NaN where float64 cannot hold them."""
    if kernel is None or kernel_name(kernel) == "linear":
        try:
            return _among_rows(X, rows, beta, through_origin)
        except OverflowError:  # of Python's whole numbers
            return np.nan, np.nan
    try:
        K = _values(kernel, X, rows)
    except (ValueError, OverflowError):  # values that overflow
        return np.nan, np.nan
    return float(np.sqrt(max(float(beta @ K @ beta), 0.0))), float(np.sqrt(max(K.diagonal().max(initial=0.0), 0.0)))


def _among_rows(X: Any, rows: np.ndarray, beta: np.ndarray, through_origin: bool) -> tuple[float, float]:
    """The same in the space of the rows.

    The combinations are of differences from one row, so that what all rows have in common has no part in it; through
    the origin, of the values themselves.
    """
    part = X[rows].astype(np.float64)
    part = part.toarray() if sp.issparse(part) else part
    unit = float(np.abs(part).max(initial=0.0)) or 1.0
    part = part / unit
    scale = float(np.linalg.norm(part, axis=1).max(initial=0.0))
    if not through_origin:
        part = part - part[0]
        sums = np.where(beta > 0, beta[beta > 0].sum(), -beta[beta < 0].sum())
        beta = np.divide(beta, sums, out=np.zeros_like(beta), where=sums > 0)
    return float(np.linalg.norm(beta @ part)) * unit, scale * unit


def _values(kernel: Kernel, X: Any, rows: np.ndarray) -> np.ndarray:
    """Kernel values of the rows by plain code."""
    if kernel_name(kernel) == "precomputed":
        return symmetric_part(np.asarray(X, dtype=np.float64))[np.ix_(rows, rows)]
    if kernel_name(kernel) == "function":
        return kernel(X[rows])
    return kernel.audit_gram(Rows(X[rows].astype(np.float64))).whole(np.float64)


class NotSeparableError(ValueError):
    """No hard-margin machine exists for this data and kernel; ``proof`` says why."""

    def __init__(self, message: str, proof: SeparationProof) -> None:
        super().__init__(message)
        self.proof = proof

    def __reduce__(self) -> tuple:
        return NotSeparableError, (str(self), self.proof)


def not_separable(proof: SeparationProof, linear: bool = False) -> NotSeparableError:
    """The error with its words; `linear` machines have no kernel to speak of."""

    def samples(rows: np.ndarray) -> str:
        return "1 sample" if len(rows) == 1 else f"{len(rows)} samples"

    if proof.through_origin:
        return NotSeparableError(
            f"C=inf asks for a hard margin, but the classes are not separable by a hyperplane through the origin, as "
            f"far as float64 can tell: a convex combination of {samples(proof.positive)} of one class and "
            f"{samples(proof.negative)} of the other times -1 is {proof.distance:.2g} away from the origin, where "
            f"samples have length up to {proof.scale:.2g} (see the error's `proof`). "
            f"Use fit_intercept=True, a finite C, or remove contradictory rows.",
            proof,
        )
    how, where, other = (
        ("by a hyperplane", "", "SVC with another") if linear else ("with this kernel", " in feature space", "another")
    )
    return NotSeparableError(
        f"C=inf asks for a hard margin, but the classes are not separable {how}, as far as float64 can tell: a convex "
        f"combination of {samples(proof.positive)} of one class and one of {samples(proof.negative)} of the other are "
        f"{proof.distance:.2g} apart{where}, where samples have length up to {proof.scale:.2g} (see the "
        f"error's `proof`). "
        f"Use a finite C, {other} kernel, or remove contradictory rows.",
        proof,
    )
