"""Convex quadratic programmes in fixed-point arithmetic, by an active set; the answer proves itself.

    minimise    1/2 x' Q x - p' x
    subject to  lower <= x <= upper,   A x = s

The variables that are *free* solve the KKT equations, the inverse of whose matrix is kept and changed by one row at a
time; the others rest where they are. A variable whose reduced gradient has the wrong sign becomes free, and one that
meets its bound on the way no longer is. Directions without curvature are followed until they meet a bound.

Whatever x and multipliers come out, the convexity of Q alone gives for every z within the bounds with A z = s

    1/2 z' Q z - p' z  >=  - 1/2 x' Q x - lam' s + sum_i min(r_i lower_i, r_i upper_i),     r = Q x - p + A' lam,

so that the optimum is between this and the value at x. An active set that is wrong makes that interval wide, not false.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .arithmetic import product, zeros


@dataclass
class Programme:
    """A quadratic programme in fixed-point numbers of so many bits.

    Variables without bounds have some beyond what any optimum needs. ``scale`` is what values of the programme are
    multiplied with to be values of the machine's objective, and ``maximise`` says that this objective is the negative
    of the programme's. ``order`` is the order in which columns of A are tried for a first basis.
    """

    Q: np.ndarray
    p: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    A: np.ndarray
    s: np.ndarray
    start: np.ndarray
    bits: int
    scale: Fraction = Fraction(1)
    maximise: bool = True
    order: list[int] | None = None

    @property
    def n(self):
        return len(self.p)


class ActiveSet:
    """The state of the method; `run` it, then ask for `interval`."""

    def __init__(self, programme):
        self.qp, self.bits = programme, programme.bits
        self.one = 1 << self.bits
        self.tiny = 1 << (self.bits // 4)  # moves and slopes below 2**(-3/4 bits) are rounding
        self.flat = 1 << (self.bits - self.bits // 4)  # curvatures below 2**(-bits/4) are none
        self.x = programme.start.copy()
        self.g = product(programme.Q, self.x, self.bits) - programme.p
        self.free, self.inverse = [], zeros(0, 0)
        self.basis()

    # ---------------------------------------------------------------- the matrix

    def basis(self):
        """As many columns of A as it has rows, independent of each other, and the inverse of their KKT matrix."""
        A, m = self.qp.A, len(self.qp.s)
        work, rows = A.copy(), list(range(m))
        room = np.minimum(self.x - self.qp.lower, self.qp.upper - self.x)
        for j in self.qp.order or sorted(range(self.qp.n), key=lambda k: -room[k]):
            if not rows:
                break
            row = max(rows, key=lambda i: abs(work[i, j]))
            if abs(work[row, j]) <= self.flat:
                continue
            for i in rows:
                if i != row and work[i, j]:
                    work[i] = work[i] - (work[row] * ((work[i, j] << self.bits) // work[row, j]) >> self.bits)
            rows.remove(row)
            self.free.append(int(j))
        if rows:
            raise ValueError("the equations depend on each other")
        S = self.free
        kkt = np.block([[zeros(m, m), A[:, S]], [A[:, S].T, self.qp.Q[np.ix_(S, S)]]]) if m else zeros(0, 0)
        self.inverse = _inverse(kkt, self.bits)

    def column(self, i):
        return np.concatenate([self.qp.A[:, i], self.qp.Q[self.free, i]])

    def add(self, i, z, curvature):
        """Variable i becomes free; z solves the equations for its column."""
        divided = (z << self.bits) // curvature
        side = len(z)
        grown = np.empty((side + 1, side + 1), dtype=object)
        grown[:side, :side] = self.inverse + (np.multiply.outer(z, divided) >> self.bits)
        grown[:side, side] = grown[side, :side] = divided
        grown[side, side] = (self.one << self.bits) // curvature
        self.inverse = grown
        self.free.append(i)

    def remove(self, place):
        """The free variable at this place is not free any more."""
        k = len(self.qp.s) + place
        kept = [i for i in range(len(self.inverse)) if i != k]
        b, pivot = self.inverse[kept, k], self.inverse[k, k]
        left = self.inverse[np.ix_(kept, kept)]
        self.inverse = left - (np.multiply.outer(b, (b << self.bits) // pivot) >> self.bits)
        del self.free[place]

    def exchange(self, place, i, z):
        """Variable i becomes free instead of another one, where both together would have no curvature.

        With its own curvature raised by one it can be added; that is taken back in the end.
        """
        self.add(i, z, self.one)
        self.remove(place)
        b = self.inverse[:, -1]
        pivot = self.inverse[-1, -1] - self.one
        self.inverse = self.inverse - (np.multiply.outer(b, (b << self.bits) // pivot) >> self.bits)

    # ---------------------------------------------------------------- steps

    def multipliers(self):
        """lam, and the step of the free variables to where their gradient vanishes."""
        m, S = len(self.qp.s), self.free
        if not len(self.inverse):
            return zeros(0), zeros(0)
        solution = -product(self.inverse[:, m:], self.g[S], self.bits)
        return solution[:m], solution[m:]

    def reduced(self, lam):
        return self.g + product(self.qp.A.T, lam, self.bits)

    def move(self, index, direction, length):
        """Follow a direction as far as asked for (None: without end); the place of the one that blocks, or None.

        The variable that blocks is put exactly on its bound.
        """
        blocking, bound = None, None
        for place, (i, d) in enumerate(zip(index, direction, strict=True)):
            if abs(d) <= self.tiny:
                continue
            wall = self.qp.upper[i] if d > 0 else self.qp.lower[i]
            reach = max(0, ((wall - self.x[i]) << self.bits) // d)
            if length is None or reach < length:
                length, blocking, bound = reach, place, wall
        if length is None:
            raise ValueError("the programme has no minimum")
        index = np.asarray(index, dtype=int)
        steps = (np.asarray(direction, dtype=object) * length) >> self.bits
        if blocking is not None:
            steps[blocking] = bound - self.x[index[blocking]]
        self.x[index] = self.x[index] + steps
        self.g = self.g + product(self.qp.Q[:, index], steps, self.bits)
        return blocking

    def settle(self):
        """Let the free variables go where their gradient vanishes, those that meet a bound staying behind.

        Gives their multipliers; None if rounding does not let it end: each move but the last frees one variable less.
        """
        for _ in range(len(self.free) + 5):
            lam, step = self.multipliers()
            if not len(step) or max(abs(d) for d in step) <= self.tiny:
                return lam
            blocking = self.move(list(self.free), step, self.one)
            if blocking is not None:
                self.remove(blocking)
        return None

    def violation(self, r):
        """How far each reduced gradient is on the wrong side; 0 for free variables."""
        below, above = self.x > self.qp.lower, self.x < self.qp.upper
        wrong = np.where(above & (r < 0), -r, np.where(below & (r > 0), r, 0))
        wrong[self.free] = 0
        return wrong

    def enter(self, i, r):
        """Variable i becomes free, or moves to its other bound, or takes the place of another one."""
        c = self.column(i)
        z = -product(self.inverse, c, self.bits)
        curvature = self.qp.Q[i, i] + product(c, z, self.bits)
        m = len(self.qp.s)
        if curvature > self.flat:
            self.add(i, z, curvature)
            return
        sign = -1 if r > 0 else 1
        place = self.move([*self.free, i], [*(sign * z[m:]), sign * self.one], None)
        if place < len(self.free):
            self.exchange(place, i, z)

    def run(self, limit=None):
        """Until no reduced gradient is wrong; False if that takes too many steps or bits are too few.

        In either case x is feasible, and the multipliers, right or wrong, give an interval that is true.
        """
        try:
            return self._run(limit)
        except ZeroDivisionError:
            return False

    def _run(self, limit):
        limit = 6 * self.qp.n + 60 if limit is None else limit
        for count in range(limit):
            lam = self.settle()
            if lam is None:
                return False
            r = self.reduced(lam)
            wrong = self.violation(r)
            candidates = np.flatnonzero(wrong > self.tiny)
            if not len(candidates):
                return True
            # the largest first; where that goes round in circles, the first
            i = max(candidates, key=lambda k: wrong[k]) if count < limit // 2 else candidates[0]
            self.enter(int(i), r[i])
        return False

    def interval(self):
        """An interval of fractions that contains the optimal value of the machine."""
        qp, bits = self.qp, self.bits
        lam = self.multipliers()[0]
        r = self.reduced(lam)
        Qx = self.g + qp.p
        half = product(self.x, Qx, bits + 1)
        high = half - product(qp.p, self.x, bits)
        low = -half - product(lam, qp.s, bits)
        low += int(np.minimum(r * qp.lower, r * qp.upper).sum()) >> bits
        # every figure above is rounded to 2**-bits a few times, the data of the programme too
        size = 1 + (int(np.abs(self.x).sum()) >> bits) + (int(np.abs(lam).sum()) >> bits)
        far = 1 + (int(max(np.abs(qp.lower).max(), np.abs(qp.upper).max())) >> bits)
        error = 64 * qp.n * qp.n * (size * size + far)
        ends = [Fraction(int(v), 1 << bits) * qp.scale for v in (low - error, high + error)]
        return (-ends[1], -ends[0]) if qp.maximise else (ends[0], ends[1])


def _inverse(M, bits):
    """Gauss and Jordan, with the largest pivot of each column."""
    n = len(M)
    work = np.concatenate([M, zeros(n, n)], axis=1)
    for i in range(n):
        work[i, n + i] = 1 << bits
    for k in range(n):
        best = k + max(range(n - k), key=lambda i: abs(work[k + i, k]))
        work[[k, best]] = work[[best, k]]
        work[k] = (work[k] << bits) // work[k, k]
        for i in range(n):
            if i != k and work[i, k]:
                work[i] = work[i] - (work[k] * work[i, k] >> bits)
    return work[:, n:]


def solve(make, bits=(384, 768, 1536)):
    """The interval of the optimum of ``make(bits)``, with more bits as long as it is not narrow.

    The second part of the answer says whether it is: 25 digits at least.
    """
    best = None
    for b in bits:
        state = ActiveSet(make(b))
        state.run()
        low, high = state.interval()
        best = (low, high) if best is None else (max(low, best[0]), min(high, best[1]))
        if is_narrow(*best, state.qp.scale):
            return best, True
    return best, False


def is_narrow(low, high, scale=1):
    """To 25 digits; an optimum of zero, to 2**-200 of numbers that are about one."""
    return high - low <= max(abs(low), abs(high)) / 10**25 or high - low <= abs(scale) / 2**200
