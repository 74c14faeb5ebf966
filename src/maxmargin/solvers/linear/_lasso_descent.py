"""Compiled pieces of the lasso: the minimum of a quadratic whose matrix is formed, and a path of such minima.

The quadratic of ``1/2 ||t - A w||^2 + l1 ||w||_1 + l2/2 ||w||^2`` is known by ``G = A'A`` and ``q = A'(t - A w)``.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner

# Part of the largest diagonal entry that is added where Newton's equations are singular.
DEPENDENT = 1e-9
# A pivot below this part of its diagonal entry is rounding.
_PIVOT = 1e-14


@jit_inner
def _descend(G, q, w, l1, l2, positive, most, accuracy):  # type: ignore[no-untyped-def]
    """Sweeps over all weights; see `gram_descent`."""
    m = w.shape[0]
    largest = 0.0
    for sweep in range(most):
        total = 0.0
        for j in range(m):
            h = G[j, j]
            if h + l2 <= 0.0:
                continue  # a column of zeros without a penalty of squares
            a = h * w[j] + q[j]
            new = 0.0
            if a > l1:
                new = (a - l1) / (h + l2)
            elif a < -l1 and not positive:
                new = (a + l1) / (h + l2)
            t = new - w[j]
            if t != 0.0:
                total += t * t * (h + l2)
                w[j] = new
                row = G[j]
                for k in range(m):
                    q[k] -= t * row[k]
        largest = max(largest, total)
        if total <= accuracy * largest:
            return sweep + 1
    return most


@jit
def gram_descent(G, q, w, l1, l2, positive, most, accuracy):  # type: ignore[no-untyped-def]
    """Sweeps over all weights until the moves, in units of the objective, are `accuracy` of the largest sweep's.

    ``q = A'(t - A w)`` and w are kept up to date. A weight that stays costs nothing, one that moves a row of G.
    """
    return _descend(G, q, w, l1, l2, positive, most, accuracy)


@jit_inner
def _solve_definite(M, x):  # type: ignore[no-untyped-def]
    """Overwrite x by ``M^-1 x`` and the upper triangle of M by its Cholesky factor; False where rounding spoils it.

    The first entry of each row below the diagonal is not part of M: it is what the pivot of the row is compared with.
    """
    m = x.shape[0]
    for k in range(m):
        pivot = M[k, k]
        if not pivot > _PIVOT * M[k, 0]:
            return False
        root = np.sqrt(pivot)
        for i in range(k, m):
            M[k, i] /= root
        for i in range(k + 1, m):
            factor = M[k, i]
            for j in range(i, m):
                M[i, j] -= factor * M[k, j]
        x[k] /= root
        for i in range(k + 1, m):
            x[i] -= x[k] * M[k, i]
    for k in range(m - 1, -1, -1):
        total = x[k]
        for i in range(k + 1, m):
            total -= M[k, i] * x[i]
        x[k] = total / M[k, k]
        if not np.isfinite(x[k]):
            return False
    return True


@jit_inner
def _gain(G, q, w, used, new, l1, l2):  # type: ignore[no-untyped-def]
    """By how much the objective changes if the weights `used` become `new`."""
    total = 0.0
    for a in range(used.shape[0]):
        i = used[a]
        t = new[a] - w[i]
        if t != 0.0:
            curved = 0.0
            row = G[i]
            for b in range(used.shape[0]):
                curved += row[used[b]] * (new[b] - w[used[b]])
            total += t * (0.5 * (curved + l2 * t) + l2 * w[i] - q[i]) + l1 * (abs(new[a]) - abs(w[i]))
    return total


@jit_inner
def _newton(G, q, w, l1, l2):  # type: ignore[no-untyped-def]
    """The minimum for these signs, or the point on the way there where a weight would change its sign.

    True if w has moved; q is left as it was.
    """
    m, many = w.shape[0], 0
    used = np.empty(m, np.int64)
    for j in range(m):
        if w[j] != 0.0:
            used[many] = j
            many += 1
    used = used[:many]
    if many == 0:
        return False
    M, change = np.empty((many, many)), np.empty(many)
    solved, more = False, 0.0
    for _ in range(2):
        # columns that depend on each other: a little more on the diagonal makes a long step along what changes the
        # penalty alone, up to the first sign that changes
        for a in range(many):
            i = used[a]
            for b in range(a, many):
                M[a, b] = G[i, used[b]]
            M[a, 0] = G[i, i] + l2
            M[a, a] = G[i, i] + l2 + more
            change[a] = q[i] - (l1 if w[i] > 0.0 else -l1) - l2 * w[i]
        if _solve_definite(M, change):
            solved = True
            break
        for a in range(many):
            more = max(more, DEPENDENT * (G[used[a], used[a]] + l2))
    if not solved:
        return False
    first, step = np.empty(many), 1.0
    new, crosses = np.empty(many), False
    for a in range(many):
        old = w[used[a]]
        new[a] = old + change[a]
        if old * new[a] < 0.0:
            crosses = True
            step = min(step, -old / change[a])
    if crosses:
        for a in range(many):
            old = w[used[a]]
            first[a] = old + step * change[a]
            if old * first[a] < 0.0 or (old * new[a] < 0.0 and -old / change[a] <= step):
                first[a] = 0.0
            if old * new[a] < 0.0:
                new[a] = 0.0
        # all of the way, with zeros for those that would cross, is often better: many leave at once
        if not _gain(G, q, w, used, new, l1, l2) < _gain(G, q, w, used, first, l1, l2):
            new = first
    if not _gain(G, q, w, used, new, l1, l2) < 0.0:
        return False
    for a in range(many):
        w[used[a]] = new[a]
    return True


@jit_inner
def _gap(q, w, l1, l2, positive, square, product):  # type: ignore[no-untyped-def]
    """Primal objective and duality gap; `square` is ``||t - A w||^2``, `product` ``t'(t - A w)``.

    The residual is a point of the dual: scaled with the d more rows sqrt(l2) I that make an elastic net a lasso, or as
    it is, where an L2 part pays for what is above l1. The better one counts.
    """
    lengths, sizes, largest, excess = 0.0, 0.0, 0.0, 0.0
    for j in range(w.shape[0]):
        lengths += w[j] * w[j]
        sizes += abs(w[j])
        slope = q[j] - l2 * w[j]
        largest = max(largest, slope if positive else abs(slope))
        above = (q[j] if positive else abs(q[j])) - l1
        if above > 0.0:
            excess += above * above
    primal = 0.5 * square + l1 * sizes + 0.5 * l2 * lengths
    s = min(1.0, l1 / largest) if largest > 0.0 else 1.0
    dual = s * product - 0.5 * s * s * (square + l2 * lengths)
    if l2 > 0.0:
        dual = max(dual, product - 0.5 * square - excess / (2.0 * l2))
    return primal, primal - dual


@jit_inner
def _minimise(G, q, w, l1, l2, positive, square, product, right, target, least, size, sweeps, most):  # type: ignore[no-untyped-def]
    m = w.shape[0]
    start, slopes = w.copy(), q.copy()
    before, primal, gap = np.inf, np.inf, np.inf
    for _ in range(most):
        _descend(G, q, w, l1, l2, positive, sweeps, 1e-3)
        if _newton(G, q, w, l1, l2):
            for j in range(m):
                q[j] = slopes[j]
            for j in range(m):
                t = w[j] - start[j]
                if t != 0.0:
                    row = G[j]
                    for k in range(m):
                        q[k] -= t * row[k]
        square_now, product_now = square, product
        for j in range(m):
            t = w[j] - start[j]
            square_now -= (slopes[j] + q[j]) * t
            product_now -= right[j] * t
        square_now = max(square_now, 0.0)
        primal, gap = _gap(q, w, l1, l2, positive, square_now, product_now)
        # at the optimum of these signs neither the sweeps nor Newton's step find anything, and the gap is rounding
        if gap <= max(target * primal, least * size) or not primal < before - 1e-14 * max(size, primal):
            break
        before = primal
    return primal, gap


@jit
def gram_minimum(G, q, w, l1, l2, positive, square, product, right, target, least, size, sweeps, most):  # type: ignore[no-untyped-def]
    """Sweeps of coordinate descent and Newton's step in turn, until the gap is `target` of the objective.

    `size` is that of the sums that the objective is the difference of: a gap of `least` times it is their rounding.
    ``q = A'(t - A w)`` and w are kept up to date; `square` and `product` are ``||t - A w||^2`` and ``t'(t - A w)`` at
    the start, `right` is A't. Returns the objective and the gap.
    """
    return _minimise(G, q, w, l1, l2, positive, square, product, right, target, least, size, sweeps, most)


@jit
def gram_path(G, right, square, alphas, l1_ratio, positive, tolerance, sweeps, most, weights, gaps):  # type: ignore[no-untyped-def]
    """Minima along falling alphas, each from the last; the first from `weights[0]`.

    Row k + 1 of `weights` is the minimum of ``alphas[k]``, ``gaps[k]`` its relative gap; `square` is ||t||^2. Returns
    how many were found: it ends where the objective is so small that ``||t||^2 - ...`` leaves too few digits of it.
    """
    m = right.shape[0]
    q = np.empty(m)
    for place in range(alphas.shape[0]):
        w = weights[place + 1]
        for j in range(m):
            w[j] = weights[place, j]
            q[j] = right[j]
        for j in range(m):
            if w[j] != 0.0:
                row = G[j]
                for k in range(m):
                    q[k] -= w[j] * row[k]
        rest, product = square, square
        for j in range(m):
            rest -= w[j] * (right[j] + q[j])
            product -= w[j] * right[j]
        l1, l2 = alphas[place] * l1_ratio, alphas[place] * (1.0 - l1_ratio)
        primal, gap = _minimise(
            G, q, w, l1, l2, positive, max(rest, 0.0), product, right, tolerance, 0.0, 0.0, sweeps, most
        )
        if not primal > 1e-9 * square:
            return place
        gaps[place] = max(gap, 0.0) / primal
        if not gap <= tolerance * primal:
            return place
    return alphas.shape[0]
