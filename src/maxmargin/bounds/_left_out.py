"""Is a sample classified rightly by the machine that was trained without it? A proof by weak duality, from one fit.

Let F_i(w, b) = 1/2 ||w||^2 + sum over j != i of C_j max(0, 1 - y_j f(x_j)), f = <w, phi> + b with b free, be what the
machine without sample i minimises, and t = y_i f(x_i) the margin that it gives to i. In signed multipliers z, with
sum z = 0 and each z_j, j != i, in its box, let

    q(z) = 1/2 z'Kz - sum over j != i of y_j z_j.

For every such z and every machine (w, b), F_i(w, b) - y_i z_i t >= -q(z): the left side is a Lagrangian, and its
minimum over w and b is at least -q(z). Hence

    any machine that errs on i (t <= 0) costs at least -q(z), for every z with y_i z_i <= 0;
    any machine that does not (t >= 0) costs at least -q(z), for every z with y_i z_i >= 0.

The best machine without i costs at most U, the cost of any machine. If -q(z) > U for a z of the first kind, then
*every* optimal machine without i has t > 0; for one of the second kind, every one has t < 0. Neither that any
solution is exact, nor that there are free support vectors, nor that the intercept is unique is assumed; K has to be
positive semi-definite, no more.

Good z and U are found near the full machine: multipliers of the samples near the margin boundary (J) are corrected
for the absence of i by SMO, which gives z1 with z1_i = 0 and U; then z_i is let go to one side, which gives z2. What is
checked is q(z1) - q(z2) > U + q(z1), where the right side is the duality gap of the machine without i, a sum of terms
that cannot be negative. With one free support vector and z = beta - s (e_i - e_j) the same inequality is
y_i f(x_i) > 2 alpha_i ||phi_i - phi_j||^2, a bound in the manner of xi-alpha.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..certificates import best_intercept
from ..problems import BoxQP
from ..solvers import solve_block

_EPS = float(np.finfo(np.float64).eps)
# Variables that are corrected at first (at least, at most); how many of the worst join them when a proof falls short.
_LEAST, _MOST, _JOIN, _ATTEMPTS = 60, 400, 40, 4
_COLUMN_BYTES = 2**27
_CHUNK = 64
# SMO steps and tolerance of each attempt; after these, Newton steps on the free variables. On 3000 samples of magic04,
# C=100 and 348 free variables, the first settles 32 of 60 support vectors in 40 ms each, the second 27 of the others in
# 160 ms, Newton steps the last one. Easier machines (C=1) take 5 ms a support vector, all of them in the first attempt.
_EFFORTS = ((10_000, 1e-4), (50_000, 1e-6))
_PUSH, _FAR = 1e6, 1e3
_TINY = 1e-300
RIGHT, UNKNOWN, WRONG = 1, 0, -1


def left_out_signs(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """What is proven of each sample's margin in the machine that is trained without it: its sign, or nothing.

    Parameters
    ----------
    problem : BoxQP
        A classifier's problem (`BoxQP.classifier`), of soft margins or, with infinite bounds, of the hard one.
    beta : ndarray of shape (n,)
        Signed multipliers; those of the optimum prove most, others only less.

    Returns
    -------
    ndarray of int8
        1 where every optimal machine without the sample classifies it correctly, -1 where every one is wrong (or where
        none of its class is left), 0 where neither is proven.

    """
    full = _Full(problem, beta)
    signs = full.outside_the_margin()
    y = full.y
    for side in (-1.0, 1.0):
        if (y == side).sum() == 1:
            signs[y == side] = WRONG
    open_ = np.flatnonzero(signs == UNKNOWN)
    for begin in range(0, len(open_), _CHUNK):
        part = open_[begin : begin + _CHUNK]
        own = full.columns_of(part)
        for k, i in enumerate(part):
            signs[i] = _sign(full, int(i), own[:, k])
    return signs


class _Full:
    """The machine of all samples: variables, image, and the block of K near the margin boundary."""

    def __init__(self, problem: BoxQP, beta: np.ndarray) -> None:
        self.problem, self.beta, self.y = problem, beta, problem.p
        self.n, self.hard = problem.n, not np.isfinite(problem.upper - problem.lower).all()
        self.diagonal = problem.gram.diagonal()
        self.image = problem.image(beta)
        self.lower, self.upper = problem.lower, problem.upper
        if self.hard:
            # any finite box gives a bound; this one is far beyond the multipliers of the machines without a sample
            far = _FAR * max(float(np.abs(beta).sum()), 1.0)
            self.lower, self.upper = np.maximum(self.lower, -far), np.minimum(self.upper, far)
        room = np.minimum(beta - self.lower, self.upper - beta)
        self.free = room > 1e-10 * (self.upper - self.lower)
        self.intercept, self.gap, _ = self.judge(beta, self.image, np.ones(self.n, dtype=bool))
        distance = np.where(self.free, -1.0, np.abs(self.y - self.image - self.intercept))
        free = int(self.free.sum())
        most = max(8, min(_MOST, _COLUMN_BYTES // (8 * self.n)))
        self.near = np.argsort(distance, kind="stable")[: min(max(_LEAST, 2 * free), most)]
        self.columns = self.columns_of(self.near)

    def columns_of(self, samples: np.ndarray) -> np.ndarray:
        return self.problem.gram.block(np.arange(self.n), samples, np.float64)

    def judge(self, z: np.ndarray, image: np.ndarray, others: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Intercept and duality gap of the machine of z on `others`, and each sample's part of the gap."""
        if self.hard:
            return self._judge_hard(z, image, others)
        lower, upper = np.where(others, self.lower, 0.0), np.where(others, self.upper, 0.0)
        b = best_intercept((self.y - image)[others], lower[others], upper[others], 0.0)
        r = self.y - image - b
        parts = np.where(others, (upper - z) * np.maximum(r, 0.0) + (z - lower) * np.maximum(-r, 0.0), 0.0)
        # where r is rounding error, so is its part of the gap
        noise = self.noise(z)
        unsure = float((upper - lower)[np.abs(r) <= noise].sum())
        return b, float(parts.sum()) + noise * unsure + self.imbalance(z, image), parts

    def _judge_hard(self, z: np.ndarray, image: np.ndarray, others: np.ndarray) -> tuple[float, float, np.ndarray]:
        positive = self.y > 0
        none = np.zeros(self.n)
        if not (positive & others).any() or not (~positive & others).any():
            return 0.0, np.inf, none
        low, high = float(image[positive & others].min()), float(image[~positive & others].max())
        b, margin = -(low + high) / 2, (low - high) / 2 - self.noise(z)
        quadratic = float(z @ image)
        if not margin > 0:
            return b, np.inf, np.where(others, np.maximum(1 - self.y * (image + b), 0.0), 0.0)
        # scaled until its closest sample has margin 1, the machine is feasible
        gap = quadratic / 2 / margin**2 + quadratic / 2 - float(np.abs(z).sum())
        parts = np.where(others, np.maximum(1 - self.y * (image + b), 0.0), 0.0)
        return b, max(gap, 0.0) + 64 * _EPS * quadratic / margin**2 + self.imbalance(z, image), parts

    def noise(self, z: np.ndarray) -> float:
        """Rounding errors of K z, generously."""
        return 8 * _EPS * float(self.diagonal.max(initial=0.0)) * float(np.abs(z).sum())

    def imbalance(self, z: np.ndarray, image: np.ndarray) -> float:
        """What a sum of z that is not quite zero may cost: an intercept is no larger than this, up to its rounding.

        Without it, an ulp by which the bounds of the two classes differ would settle where the intercept is.
        """
        off = abs(float(z.sum())) + 16 * _EPS * float(np.abs(z).sum())
        return off * (2 + float(np.abs(image).max()))

    def outside_the_margin(self) -> np.ndarray:
        """The samples without a multiplier: the full machine is also theirs, and one direction does for all.

        z = beta - s y_i (e_i - lambda), lambda a mean of the free support vectors weighted by how far they can go.
        """
        signs = np.zeros(self.n, dtype=np.int8)
        used = self.near[self.free[self.near]]
        if len(used) == 0:
            return signs
        K = self.columns[:, : len(used)]  # the free ones come first
        for side in (-1.0, 1.0):
            room = self.upper[used] - self.beta[used] if side > 0 else self.beta[used] - self.lower[used]
            share = room / room.sum()
            mean = K @ share
            d2 = self.diagonal - 2 * mean + share @ mean[used]
            d2 = np.maximum(d2, 0.0) + 16 * _EPS * float(self.diagonal.max()) + _TINY
            gain = side * (self.image + float(share @ (self.y - self.image)[used]))
            s = np.clip(gain / d2, 0.0, float(room.sum()))
            proven = s * gain - s * s * d2 / 2 > self.gap + self.noise(self.beta) * s
            signs[proven & (self.beta == 0) & (self.y == side)] = RIGHT
        return signs


