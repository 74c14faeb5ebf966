"""From an interior point's answer to the exact one: solve the equations of the samples on the margin boundary.

Near the optimum each hinge is settled (multiplier 0 or c) or on its kink (a - s f = 0), and each weight is zero (L1)
or not. The optimality conditions of those that are not settled are linear:

    l2 w_A + l1 sign(w_A) = X_A' beta,   sum beta = 0,   s_E f_E = a_E      in  w_A, b and the multipliers of E.
"""

from __future__ import annotations

import numpy as np

from ...problems import Risk

_LARGEST = 1500


def finish(
    problem: Risk, theta: np.ndarray, a: np.ndarray, s: np.ndarray, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The exact theta and slopes if the guess of what is settled is consistent, else None."""
    c, l1, l2 = problem.weights, problem.l1, problem.l2
    f = problem.decision(theta)
    width = np.where(c > 0, c, 1.0)
    share, distance = alpha / width, np.abs(a - s * f)
    # on the kink: both the multiplier has room and the decision value is there, whichever is the clearer
    kink = (c > 0) & (np.minimum(share, 1 - share) > distance / (1e-6 + distance + 1.0) + 1e-7) & (distance < 1e-3)
    hinge, sample = np.nonzero(kink)
    zero = 1e-7 * max(1.0, float(np.abs(theta[:-1]).max(initial=0.0))) if l1 > 0 else -1.0
    columns = np.flatnonzero(np.abs(theta[:-1]) > zero)
    size, count = len(columns) + problem.fit_intercept, len(sample)
    if not 0 < count + size <= _LARGEST:
        return None
    settled = np.where(kink, 0.0, np.where(share > 0.5, c, 0.0))
    fixed = (s * settled).sum(axis=0)
    E = problem.rows.dense(sample, np.zeros(problem.d), np.float64)[:, columns]
    if problem.fit_intercept:
        E = np.column_stack([E, np.ones(count)])
    sums = problem.transposed(fixed)
    right = np.append(sums[:-1][columns], sums[-1]) if problem.fit_intercept else sums[:-1][columns]
    right = right - np.append(l1 * np.sign(theta[:-1][columns]), [0.0] * problem.fit_intercept)
    sign = s[hinge, sample]
    M = np.zeros((size + count, size + count))
    M[: len(columns), : len(columns)] = l2 * np.eye(len(columns))
    M[:size, size:] = -E.T * sign
    M[size:, :size] = -(E * sign[:, None])
    solution = np.linalg.lstsq(M, np.append(right, -a[hinge, sample]), rcond=1e-13)[0]
    exact = np.zeros(problem.d + 1)
    exact[columns] = solution[: len(columns)]
    exact[-1] = solution[len(columns)] if problem.fit_intercept else 0.0
    multipliers = solution[size:]
    bound = c[sample]
    if not ((multipliers >= -1e-9 * bound) & (multipliers <= (1 + 1e-9) * bound)).all():
        return None
    if problem.value(exact) > problem.value(theta) * (1 + 1e-10):
        return None
    beta = fixed
    np.add.at(beta, sample, sign * np.clip(multipliers, 0.0, bound))
    return exact, np.where(c > 0, -beta / width, 0.0)
