"""Between what the decision values of the optimum lie, row by row, as a duality gap proves it.

For slopes u of the dual and *every* optimal (w*, b*) with decision values f*, the gap G bounds a sum

    P(w*, b*) - D(u) = sum_i c_i [loss(f*_i) + loss*(u_i) - u_i f*_i] + [R(w*) + R*(v) - <v, w*>]  <=  G

whose terms are not negative (Fenchel and Young), hence each of them:

- of a row. With the hinge, the margin z and the multiplier a = c |u|, the term is (c - a) (1 - z*) within the margin
  and a (z* - 1) outside: 1 - G / (c - a) <= z* <= 1 + G / a. A multiplier between its bounds knows the margin of the
  optimum as well as G is small, in whatever units the features are. The other losses are treated alike.
- of the weights. With an L2 part ||w - w*||^2 <= 2 G / l2; with L1 alone |w*_j| <= G / (l1 - |v_j|).

What is known of some rows, the anchors, says something of the others: for whatever numbers m

    f(x) - f*(x) = (1 - sum_k m_k) (f - f*)(x_0) + sum_k m_k (f - f*)(x_k) + <w - w*, x - x_0 - sum_k m_k (x_k - x_0)>

in which the intercepts cancel. The m are found by least squares, and the bound holds whatever they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite

import numpy as np
from scipy.linalg import qr, solve_triangular

from ..data import sum_magnitudes
from ..problems import Risk
from ._linear_bounds import ROOM, constrained, decision_errors, sum_errors
from ._risk import RiskEvidence
from ._rounding import U, gamma

# Features up to which rows are combined of anchors, and products that this may cost.
_NARROW = 500
_PRODUCTS = 2e10
_BLOCK = 2**20  # values of a block of rows
# Of the slopes, beside what balances them: they were rounded.
_SHARE = 1e-12
_DEPENDENT = 1e-10


@dataclass(frozen=True)
class _Distance:
    """How far optimal weights can be: in length, and in each coordinate."""

    radius: float
    coordinates: np.ndarray

    def along(self, x: np.ndarray) -> np.ndarray:
        """Bounds of ``|<w - w*, x_i>|``; zeros of x know nothing of an infinite distance, and need not."""
        with np.errstate(invalid="ignore", over="ignore"):
            length = np.sqrt(np.square(x).sum(axis=1)) * self.radius
            each = np.where(x == 0, 0.0, np.abs(x) * self.coordinates).sum(axis=1)
        return np.fmin(np.where(np.isnan(length), inf, length), each) * (1 + 1e-9)


def optimal_values(problem: Risk, theta: np.ndarray, evidence: RiskEvidence) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends of the decision values of the optimum at each row; infinite where nothing is known.

    `evidence` is that of theta. Where several intercepts are optimal it is the optimum next to that of theta.
    """
    n, gap = problem.n, evidence.gap
    bare = problem.kind == "risk" and problem.penalty.separable == (0.0, 0.0)  # its slopes are not those of the bound
    if bare or not (isfinite(gap) and np.isfinite(theta).all() and np.isfinite(evidence.decision).all()):
        return np.full(n, -inf), np.full(n, inf)
    f, errors = evidence.decision, decision_errors(problem.rows, theta, problem.threads)
    if problem.kind == "hard margin":  # the upper bound is that of the weights which meet all constraints
        kept = problem.weights > 0
        least = float((problem.y * f - errors)[kept].min())
        theta, f, errors = theta / least, f / least, errors / least + 2 * U * np.abs(f / least)
    low, high = _by_slopes(problem, evidence.u, gap)
    distance = _distance(problem, theta, evidence)
    known = np.maximum(np.maximum(f - low, high - f), 0.0) + errors
    known[~(problem.weights > 0)] = inf
    reach = _reach(problem, distance, known) + errors
    if problem.fit_intercept:
        reach = np.minimum(reach, _at_this_intercept(problem, distance, f, errors))
    return np.maximum(low, f - reach), np.minimum(high, f + reach)


# ---------------------------------------------------------------- rows by their slopes


