"""Rounding errors of the figures of linear models, bounded a priori; see `_rounding` for the conventions.

The problem that a certificate is about has the exact weights c_i, products of C, a sample's weight and a class's weight
that float64 rounds. Their stored values are off by a few units in the last place, which every bound here includes.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt

import numpy as np

from ..data import Rows, product_depth, product_magnitudes, sum_depth, sum_magnitudes
from ..engine import jit
from ..losses import CustomLoss, Loss, loss_conjugate, loss_value
from ..penalties import CustomPenalty, Penalty
from ._custom import custom_conjugates, custom_largest_losses
from ._rounding import TINY, Bounded, U, bounded_dot, bounded_sum, gamma

WEIGHT = 4 * U  # relative error of a weight c_i: at most three products
VALUE = 16 * U  # of a loss at a float64 argument: a few operations, exp and log1p within 2 ulp
ROOM = 1 + 2.0**-20  # bounds of errors are rounded, too
_FEW = 4  # sums that were made zero are off by what the two ways of adding them up round


def decision_errors(rows: Rows, theta: np.ndarray, threads: int) -> np.ndarray:
    """Bounds of the errors of ``<x_i, w> + b``."""
    if not theta[:-1].any():  # zeros and b: nothing is rounded
        return np.zeros(rows.n)
    depth = product_depth(rows)
    return gamma(depth) * ROOM * product_magnitudes(rows, theta, threads) + depth * TINY


def sum_errors(rows: Rows, magnitudes: np.ndarray, threads: int, relative: float = 0.0) -> np.ndarray:
    """Bounds of the errors of ``sum_i a_i (x_i, 1)``, of which `magnitudes` are the sums of absolute terms.

    The a_i may themselves be off by `relative` of their sizes.
    """
    depth = sum_depth(rows, threads)
    return (gamma(depth) + relative) * ROOM * magnitudes + depth * TINY


def compensated_errors(sums: np.ndarray, magnitudes: np.ndarray, n: int, relative: float = 0.0) -> np.ndarray:
    """Bounds of the errors of `compensated_sums` over n rows whose factors may be off by `relative` of their sizes."""
    return (4 * U * np.abs(sums) + (2 * U + 3 * (n * U) ** 2 + relative) * magnitudes) * ROOM + n * TINY


@jit
def _largest_losses(code, epsilon, f, errors, y, subtracts, out):  # type: ignore[no-untyped-def]
    for i in range(f.shape[0]):
        at, target = f[i], y[i]
        if subtracts:  # a loss of f - y alone, and the difference is off by u of itself: nothing at all where f is y
            at, target = f[i] - y[i], 0.0
        e = errors[i] * (1 + 1e-15) + 4.5e-16 * abs(at)
        low = loss_value(code, at - e, target, epsilon)
        high = loss_value(code, at + e, target, epsilon)
        out[i] = max(low, high) if low == low and high == high else np.inf


@jit
def _conjugates(code, epsilon, u, y, c, out, errors):  # type: ignore[no-untyped-def]
    for i in range(u.shape[0]):
        if c[i] > 0:
            out[i] = loss_conjugate(code, u[i], y[i], epsilon)
            size = abs(u[i])
            errors[i] = 8.9e-16 * (abs(out[i]) + size * (abs(y[i]) + epsilon + size))
        else:
            out[i] = 0.0
            errors[i] = 0.0


def largest_losses(loss: Loss | CustomLoss, f: np.ndarray, errors: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The largest loss that each sample may have, but for a relative error of `VALUE`: convex, hence at an end."""
    if loss.code is None:
        return custom_largest_losses(loss, f, errors, y)
    out = np.empty(len(f))
    _largest_losses(loss.code, loss.epsilon, f, errors, y, loss.kind != "classification", out)
    return out


