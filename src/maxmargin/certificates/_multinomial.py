"""Both objectives of a multinomial problem and the gap between them, from theta alone.

As in `_risk`, the primal is rounded up and the dual down; `_simplex_bounds` says how the dual's equations are met.
"""

from __future__ import annotations

from math import inf, isfinite, nextafter

import numpy as np
import scipy.special

from ..data import sum_depth, sum_magnitudes
from ..losses import make_loss
from ..problems import MultinomialRisk, Risk
from ._duality import relative
from ._linear_bounds import ROOM, WEIGHT, capped, exact_corrections
from ._risk import RiskEvidence, subgradients
from ._rounding import U, bounded_dot
from ._simplex_bounds import dual_bound, image_errors, imbalance, largest_decision_errors, primal_bound

# Relative error of an entry of c_i (p_i - e_y), but for the sum that the label's is.
SLOPES = WEIGHT + 6 * U
_EQUATIONS = 4000


def evaluate_multinomial(problem: MultinomialRisk, theta: np.ndarray) -> RiskEvidence:
    """Primal, dual, gap and violation at theta. ``u`` of the evidence are the slopes, shape (n, k)."""
    F = problem.decision(theta)
    W, penalty = theta[:-1], problem.penalty
    primal, rounding = _primal(problem, theta, F)
    if not isfinite(primal):
        return RiskEvidence(inf, 0.0, inf, inf, inf, np.zeros_like(F), F)
    P, u = off_labels(problem, _balanced(problem, F))
    V = -problem.transposed(u)[:-1]
    if penalty.l2 <= 0 and penalty.l1 > 0:
        # towards the labels themselves (u = 0) until the conjugate is finite but for rounding
        largest = float(np.abs(V).max(initial=0.0))
        scale = min(1.0, penalty.l1 / largest) if largest > 0 else 1.0
        P, u, V = scale * P, scale * u, scale * V
    dual, more = _dual(problem, P, u, V)
    dual = max(dual, 0.0)  # no loss and no penalty is negative
    gap = primal - dual
    violation = float(np.abs(V - np.clip(V, *subgradients(W, penalty.l1, penalty.l2))).max(initial=0.0))
    # a dual that proves nothing is not a matter of rounding
    rounded = relative(min(rounding + (more if isfinite(more) else 0.0), gap), primal, dual)
    figures = primal, dual, gap, relative(gap, primal, dual), violation
    return RiskEvidence(*figures, u, F, rounded, unbounded=_has_no_minimum(problem, F))


def _has_no_minimum(problem: MultinomialRisk, F: np.ndarray) -> bool:
    """No penalty, and every sample's own class ahead of all others: longer weights are always better."""
    if problem.penalty.l1 > 0 or problem.penalty.l2 > 0:
        return False
    own = np.take_along_axis(F, problem.label[:, None], axis=1)
    ahead = (F < own).sum(axis=1) == problem.classes - 1
    return bool(ahead[problem.weights > 0].all())


def _primal(problem: MultinomialRisk, theta: np.ndarray, F: np.ndarray) -> tuple[float, float]:
    """An upper bound of the objective, and how much of it is rounding."""
    if not (np.isfinite(theta).all() and np.isfinite(F).all()):
        return inf, inf
    losses, errors = bounded_losses(problem, theta, F)
    return primal_bound(losses, errors, problem.weights, problem.penalty, theta[:-1])


