"""The verdict that two classes cannot be separated, with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data import Rows, csr_rows
from ..engine import interruptible
from ..kernels import Kernel, kernel_name, symmetric_part

# A distance of the combinations in feature space, as a fraction of the length of samples, that may be rounding: its
# square is a sum of kernel values, which cancels to about 1e-14 of them.
_TOUCHING = 1e-6
_EPS = float(np.finfo(np.float64).eps)


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
        and the combinations coincide but for rounding. In the space of the rows themselves they have to do so in every
        column, to the rounding of sums of these numbers: a margin of a ten-millionth of the values is a margin. In
        other feature spaces distances are square roots of sums of kernel values, and below a millionth of the
        length of samples they are rounding. The images of different rows under an RBF kernel are linearly independent:
        there the combinations coincide only if they are of the same rows with the same weights.

        Parameters
        ----------
        X, y : array-like
            Rows (the matrix for a precomputed kernel) and labels of the training.

        Returns
        -------
        SeparationProof

        """
        y = np.asarray(y).ravel()
        X = csr_rows(X) if sp.issparse(X) else np.asarray(X)
        rows = np.concatenate([self.positive, self.negative]).astype(np.int64)
        if X.shape[0] != len(y) or (rows < 0).any() or (rows >= len(y)).any():
            raise ValueError(f"X has {X.shape[0]} rows and y {len(y)}, which cannot be those that the proof is about.")
        K = _values(self.kernel, X, rows)
        beta = np.concatenate([self.positive_weights, -self.negative_weights])
        scale, square = float(np.sqrt(max(K.diagonal().max(initial=0.0), 0.0))), float(beta @ K @ beta)
        distance = float(np.sqrt(max(square, 0.0)))
        touching = distance <= _TOUCHING * scale + 1e-300
        if self.kernel is None or kernel_name(self.kernel) == "linear":
            apart, rounding = _among_rows(X, rows, beta, self.through_origin)
            distance, touching = float(np.linalg.norm(apart)), bool((apart <= rounding).all())
        elif kernel_name(self.kernel) == "rbf" and getattr(self.kernel, "gamma", 0.0) > 0:
            touching = touching and _cancel(X, rows, beta)
        classes = [set(np.unique(y[part]).tolist()) for part in (self.positive, self.negative)]
        fewest = 0 if self.through_origin else 1
        one_each = all(fewest <= len(part) <= 1 for part in classes) and classes[0] != classes[1]
        weights = [self.positive_weights, self.negative_weights]
        weights = [np.concatenate(weights)] if self.through_origin else weights
        holds = one_each and all(_convex(part) for part in weights) and bool(touching)
        return replace(self, distance=distance, scale=scale, holds=holds and bool(np.isfinite(square)))


def _convex(weights: np.ndarray) -> bool:
    return bool((weights >= 0).all() and abs(float(weights.sum()) - 1) <= 1e-9)


def _cancel(X: Any, rows: np.ndarray, beta: np.ndarray) -> bool:
    """Whether the weights of equal rows cancel, but for rounding."""
    part = X[rows].astype(np.float64)
    part = part.toarray() if sp.issparse(part) else part
    _, which = np.unique(part, axis=0, return_inverse=True)
    left = np.bincount(which.ravel(), weights=beta)
    return bool((np.abs(left) <= (len(rows) + 4) * 1e-9 * np.abs(beta).max(initial=0.0)).all())


def _among_rows(X: Any, rows: np.ndarray, beta: np.ndarray, through_origin: bool) -> tuple[np.ndarray, np.ndarray]:
    """How far the combinations are apart in each column, and how much of that may be rounding of weights and sums.

    They are combinations of differences from one row, so that what all rows have in common has no part in it; through
    the origin, of the values themselves.
    """
    part = X[rows].astype(np.float64)
    part = part.toarray() if sp.issparse(part) else part
    if not through_origin:
        part = part - part[0]
        sums = np.where(beta > 0, beta[beta > 0].sum(), -beta[beta < 0].sum())
        beta = np.divide(beta, sums, out=np.zeros_like(beta), where=sums > 0)
    return np.abs(beta @ part), (len(rows) + 4) * _EPS * (np.abs(beta) @ np.abs(part)) + 1e-300


def _values(kernel: Kernel | None, X: Any, rows: np.ndarray) -> np.ndarray:
    """Kernel values of the rows by plain code."""
    kind = "linear" if kernel is None else kernel_name(kernel)
    if kernel is not None and kind == "precomputed":
        return symmetric_part(np.asarray(X, dtype=np.float64))[np.ix_(rows, rows)]
    if kernel is not None and kind == "function":
        return kernel(X[rows])
    part = X[rows].astype(np.float64)
    if kernel is not None:
        return kernel.audit_gram(Rows(part)).whole(np.float64)
    part = part.toarray() if sp.issparse(part) else part
    return part @ part.T


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