def conjugates(loss: Loss | CustomLoss, u: np.ndarray, y: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Conjugates at the float64 slopes u and bounds of their errors; zero for samples without weight."""
    if loss.code is None:
        return custom_conjugates(loss, u, y, c)
    out, errors = np.empty(len(u)), np.empty(len(u))
    _conjugates(loss.code, loss.epsilon, u, y, c, out, errors)
    return out, errors


def penalty_bounds(penalty: Penalty | CustomPenalty, w: np.ndarray) -> Bounded:
    """R(w); l2 = 1 - l1_ratio is itself rounded."""
    if isinstance(penalty, CustomPenalty):
        value = penalty.value(w)
        return (value, penalty.value_error(value, len(w))) if isfinite(value) else (inf, inf)
    if penalty.positive and (np.ravel(w) < 0).any():
        return inf, inf
    w = np.abs(np.ravel(w))
    total, error = 0.0, 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        if penalty.l1 > 0:
            value, bound = bounded_sum(w, 2 * U)
            total, error = penalty.l1 * value, penalty.l1 * bound
        if penalty.l2 > 0:
            value, bound = bounded_dot(w, w)
            part = 0.5 * penalty.l2 * value
            total, error = total + part, error + 0.5 * penalty.l2 * bound + 4 * U * part
        error = (error + 4 * U * total) * ROOM
    return (total, error) if isfinite(error) and isfinite(total) else (inf, inf)


def conjugate_bound(penalty: Penalty | CustomPenalty, v: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """An upper bound of R*(v), for an L2 part or a custom penalty, and what of it comes from the errors."""
    if isinstance(penalty, CustomPenalty):
        bound = penalty.conjugate_bound(v, errors)
        return (bound, max(bound - penalty.conjugate(v), 0.0)) if isfinite(bound) else (inf, inf)
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = constrained(penalty, v)
        plain = np.maximum(sizes - penalty.l1, 0.0)
        # the penalty's own l1 is exact; the difference rounds by u of its terms
        wide = np.maximum(sizes * (1 + 4 * U) + errors - penalty.l1 * (1 - 4 * U), 0.0)
        value, bound = bounded_dot(np.ravel(wide), np.ravel(wide))
        value = (value + bound) / (2 * penalty.l2) * (1 + 8 * U)
        least = float((plain * plain).sum()) / (2 * penalty.l2)
    return (value, value - least) if isfinite(value) else (inf, inf)


def constrained(penalty: Penalty | CustomPenalty, v: np.ndarray) -> np.ndarray:
    """What of v the penalty compares with l1: its size, or its positive part where weights must not be negative."""
    positive = isinstance(penalty, Penalty) and penalty.positive
    return np.maximum(v, 0.0) if positive else np.abs(v)


def capped(sums: np.ndarray | float, errors: np.ndarray | float) -> np.ndarray:
    """What of ``|sums| + errors`` is a matter of rounding, where sums that should be zero have these errors.

    A sum beyond a few times its errors is not zero, and no rounding.
    """
    return np.minimum(np.abs(sums) + errors, _FEW * np.asarray(errors))


def exact_corrections(
    gram: np.ndarray, depth: int, smallest_weight: float, *residuals: np.ndarray
) -> tuple[float, ...]:
    """By how much slopes have to move, at most, so that equations which hold up to a residual hold exactly.

    With h_i = c_i rho_i^2 and H = sum_i h_i x~_i x~_i' the change (h_i / c_i) <x~_i, z>, H z = -residual, does it. The
    returned theta bounds it by theta rho_i. Every number is one that float64 proves: H scaled to a unit diagonal has
    entries that are off by gamma(depth), and an approximate inverse A with ||I - A H|| = r < 1 shows that H has an
    inverse of norm at most ||A|| / (1 - r). If there is none the answer is inf.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        H as computed, without equations that hold by themselves.
    depth : int
        Roundings that an entry of it may have gone through.
    smallest_weight : float
        The least c_i with rho_i > 0.
    residuals : ndarrays of shape (m, k)
        Bounds of the absolute residuals; there is an answer for each.

    """
    m = len(gram)
    inverse, scale = scaled_inverse(gram, depth)
    found = []
    for residual in residuals:
        if not (isfinite(inverse) and np.isfinite(residual).all() and smallest_weight > 0):
            found.append(inf)
            continue
        moved = inverse * float(np.linalg.norm(residual * scale[:, None], axis=0).max(initial=0.0)) * ROOM
        found.append(moved * sqrt(m / smallest_weight) * ROOM)
    return tuple(found)


def scaled_inverse(gram: np.ndarray, depth: int) -> tuple[float, np.ndarray]:
    """A bound of the norm of the inverse of H scaled to a unit diagonal, and the scale of each row; inf without proof.

    H is a Gram matrix as computed, whose entries may have gone through `depth` roundings. An approximate inverse A with
    ||I - A H|| = r < 1 shows that H has an inverse of norm at most ||A|| / (1 - r).
    """
    m = len(gram)
    diagonal = gram.diagonal()
    if not (np.isfinite(gram).all() and (diagonal > 0).all()):
        return inf, np.zeros(m)
    scale = 1 / np.sqrt(diagonal)
    B = gram * scale * scale[:, None]
    off = m * gamma(depth + 8) * ROOM
    try:
        A = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        return inf, scale
    size = float(np.linalg.norm(A)) * ROOM
    r = (float(np.linalg.norm(np.eye(m) - A @ B)) + size * (off + gamma(m + 4) * m)) * ROOM
    return (size / (1 - r) * ROOM, scale) if r < 0.5 else (inf, scale)


def signed_sides(c: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Lower bounds of the sums of the positive and of the negative terms ``c_i u_i``, both as sizes."""
    n, sides = len(c), []
    for value in _signed_sums(c * u):
        # terms of one sign are off by u of themselves, and their sum in whatever order by gamma(n) of itself
        error = (gamma(n) + 2 * U + WEIGHT) * value * ROOM + n * TINY
        sides.append(value - error if isfinite(error) else -inf)
    return sides[0], sides[1]


@jit
def _signed_sums(terms):  # type: ignore[no-untyped-def]
    above, below = 0.0, 0.0
    for i in range(terms.shape[0]):
        if terms[i] > 0.0:
            above += terms[i]
        else:
            below -= terms[i]
    return above, below


__all__ = [
    "ROOM",
    "VALUE",
    "WEIGHT",
    "capped",
    "compensated_errors",
    "conjugate_bound",
    "conjugates",
    "constrained",
    "decision_errors",
    "exact_corrections",
    "largest_losses",
    "penalty_bounds",
    "scaled_inverse",
    "signed_sides",
    "sum_errors",
    "sum_magnitudes",
]
