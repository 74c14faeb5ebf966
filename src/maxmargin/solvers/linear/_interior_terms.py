"""The loops over samples of the interior-point method: see `interior_point` for the formulas.

Every piecewise linear loss is a sum of hinges, c max(0, a - s f), one or two a sample. Arrays of terms have shape
(hinges a sample, samples).
"""

from __future__ import annotations

import numpy as np

from ...engine import jit


def hinges(name: str, y: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Offsets a and signs s of a loss as a sum of hinges."""
    if name == "epsilon_insensitive":
        ones = np.ones_like(y)
        return np.stack([y - epsilon, -(y + epsilon)]), np.stack([ones, -ones])
    offset = {"hinge": 1.0, "perceptron": 0.0}[name]
    return np.full((1, len(y)), offset), y[None].copy()


@jit
def on_path(a, s, c, f, tau, alpha, xi, r):  # type: ignore[no-untyped-def]
    """The multipliers and slacks with all products equal to tau, and the sum of smoothed losses.

    With g = a - s f: tau / (c - alpha) - tau / alpha = g, a quadratic equation in alpha. The smoothed loss is
    max over alpha of alpha g + tau log(alpha (c - alpha)).
    """
    total = 0.0
    for t in range(a.shape[0]):
        for i in range(a.shape[1]):
            if c[i] > 0:
                g = a[t, i] - s[t, i] * f[i]
                root = np.sqrt(g * g * c[i] * c[i] + 4 * tau * tau)
                # the smaller of the two multipliers without cancellation
                small = 2 * tau * c[i] / (abs(g) * c[i] + 2 * tau + root)
                if g > 0:
                    alpha[t, i] = c[i] - small
                    xi[t, i] = tau / small
                    r[t, i] = tau / (c[i] - small)
                else:
                    alpha[t, i] = small
                    xi[t, i] = tau / (c[i] - small)
                    r[t, i] = tau / small
                total += alpha[t, i] * g + tau * np.log(small * (c[i] - small))
    return total


@jit
def system(s, c, alpha, xi, r, centre, cross_r, cross_xi, h, q):  # type: ignore[no-untyped-def]
    """Curvatures h and right-hand side q of the Newton system, for a target product `centre`.

    cross_r and cross_xi are the second-order products of the predictor (zero for the predictor itself).
    """
    for i in range(h.shape[0]):
        h[i] = 0.0
        q[i] = 0.0
        for t in range(s.shape[0]):
            if c[i] > 0:
                mu = c[i] - alpha[t, i]
                e1 = centre - alpha[t, i] * r[t, i] - cross_r[t, i]
                e2 = centre - mu * xi[t, i] - cross_xi[t, i]
                D = xi[t, i] / mu + r[t, i] / alpha[t, i]
                h[i] += 1 / D
                q[i] += s[t, i] * (e1 / alpha[t, i] - e2 / mu) / D


@jit
def directions(s, c, alpha, xi, r, centre, cross_r, cross_xi, df, d_alpha, d_xi, d_r):  # type: ignore[no-untyped-def]
    """Changes of multipliers and slacks that belong to a change df of the decision values; the longest step."""
    longest = 1e30
    for t in range(s.shape[0]):
        for i in range(df.shape[0]):
            if c[i] > 0:
                mu = c[i] - alpha[t, i]
                e1 = centre - alpha[t, i] * r[t, i] - cross_r[t, i]
                e2 = centre - mu * xi[t, i] - cross_xi[t, i]
                D = xi[t, i] / mu + r[t, i] / alpha[t, i]
                da = (e1 / alpha[t, i] - e2 / mu - s[t, i] * df[i]) / D
                dr = (e1 - r[t, i] * da) / alpha[t, i]
                dx = (e2 + xi[t, i] * da) / mu
                d_alpha[t, i], d_r[t, i], d_xi[t, i] = da, dr, dx
                if da < 0:
                    longest = min(longest, -alpha[t, i] / da)
                elif da > 0:
                    longest = min(longest, mu / da)
                if dr < 0:
                    longest = min(longest, -r[t, i] / dr)
                if dx < 0:
                    longest = min(longest, -xi[t, i] / dx)
    return longest


@jit
def complementarity(c, alpha, xi, r, step, d_alpha, d_xi, d_r):  # type: ignore[no-untyped-def]
    """``sum alpha r + mu xi`` after a step, and the number of products."""
    total, count = 0.0, 0
    for t in range(alpha.shape[0]):
        for i in range(alpha.shape[1]):
            if c[i] > 0:
                x = alpha[t, i] + step * d_alpha[t, i]
                total += x * (r[t, i] + step * d_r[t, i]) + (c[i] - x) * (xi[t, i] + step * d_xi[t, i])
                count += 2
    return total, count


@jit
def advance(a, s, c, f, alpha, xi, r, step, d_alpha, d_xi, d_r):  # type: ignore[no-untyped-def]
    """Take the step; the difference of the two slacks is that of the new decision values, free of drift.

    A multiplier that rounding would set on its bound stays a hair's breadth inside.
    """
    for t in range(alpha.shape[0]):
        for i in range(alpha.shape[1]):
            if c[i] > 0:
                x = alpha[t, i] + step * d_alpha[t, i]
                alpha[t, i] = min(max(x, 1e-16 * c[i]), c[i] * (1 - 1e-16))
                if alpha[t, i] >= c[i]:
                    alpha[t, i] = c[i] * (1 - 2.3e-16)
                g = a[t, i] - s[t, i] * f[i]
                new_xi, new_r = xi[t, i] + step * d_xi[t, i], r[t, i] + step * d_r[t, i]
                if new_xi < new_r:
                    new_r = max(new_r, new_xi - g) if g < 0 else new_r
                    xi[t, i], r[t, i] = max(new_xi, 1e-300), max(new_xi - g, 1e-300) if new_xi - g > 0 else new_r
                else:
                    xi[t, i], r[t, i] = max(new_r + g, 1e-300) if new_r + g > 0 else new_xi, max(new_r, 1e-300)


@jit
def signed(s, c, alpha, beta):  # type: ignore[no-untyped-def]
    """``beta_i = sum_t s alpha``."""
    for i in range(beta.shape[0]):
        beta[i] = 0.0
        for t in range(s.shape[0]):
            if c[i] > 0:
                beta[i] += s[t, i] * alpha[t, i]