def _by_slopes(problem: Risk, u: np.ndarray, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of f* at each row, from its own slope."""
    c, y = problem.weights, problem.y
    hard, square = problem.kind == "hard margin", problem.loss.name.startswith("squared")
    a = np.abs(u) if hard else c * np.abs(u)
    off = a * _unbalanced(problem, u if hard else c * u)  # the slopes of the lower bound may differ by so much
    gap = gap * ROOM
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        beneath = _over(gap, a - off)  # how far a row that pulls can be short of paying
        if hard:
            above = np.zeros(len(c))
        elif square:
            pays = a / (2 * c)
            spread = np.sqrt(gap / c) + off / (2 * c)
            above, least = pays + spread, pays - spread
            beneath = np.where(least > 0, -least, beneath)
        else:
            above = _over(gap, c - a - off)
    unknown = ~(c > 0)
    beneath, above = np.where(unknown, inf, beneath), np.where(unknown, inf, above)
    if problem.loss.kind == "regression":
        epsilon = problem.loss.epsilon
        side = np.where(u < 0, 1.0, -1.0)  # of the residual y - f
        most = epsilon + above
        least = np.maximum(epsilon - beneath, -most)
        room = 4 * U * (np.abs(y) + epsilon)  # of the sums themselves
        ends = y - side * most, y - side * least
        return np.minimum(*ends) - room, np.maximum(*ends) + room
    ends = y * (1 - above), y * (1 + beneath)
    return np.minimum(*ends) - 4 * U * np.abs(np.minimum(*ends)), np.maximum(*ends) + 4 * U * np.abs(np.maximum(*ends))


def _over(gap: float, part: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(part > 0, gap / np.maximum(part, 5e-324), inf)


def _unbalanced(problem: Risk, slopes: np.ndarray) -> float:
    """The share of themselves by which slopes are scaled until they balance, where there is an intercept."""
    if not problem.fit_intercept:
        return _SHARE
    above, below = float(slopes[slopes > 0].sum()), -float(slopes[slopes < 0].sum())
    least = min(above, below)
    total = abs(above - below) + gamma(len(slopes)) * (above + below)
    return min(2 * total / least + _SHARE, 1.0) if least > 0 else (1.0 if above + below > 0 else 0.0)


# ---------------------------------------------------------------- weights


def _distance(problem: Risk, theta: np.ndarray, evidence: RiskEvidence) -> _Distance:
    w, gap = theta[:-1], evidence.gap
    nowhere = np.full(len(w), inf)
    if problem.kind == "hard margin":
        l1, l2 = 0.0, 1.0
    elif problem.penalty.separable is None:
        return _Distance(inf, nowhere)
    else:
        l1, l2 = problem.penalty.separable
    if l2 > 0:
        radius = float(np.sqrt(2 * gap / l2)) * (1 + 1e-9)
        return _Distance(radius, np.full(len(w), radius))
    if not l1 > 0:
        return _Distance(inf, nowhere)
    slopes = problem.weights * evidence.u
    v = -problem.transposed(slopes)[:-1]
    magnitudes = sum_magnitudes(problem.rows, np.abs(slopes), problem.threads)[: len(w)]
    share = _unbalanced(problem, slopes) + _SHARE
    size = constrained(problem.penalty, v) + sum_errors(problem.rows, magnitudes, problem.threads, share)
    with np.errstate(divide="ignore"):
        most = np.minimum(_over(gap * ROOM, l1 - size), evidence.primal / l1)
    return _Distance(inf, (np.abs(w) + most) * (1 + 1e-9))


# ---------------------------------------------------------------- rows by other rows


def _reach(problem: Risk, distance: _Distance, known: np.ndarray) -> np.ndarray:
    """Bounds of |f - f*| at each row, from the rows of which it is known."""
    rows, d = problem.rows, problem.d
    zeros = np.zeros(d)
    best = int(np.argmin(known))
    if problem.fit_intercept and not known[best] < inf:
        return np.full(problem.n, inf)
    origin, certain = zeros, 0.0  # without an intercept f is known where x is zero
    if problem.fit_intercept:
        origin, certain = rows.dense(np.array([best]), zeros, np.float64)[0], float(known[best])
    anchors = _Anchors.of(problem, distance, known, origin)
    out, step = np.empty(problem.n), max(1, _BLOCK // max(1, d))
    for start in range(0, problem.n, step):
        part = slice(start, min(start + step, problem.n))
        x = rows.dense(part, zeros, np.float64)
        apart = x - origin
        rounded = 2 * U * np.abs(apart)
        out[part] = certain + distance.along(np.abs(apart) + rounded)
        if anchors is not None:
            out[part] = np.minimum(out[part], anchors.reach(distance, apart, rounded, certain))
    return out


@dataclass(frozen=True)
class _Anchors:
    """Independent rows less the origin, and how well their values are known; Q and R of them in scaled coordinates."""

    rows: np.ndarray
    known: np.ndarray
    q: np.ndarray
    r: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, problem: Risk, distance: _Distance, known: np.ndarray, origin: np.ndarray) -> _Anchors | None:
        d = problem.d
        if d > _NARROW or float(problem.n) * d * d > _PRODUCTS:
            return None
        chosen = np.argsort(known, kind="stable")[: 4 * (d + 1)]
        chosen = chosen[known[chosen] < inf]
        if not len(chosen):
            return None
        rows = problem.rows.dense(chosen, np.zeros(d), np.float64) - origin
        scale = np.where(np.isfinite(distance.coordinates), distance.coordinates, 1.0)
        scaled = rows * (scale / (scale.max(initial=0.0) or 1.0))
        lengths = np.sqrt(np.square(scaled).sum(axis=1))
        used = np.isfinite(lengths) & (lengths > 0)
        rows, scaled, certain = rows[used], scaled[used], known[chosen][used]
        if not len(rows):
            return None
        # of dependent rows those that are known better: a long pivot is one that is long for what it costs
        cost = lengths[used] * (certain + 1e-3 * float(np.median(certain)) + 1e-300)
        q, r, order = qr((scaled / cost[:, None]).T, mode="economic", pivoting=True, check_finite=False)
        diagonal = np.abs(np.diagonal(r))
        rank = int((diagonal > _DEPENDENT * diagonal[0]).sum())
        order = order[:rank]
        scale = scale / (scale.max(initial=0.0) or 1.0)
        return cls(rows[order], certain[order], q[:, :rank], r[:rank, :rank] * cost[order], scale)

    def reach(self, distance: _Distance, apart: np.ndarray, rounded: np.ndarray, certain: float) -> np.ndarray:
        m, left = np.zeros((len(apart), len(self.rows))), apart
        with np.errstate(all="ignore"):
            for _ in range(2):  # the second time takes away what rounding has left
                m = m + solve_triangular(self.r, (left * self.scale @ self.q).T, check_finite=False).T
                left = apart - m @ self.rows
            size = np.abs(m)
            rounded = rounded + gamma(len(self.rows) + 4) * (np.abs(apart) + size @ np.abs(self.rows)) * ROOM
            beside = np.abs(1 - m.sum(axis=1)) + gamma(len(self.rows) + 2) * (1 + size.sum(axis=1))
            out = (size @ self.known + beside * certain) * (1 + 1e-9) + distance.along(np.abs(left) + rounded)
        return np.where(np.isnan(out), inf, out)


def _at_this_intercept(problem: Risk, distance: _Distance, f: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Bounds of |f - f*| for an optimum whose intercept is next to the one at hand, as it may be where no row holds it.

    The slopes of the losses at the optimal weights rise with the intercept. If their sum is not positive a little below
    and not negative a little above, there is an optimal intercept between.
    """
    nothing = np.full(problem.n, inf)
    if not problem.loss.piecewise_linear or problem.kind == "hard margin" or not np.isfinite(distance.radius):
        return nothing
    with np.errstate(over="ignore"):
        lengths = np.sqrt(problem.rows.squared_norms(np.zeros(problem.d))) * (1 + 1e-9)
        reach = distance.radius * lengths + errors
    c, kept = problem.weights, problem.weights > 0
    most = float(reach[kept].max()) + 4 * U * float(np.abs(f[kept]).max()) + 4 * U
    if not isfinite(most):
        return nothing
    for side in (-1.0, 1.0):  # 3 steps to this side f* is at least two steps on, and every slope beyond it no less
        terms = (c * problem.loss.derivative(f + side * most, problem.y))[kept]
        if side * float(terms.sum()) < -gamma(len(terms) + 2) * float(np.abs(terms).sum()):
            return nothing
    return reach + 3 * most * (1 + 1e-9)