@dataclass
class _Candidate:
    """Multipliers that may do for the machine without sample i, and their image K z."""

    z: np.ndarray
    image: np.ndarray


class _Pool:
    """The samples whose multipliers may move, sample i last, and their columns of K, in pieces that are not copied."""

    def __init__(self, near: np.ndarray, columns: np.ndarray, i: int, own: np.ndarray) -> None:
        self._pieces, self._columns = [near, np.array([i])], [columns, own[:, None]]

    @property
    def index(self) -> np.ndarray:
        return np.concatenate(self._pieces)

    def join(self, samples: np.ndarray, columns: np.ndarray) -> None:
        self._pieces.insert(-1, samples)
        self._columns.insert(-1, columns)

    def block(self) -> np.ndarray:
        index = self.index
        return np.concatenate([columns[index] for columns in self._columns], axis=1)

    def product(self, coefficients: np.ndarray) -> np.ndarray:
        ends = np.cumsum([len(piece) for piece in self._pieces])[:-1]
        parts = zip(self._columns, np.split(coefficients, ends), strict=True)
        return np.sum([columns @ part for columns, part in parts], axis=0)


@dataclass
class _Block:
    """The problem on the pool alone. ``r`` is y - K z."""

    index: np.ndarray
    K: np.ndarray
    z: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    r: np.ndarray

    @classmethod
    def of(cls, full: _Full, pool: _Pool, candidate: _Candidate) -> _Block:
        index = pool.index
        lower, upper, z = full.lower[index], full.upper[index], candidate.z[index]
        # the variable of sample i is the last one; if it is also near the margin boundary, its other place there rests
        twin = np.flatnonzero(index[:-1] == index[-1])
        lower[twin] = upper[twin] = z[twin] = 0.0
        return cls(index, pool.block(), z, lower, upper, (full.y - candidate.image)[index])

    def minimise(self, effort: int) -> None:
        efforts = _EFFORTS[min(effort, len(_EFFORTS) - 1)]
        exact = effort >= len(_EFFORTS)
        self.z = solve_block(self.K, self.z, (self.lower, self.upper), self.r, *efforts, exact=exact)


