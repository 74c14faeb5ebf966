"""Compiled pieces of the lasso: coordinate descent on a quadratic whose matrix is formed."""

from __future__ import annotations

from ...engine import jit


@jit
def gram_descent(G, q, w, l1, l2, positive, most, accuracy):  # type: ignore[no-untyped-def]
    """Sweeps over all weights until the moves, in units of the objective, are `accuracy` of the largest sweep's.

    ``q = A'(t - A w)`` and w are kept up to date. A weight that stays costs nothing, one that moves a row of G.
    """
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
