"""The verdict that two classes cannot be separated, with its proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SeparationProof:
    """Two convex combinations, one of each class, that coincide in feature space.

    If a hyperplane separated the classes, it would separate the two combinations as well; it cannot, because they
    are the same point up to ``distance``.

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

    """

    positive: np.ndarray
    negative: np.ndarray
    positive_weights: np.ndarray
    negative_weights: np.ndarray
    distance: float
    scale: float


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

    how, where, other = (
        ("by a hyperplane", "", "SVC with another") if linear else ("with this kernel", " in feature space", "another")
    )
    return NotSeparableError(
        f"C=inf asks for a hard margin, but the classes are not separable {how}: a convex combination of "
        f"{samples(proof.positive)} of one class and one of {samples(proof.negative)} of the other are "
        f"{proof.distance:.2g} apart{where}, where samples have length up to {proof.scale:.2g} (see the "
        f"error's `proof`). "
        f"Use a finite C, {other} kernel, or remove contradictory rows.",
        proof,
    )
