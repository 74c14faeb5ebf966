"""Logistic problems of two and more classes in fixed-point arithmetic: Newton's method, and a bound by duality.

    minimise over W, b   sum_i c_i [log sum_k exp f_ik - f_{i, y_i}] + l1 |W|_1 + l2/2 |W|_2^2,     f_i = x_i W + b

Classes that are pinned have no weights and f = 0: of two classes the first always is, and of more so is one where
there is no penalty, because only differences matter then. Probabilities p with u_i = p_i - e_{y_i} give the bound

    - sum_i c_i sum_k p_ik log p_ik - R*(V),     V = - X' (c u),     sum_i c_i u_i = 0 if there are intercepts.
"""

from fractions import Fraction

import numpy as np
from mpmath import libmp

from .arithmetic import array, exponential, number, power_of_two, product, zeros
from .quadratic import is_narrow

_STEPS = 250


class Logistic:
    """One such problem. Weights are kept as an array of shape (d + 1, free classes), the last row the intercepts."""

    def __init__(self, X, label, classes, C, l1, l2, intercept, bits, start=None):
        self.bits, self.one, self.label = bits, 1 << bits, np.asarray(label)
        n, d = X.shape
        self.exponents = [power_of_two(float(np.abs(X[:, j]).max(initial=0.0))) for j in range(d)]
        rows = array(X, bits)
        for j, e in enumerate(self.exponents):
            rows[:, j] = rows[:, j] >> e if e >= 0 else rows[:, j] << -e
        self.X = np.concatenate([rows, zeros(n, 1) + self.one], axis=1)
        self.c = array(np.array(C, dtype=object), bits)
        self.l1 = array(np.array([Fraction(l1) / Fraction(2) ** e for e in self.exponents], dtype=object), bits)
        self.l2 = array(np.array([Fraction(l2) / Fraction(4) ** e for e in self.exponents], dtype=object), bits)
        self.penalty, self.intercept = (l1, l2), intercept
        self.pinned = 1 if classes == 2 or not (l1 or l2) else 0
        self.classes, self.k = classes, classes - self.pinned
        self.own = zeros(n, classes)
        self.own[np.arange(n), self.label] = self.one
        # which entries of W may move at all: the intercept of the first class need not
        self.allowed = np.ones((d + 1, self.k), dtype=bool)
        self.allowed[d, :] = intercept
        if not self.pinned:
            self.allowed[d, 0] = False
        self.W = zeros(d + 1, self.k)
        if start is not None:
            self.W = self._begin(np.asarray(start, dtype=np.float64))

    def _begin(self, start):
        """Weights of a model (one row a class, the intercept last), in the units of the scaled columns."""
        start = start - start[0] if self.pinned and self.classes > 2 else start.copy()
        start[:, -1] -= 0 if self.pinned else start[0, -1]
        start = start[len(start) - self.k :]
        units = [*self.exponents, 0]
        W = zeros(*self.W.shape)
        for j, e in enumerate(units):
            W[j] = array(np.array([Fraction(v) * Fraction(2) ** e for v in start[:, j]], dtype=object), self.bits)
        return np.where(self.allowed, W, 0)

    # ---------------------------------------------------------------- values

    def decision(self, W):
        f = product(self.X, W, self.bits)
        return np.concatenate([zeros(len(f), self.pinned), f], axis=1)

    def probabilities(self, F):
        """p and the losses without their weights."""
        P, losses = zeros(*F.shape), zeros(len(F))
        for i, f in enumerate(F):
            top = max(f)
            P[i] = [exponential(int(v - top), self.bits) for v in f]
            total = sum(P[i])
            losses[i] = logarithm(total, self.bits) + top - f[self.label[i]]
            P[i] = (P[i] << self.bits) // total
        return P, losses

    def penalty_of(self, W):
        w = W[:-1]
        linear = (np.abs(w) * self.l1[:, None]).sum() if w.size else 0
        square = ((w * w >> self.bits) * self.l2[:, None]).sum() if w.size else 0
        return (int(linear) + int(square) // 2) >> self.bits

    def value(self, W):
        P, losses = self.probabilities(self.decision(W))
        return int(product(self.c, losses, self.bits)) + self.penalty_of(W), P

    # ---------------------------------------------------------------- Newton

    def gradient(self, W, P):
        """Of everything but the absolute values."""
        u = ((P - self.own) * self.c[:, None]) >> self.bits
        G = product(self.X.T, u[:, self.pinned :], self.bits)
        G[:-1] = G[:-1] + (W[:-1] * self.l2[:, None] >> self.bits)
        return G

    def hessian(self, P, where):
        """Rows and columns of the entries of W in a list of (feature, class)."""
        H = zeros(len(where), len(where))
        weighted = {}
        for a in range(self.k):
            for b in range(a + 1):
                pa, pb = P[:, a + self.pinned], P[:, b + self.pinned]
                curve = (pa * ((self.one if a == b else 0) - pb)) >> self.bits
                curve = curve * self.c >> self.bits
                weighted[a, b] = product(self.X.T, self.X * curve[:, None] >> self.bits, self.bits)
        for r, (j, a) in enumerate(where):
            for s, (k, b) in enumerate(where[: r + 1]):
                H[r, s] = H[s, r] = weighted[max(a, b), min(a, b)][j, k]
            if j < len(self.l2):
                H[r, r] += self.l2[j]
            H[r, r] += 1 << (self.bits // 4)  # a direction without curvature is followed until a weight vanishes
        return H

    def run(self):
        """Newton's steps in the weights that are not zero; one that becomes so stays there until it is called for."""
        d = len(self.X[0]) - 1
        sign = np.where(self.W > 0, 1, np.where(self.W < 0, -1, 0)).astype(object)
        active = self.allowed.copy()
        if self.penalty[0]:
            active[:d] &= sign[:d] != 0
        value, P = self.value(self.W)
        for _ in range(_STEPS):
            G = self.gradient(self.W, P)
            if self.penalty[0]:
                G[:d] = G[:d] + np.where(active[:d], sign[:d] * self.l1[:, None], 0)
            where = [(int(j), int(a)) for j, a in np.argwhere(active)]
            slopes = np.array([G[j, a] for j, a in where], dtype=object)
            step = -_solve(self.hessian(P, where), slopes, self.bits) if where else zeros(0)
            gain = -int(product(slopes, step, self.bits)) if where else 0
            if gain <= self._noise(value):
                if not self._call(G, active, sign, d):
                    return
                continue
            value, P = self._advance(where, step, value, P, active, sign, d)
            if P is None:
                return
            if not any(self.penalty) and self.separated():
                return

    def _noise(self, value):
        return (abs(value) >> (self.bits - 40)) + (1 << 8)

    def _call(self, G, active, sign, d):
        """Let the weight at zero move whose gradient exceeds the penalty the most; False if none does."""
        if not self.penalty[0]:
            return False
        over = np.where(self.allowed[:d] & ~active[:d], np.abs(G[:d]) - self.l1[:, None], -1)
        j, a = np.unravel_index(int(np.argmax(over)), over.shape) if over.size else (0, 0)
        if not over.size or over[j, a] <= self.one >> (self.bits // 2):
            return False
        active[j, a], sign[j, a] = True, -1 if G[j, a] > 0 else 1
        return True

    def _advance(self, where, step, value, P, active, sign, d):
        """A step that does not change signs and does not make the value larger."""
        length, stopped = self.one, None
        if self.penalty[0]:
            for place, (j, a) in enumerate(where):
                if j < d and step[place] * sign[j, a] < 0:
                    reach = max(0, (-self.W[j, a] << self.bits) // step[place])
                    if reach < length:
                        length, stopped = reach, place
        for _ in range(80):
            W = self.W.copy()
            for place, (j, a) in enumerate(where):
                W[j, a] += step[place] * length >> self.bits
            if stopped is not None:
                W[where[stopped]] = 0
            new, new_P = self.value(W)
            if new <= value + (self._noise(value) if stopped is not None else 0):
                self.W = W
                if stopped is not None:
                    active[where[stopped]], sign[where[stopped]] = False, 0
                return new, new_P
            length, stopped = length >> 1, None
        return value, None

    # ---------------------------------------------------------------- the proof

    def separated(self):
        """Whether every sample is strictly on its side: without a penalty the infimum is then zero."""
        F = self.decision(self.W)
        n = len(F)
        others = F - (self.own << 64)
        return bool((F[np.arange(n), self.label] > others.max(axis=1))[self.c > 0].all())

    def interval(self):
        """An interval of fractions that contains the optimum."""
        l1, l2 = self.penalty
        if not (l1 or l2) and self.separated():
            return Fraction(0), Fraction(0)
        high, P = self.value(self.W)
        P = self._balanced(P)
        u = ((P - self.own) * self.c[:, None]) >> self.bits
        V = -product(self.X.T, u[:, self.pinned :], self.bits)[:-1]
        error = self._error()
        if l1 and not l2:
            shares = [
                Fraction(int(b), int(abs(v))) for b, v in zip(np.repeat(self.l1, self.k), V.ravel(), strict=True) if v
            ]
            share = number(min([Fraction(1), *shares]), self.bits)
            P = (P * share + self.own * (self.one - share)) >> self.bits
            conjugate = 0
        elif l2:
            excess = np.maximum(np.abs(V) - self.l1[:, None], 0)
            conjugate = int(((excess * excess) // (2 * self.l2[:, None])).sum()) if V.size else 0
        else:
            conjugate = 0
            error += int((np.abs(V) * (8 * np.abs(self.W[:-1]) + self.one)).sum()) >> self.bits
        if (P < 0).any() or (P > self.one).any():
            return Fraction(0), Fraction(high + error, self.one)
        entropy = zeros(len(P))
        for i, p in enumerate(P):
            entropy[i] = -sum(int(v) * logarithm(int(v), self.bits) >> self.bits for v in p if v > 0)
        low = int(product(self.c, entropy, self.bits)) - conjugate
        return max(Fraction(0), Fraction(low - error, self.one)), Fraction(high + error, self.one)

    def _error(self):
        """What rounding to 2**-bits may amount to, generously."""
        size = 1 + (int(self.c.sum()) >> self.bits) + (int(np.abs(self.W).sum()) >> self.bits)
        penalties = 1 + (int(self.l2.sum() + self.l1.sum()) >> self.bits if len(self.l2) else 0)
        return 4096 * self.X.size * self.classes * size * size * penalties

    def _balanced(self, P):
        """Probabilities whose weighted sums are those of the labels exactly, if there are intercepts."""
        if not self.intercept:
            return P
        P = P.copy()
        for k in range(1, self.classes):
            # what is missing goes from class k to the first class, at the sample that feels it least
            missing = int(((P[:, k] - self.own[:, k]) * self.c).sum())
            i = int(np.argmax(np.minimum(P[:, k], P[:, 0]) * self.c))
            if missing and self.c[i]:
                part = missing // int(self.c[i])
                P[i, k] -= part
                P[i, 0] += part
        return P


def logarithm(value, bits):
    """The natural logarithm of a positive fixed-point number."""
    return int(libmp.to_fixed(libmp.mpf_log(libmp.from_man_exp(int(value), -bits), bits + 16), bits))


def _solve(H, g, bits):
    """H^-1 g by elimination; H is symmetric and positive definite, so that any order of pivots will do."""
    work = np.concatenate([H, g[:, None]], axis=1)
    n = len(g)
    for k in range(n):
        if not work[k, k]:
            work[k, k] = 1
        for i in range(k + 1, n):
            if work[i, k]:
                work[i, k:] = work[i, k:] - (work[k, k:] * ((work[i, k] << bits) // work[k, k]) >> bits)
    x = zeros(n)
    for k in range(n - 1, -1, -1):
        x[k] = ((work[k, n] - (int(product(work[k, k + 1 : n], x[k + 1 :], bits)))) << bits) // work[k, k]
    return x


def solve_logistic(X, label, classes, C, l1, l2, intercept, start=None, bits=(256, 640)):
    """The interval of the optimum, and whether it is narrow."""
    best = None
    for b in bits:
        problem = Logistic(X, label, classes, C, l1, l2, intercept, b, start)
        problem.run()
        low, high = problem.interval()
        best = (low, high) if best is None else (max(low, best[0]), min(high, best[1]))
        if is_narrow(*best):
            return best, True
    return best, False