def bounded_losses(problem: MultinomialRisk, theta: np.ndarray, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loss of each sample at its decision values, and bounds of their errors."""
    with np.errstate(over="ignore", invalid="ignore"):
        top = F.max(axis=1)
        below = top - F[np.arange(problem.n), problem.label]
        losses = np.log(np.exp(F - top[:, None]).sum(axis=1)) + below
        moved = largest_decision_errors(problem.rows, theta, problem.threads)
        # the gradient's entries sum to 2 (1 - p_y) in size, which changes by a factor of at most e^(2 moved) on the way
        errors = 2 * moved * np.where(moved < 1e-3, np.minimum(1.01 * -np.expm1(-losses) + 4 * U, 1.0), 1.0)
        errors += (2 * problem.classes + 16) * U + 4 * U * losses
    return losses, errors


def off_labels(problem: MultinomialRisk, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of the other classes, and slopes; the label has what they leave of 1, as a real number.

    So a slope that is next to zero has a small relative error, which 1 - p would not have.
    """
    own = np.arange(problem.n), problem.label
    others = P.copy()
    others[own] = 0.0
    mass = others.sum(axis=1)
    most = 1 - (2 * problem.classes + 4) * U
    over = mass > most
    others[over] *= (most / mass[over])[:, None]
    u = others * problem.weights[:, None]
    u[own] = -u.sum(axis=1)
    return others, u


def _dual(problem: MultinomialRisk, others: np.ndarray, u: np.ndarray, V: np.ndarray) -> tuple[float, float]:
    """A lower bound of the optimum at probabilities near these that are exactly feasible, and how much is rounding."""
    c, k, threads = problem.weights, problem.classes, problem.threads
    if not np.isfinite(u).all():
        return 0.0, inf
    label, value, error = bounded_entropy(problem, others)
    sizes, relative_error = np.abs(u).max(axis=1), SLOPES + k * U
    slack = relative_error * ROOM * np.abs(u).sum(axis=0)
    nothing = np.zeros(problem.n)
    if problem.penalty.l1 <= 0 and problem.penalty.l2 <= 0:
        moved = image_errors(problem.rows, sizes, relative_error, nothing, threads)
        return _without_penalty(problem, np.minimum(_least(problem, others), label), u, V, moved, slack, value, error)
    t, rounded = 0.0, 0.0
    if problem.fit_intercept:
        t, rounded = imbalance(u, slack, np.bincount(problem.label, weights=c, minlength=k))
    if not isfinite(t):
        return 0.0, inf

    def at(t: float) -> tuple[float, float]:
        moved = image_errors(problem.rows, sizes, relative_error, t * c, threads)
        return dual_bound(value, error, t, problem.penalty, V, moved)

    bound, cost = at(t)
    return bound, at(rounded)[1] if rounded < t else cost


def bounded_entropy(problem: MultinomialRisk, others: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Probabilities of the labels, ``- sum_i c_i sum_k p_ik log p_ik``, and a bound of its error."""
    c, k = problem.weights, problem.classes
    mass = others.sum(axis=1)
    label = np.maximum(1 - mass, 0.0)
    entropy = scipy.special.entr(others).sum(axis=1) + scipy.special.entr(label)
    # the label's probability is off by (k + 2) u mass + u, hence -p log p by at most that times 1 - log p
    errors = (WEIGHT + (k + 8) * U) * entropy + np.where(label < 0.5, 80.0, 2.0) * ((k + 4) * mass + 1) * U
    value, error = bounded_dot(c, entropy, errors)
    return label, value, error


def _least(problem: MultinomialRisk, others: np.ndarray) -> np.ndarray:
    """The smallest probability of a class that is not the label."""
    masked = others.copy()
    masked[np.arange(problem.n), problem.label] = inf
    return masked.min(axis=1)


def _without_penalty(  # type: ignore[no-untyped-def]
    problem: MultinomialRisk, least_p, u, V, errors, slack, value: float, error: float
) -> tuple[float, float]:
    """The same where V and the sums have to be exactly zero, by a change of p_i that is at most theta min_k p_ik."""
    c, rows, threads = problem.weights, problem.rows, problem.threads
    if problem.d > _EQUATIONS:
        return 0.0, inf
    rho = np.where(c > 0, least_p * (1 - 1e-9), 0.0)
    h = c * rho * rho
    gram = Risk(rows, np.ones(problem.n), h, make_loss("squared"), problem.penalty, problem.fit_intercept, threads)
    sums = np.abs(np.vstack([V, u.sum(axis=0)]))
    off = np.vstack([np.broadcast_to(errors[:, None], V.shape), problem.n * U * ROOM * np.abs(u).sum(axis=0) + slack])
    kept = sum_magnitudes(rows, (c > 0).astype(np.float64), threads) > 0
    kept[-1] = problem.fit_intercept
    H = gram.weighted_gram(h)[np.ix_(kept, kept)]
    least = float(c[rho > 0].min(initial=inf))
    least = least if isfinite(least) else 0.0
    residuals = (sums + off)[kept], capped(sums, off)[kept]
    theta, rounded = exact_corrections(H, sum_depth(rows, threads) + 4, least, *residuals)
    if not theta < 1:
        return 0.0, inf
    cost = error + theta * value
    return nextafter(value - cost * ROOM - 8 * U * value, -inf), error + rounded * value


def _balanced(problem: MultinomialRisk, F: np.ndarray) -> np.ndarray:
    """Probabilities whose weighted sums are those of the labels, as the best intercepts make them (Newton's steps).

    Far away a step has to lower the loss; near by, where the loss no longer shows a difference, the imbalance itself.
    """
    loss, P = problem.probabilities(F)
    if not problem.fit_intercept:
        return P
    t, c = np.zeros(problem.classes), problem.weights
    size = max(float(c.sum()), 1e-300)
    gradient = problem.residual(P).sum(axis=0)
    for _ in range(50):
        if not np.isfinite(gradient).all() or np.abs(gradient).max() <= 1e-16 * size:
            break
        H = np.diag(c @ P) - (P * c[:, None]).T @ P
        step = -np.linalg.lstsq(H, gradient, rcond=1e-14)[0]
        length, decrease, near = 1.0, -float(gradient @ step), np.abs(gradient).max() <= 1e-8 * size
        while True:
            new_loss, new_P = problem.probabilities(F + (t + length * step))
            if near or new_loss <= loss - 1e-4 * length * decrease or length < 1e-9:
                break
            length /= 2
        found = problem.residual(new_P).sum(axis=0)
        if not (np.abs(found).max() < 0.5 * np.abs(gradient).max() if near else new_loss <= loss):
            break
        t, loss, P, gradient = t + length * step, new_loss, new_P, found
    return P