def _sign(full: _Full, i: int, own: np.ndarray) -> int:
    """The sign of sample i's margin in the machine without it, if it can be proven."""
    pool = _Pool(full.near, full.columns, i, own)
    candidate = _Candidate(full.beta.copy(), full.image)
    for attempt in range(_ATTEMPTS):
        sign, parts = _attempt(full, pool, candidate, attempt)
        if sign != UNKNOWN or parts is None:
            return sign
        parts[pool.index] = 0.0
        worst = np.argsort(-parts, kind="stable")[:_JOIN]
        worst = worst[parts[worst] > 0]
        if len(worst):
            pool.join(worst, full.columns_of(worst))
        elif attempt >= len(_EFFORTS):
            return UNKNOWN
    return UNKNOWN


def _attempt(full: _Full, pool: _Pool, candidate: _Candidate, effort: int) -> tuple[int, np.ndarray | None]:
    """One attempt with the multipliers of the pool; where it fails, each sample's part of the gap.

    The candidate is improved in place.
    """
    block = _Block.of(full, pool, candidate)
    index, i = block.index, int(block.index[-1])
    y, start = full.y[i], block.z.copy()
    # without i: a push on its multiplier that nothing withstands, and SMO finds the partners that take it over
    block.r[-1] = -_PUSH * y * (1 + float(np.abs(block.r).max()))
    block.minimise(effort)
    if block.z[-1] != 0:
        return UNKNOWN, None
    first = block.z
    candidate.image = image = candidate.image + pool.product(first - start)
    candidate.z[index[:-1]] = first[:-1]
    candidate.z[i] = 0.0
    b, gap, parts = full.judge(candidate.z, image, np.arange(full.n) != i)
    sign = int(np.sign(y * (image[i] + b)))
    if sign == 0:
        return UNKNOWN, parts
    # and now it may go to one side, where it earns nothing (p_i = 0)
    reach = _FAR * float(np.abs(candidate.z).sum() + full.upper[i] - full.lower[i])
    block.lower[-1], block.upper[-1] = (-reach, 0.0) if sign * y > 0 else (0.0, reach)
    slope = (full.y - image)[index]
    slope[-1] = -image[i]
    block.z, block.r = first.copy(), slope.copy()
    block.minimise(effort)
    v = block.z - first
    curvature = max(float(v @ (block.K @ v)), 0.0)
    unsure = float(np.abs(v).sum()) * full.noise(candidate.z) + full.imbalance(v, image)
    return (sign if float(slope @ v) - curvature / 2 - unsure > gap else UNKNOWN), parts
