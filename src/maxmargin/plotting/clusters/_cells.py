"""The cells of centres in a plane, as polygons.

In plane coordinates p of orthonormal axes the squared distance of a point of the plane from centre k is

    ||p - c_k||^2 + h_k,   h_k the square of the distance of the centre from the plane,

so that k is nearest where ``2 (c_j - c_k)' p <= ||c_j||^2 + h_j - ||c_k||^2 - h_k`` for all j: a convex polygon within
the picture. It is found by cutting the rectangle of the picture by the half-plane that is violated most, until none is.
"""

from __future__ import annotations

import numpy as np

# A corner so little beyond a line, relative to the squared lengths, is on it.
_ON_LINE = 1e-12


def cells(centres: np.ndarray, heights: np.ndarray, ends: tuple[tuple[float, float], ...]) -> list[np.ndarray]:
    """Corners of the cell of each centre within the rectangle of the given ends; none if it has no part there."""
    # about the middle of the picture: squared coordinates cancel least there
    (left, right), (bottom, top) = ends
    middle = np.array([left + right, bottom + top]) / 2
    rectangle = np.array([[left, bottom], [right, bottom], [right, top], [left, top]]) - middle
    centres = centres - middle
    powers = np.einsum("ij,ij->i", centres, centres) + heights
    return [_cell(k, centres, powers, rectangle) + middle for k in range(len(centres))]


def _cell(k: int, centres: np.ndarray, powers: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    normals, limits = 2 * (centres - centres[k]), powers - powers[k]
    slack = _ON_LINE * (np.abs(powers).max() + np.square(polygon).sum(axis=1).max())
    for _ in range(len(centres)):  # no line cuts twice
        beyond = polygon @ normals.T - limits
        worst = int(beyond.max(axis=0).argmax())
        if beyond[:, worst].max() <= slack:
            break
        polygon = _clip(polygon, beyond[:, worst])
        if not len(polygon):
            break
    return polygon


def _clip(polygon: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """The part of a convex polygon where a linear function, given at its corners, is not positive."""
    following, there = np.roll(polygon, -1, axis=0), np.roll(beyond, -1)
    corners: list[np.ndarray] = []
    for p, q, a, b in zip(polygon, following, beyond, there, strict=True):
        if a <= 0:
            corners.append(p)
        if a * b < 0:
            corners.append(p + a / (a - b) * (q - p))
    return np.array(corners).reshape(-1, 2)
