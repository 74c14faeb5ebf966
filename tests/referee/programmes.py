"""The quadratic programmes of the machines, from their documented objectives.

Kernel machines and all that has only an L2 penalty are stated in the dual, in signed multipliers (one a sample, or two
for a tube); other penalties in the primal, with positive and negative parts of the weights. Numbers of the data are
scaled by powers of two, which is exact, so that the largest entries are about 1.
"""

from fractions import Fraction

import numpy as np

from .arithmetic import array, number, power_of_two, zeros
from .kernels import largest_exponent, matrix
from .quadratic import Programme

_FAR = 200  # variables without a bound are below 2**200: their objective would be beyond that of the start


def _scaled(values, exponent, bits):
    """Fractions times a power of two, in fixed-point numbers."""
    factor = Fraction(2) ** exponent
    return array(np.array([Fraction(v) * factor for v in values], dtype=object), bits)


def _groups(group, bits):
    """A, with a row for each group of variables."""
    A = zeros(max(group) + 1 if group else 0, len(group))
    for i, g in enumerate(group):
        A[g, i] = 1 << bits
    return A


def _filled(lower, upper, group, s):
    """A feasible point: from zero (or the bound next to it), variables go to their bounds until the sums are right."""
    x = np.minimum(np.maximum(lower, 0), upper)
    for g, total in enumerate(s):
        for i in range(len(x)):
            if group[i] == g:
                missing = total - sum(x[j] for j in range(len(x)) if group[j] == g)
                if not missing:
                    break
                x[i] = min(max(x[i] + missing, lower[i]), upper[i])
    return x


def kernel_programme(kernel, X, p, lower, upper, group, totals, bits, *, curvature=None, sample=None):
    """The box programme of a kernel machine; p, bounds, totals and curvatures are fractions, None a bound at infinity.

    With K = kappa K' and p = eta p' the programme is solved in beta' = beta kappa / eta.
    """
    K = matrix(kernel, X, bits)
    kappa = largest_exponent(K, bits)
    K = K >> kappa if kappa >= 0 else matrix_again(kernel, X, bits, -kappa)
    sample = np.arange(len(p)) if sample is None else sample
    Q = K[np.ix_(sample, sample)].copy()
    sizes = [*p] if any(p) else [b for b in (*lower, *upper) if b is not None]
    eta = max((power_of_two(v) for v in sizes), default=0) + (0 if any(p) else kappa)
    shift = kappa - eta
    if curvature is not None:
        for i, c in enumerate(curvature):
            Q[i, i] += number(Fraction(c) / Fraction(2) ** kappa, bits)
    far = Fraction(2) ** _FAR
    low = _scaled([-far / Fraction(2) ** shift if v is None else v for v in lower], shift, bits)
    high = _scaled([far / Fraction(2) ** shift if v is None else v for v in upper], shift, bits)
    s = _scaled(totals, shift, bits) if len(totals) else zeros(0)
    A = _groups(group, bits) if len(totals) else zeros(0, len(p))
    x = _filled(low, high, group, s)
    scale = Fraction(2) ** (2 * eta - kappa)
    return Programme(Q, _scaled(p, -eta, bits), low, high, A, s, x, bits, scale)


def matrix_again(kernel, X, bits, more):
    """The matrix times ``2**more``, where its entries are so small that bits would be lost."""
    return matrix(kernel, X, bits + more)


def classifier(kernel, X, sign, C, bits, intercept=True):
    """1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i f_i)."""
    lower, upper = _box(sign, C)
    group, totals = ([0] * len(sign), [0]) if intercept else ([], [])
    p = [Fraction(int(s)) for s in sign]
    return kernel_programme(kernel, X, p, lower, upper, group, totals, bits)


def squared_classifier(kernel, X, sign, C, bits, intercept=True):
    """1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i f_i)^2."""
    lower = [0 if s > 0 else None for s in sign]
    upper = [None if s > 0 else 0 for s in sign]
    group, totals = ([0] * len(sign), [0]) if intercept else ([], [])
    p, curvature = [Fraction(int(s)) for s in sign], [1 / (2 * c) for c in C]
    return kernel_programme(kernel, X, p, lower, upper, group, totals, bits, curvature=curvature)


def least_squares(kernel, X, y, C, bits, intercept=True):
    """1/2 ||w||^2 + sum_i C_i/2 (y_i - f_i)^2."""
    nothing = [None] * len(y)
    group, totals = ([0] * len(y), [0]) if intercept else ([], [])
    return kernel_programme(
        kernel, X, [Fraction(v) for v in y], nothing, nothing, group, totals, bits, curvature=[1 / c for c in C]
    )


def regressor(kernel, X, y, C, epsilon, bits, intercept=True, squared=False):
    """1/2 ||w||^2 + sum_i C_i max(0, |y_i - f_i| - epsilon), or the square of that loss."""
    n = len(y)
    p = [Fraction(v) - Fraction(epsilon) for v in y] + [Fraction(v) + Fraction(epsilon) for v in y]
    most = [None] * n if squared else list(C)
    lower, upper = [0] * n + [None if c is None else -c for c in most], most + [0] * n
    group, totals = ([0] * 2 * n, [0]) if intercept else ([], [])
    curvature = [1 / (2 * c) for c in C] * 2 if squared else None
    options = {"curvature": curvature, "sample": np.tile(np.arange(n), 2)}
    return kernel_programme(kernel, X, p, lower, upper, group, totals, bits, **options)


def nu_regressor(kernel, X, y, C, nu, bits):
    """1/2 ||w||^2 + sum_i C_i max(0, |y_i - f_i| - epsilon) + nu sum_i C_i epsilon, over epsilon >= 0 as well."""
    n, half = len(y), Fraction(nu) * sum(C) / 2
    p = [Fraction(v) for v in y] * 2
    lower, upper = [0] * n + [-c for c in C], list(C) + [0] * n
    options = {"sample": np.tile(np.arange(n), 2)}
    return kernel_programme(kernel, X, p, lower, upper, [0] * n + [1] * n, [half, -half], bits, **options)


def nu_classifier(kernel, X, sign, weight, nu, bits):
    """1/2 ||w||^2 - nu/2 sum_i s_i rho ... in the dual: each class's multipliers sum to nu/2 times all weights."""
    half = min(
        Fraction(nu) * sum(weight) / 2, *(sum(w for w, s in zip(weight, sign, strict=True) if s == k) for k in (1, -1))
    )
    lower, upper = _box(sign, weight)
    group = [0 if s > 0 else 1 for s in sign]
    return kernel_programme(kernel, X, [0] * len(sign), lower, upper, group, [half, -half], bits)


def one_class(kernel, X, weight, nu, bits):
    """1/2 ||w||^2 + sum_i s_i max(0, rho - f_i) - nu rho sum_i s_i."""
    n = len(weight)
    total = Fraction(nu) * sum(weight)
    return kernel_programme(kernel, X, [0] * n, [0] * n, list(weight), [0] * n, [total], bits)


def hulls(kernel, X, sign, bits):
    """Half the squared distance of the convex hulls of the classes."""
    lower, upper = _box(sign, [Fraction(1)] * len(sign))
    group = [0 if s > 0 else 1 for s in sign]
    programme = kernel_programme(kernel, X, [0] * len(sign), lower, upper, group, [1, -1], bits)
    programme.maximise = False
    return programme


def _box(sign, C):
    return [0 if s > 0 else -c for s, c in zip(sign, C, strict=True)], [
        c if s > 0 else 0 for s, c in zip(sign, C, strict=True)
    ]


def crammer_singer(X, label, k, C, bits, intercept=True):
    """1/2 sum_k ||w_k||^2 + sum_i C_i max_k (e_ik + f_ik - f_i,y_i), in alpha (sample by sample)."""
    n = len(label)
    K = matrix(("linear", 0, 0, 0), X, bits)
    kappa = largest_exponent(K, bits)
    K = K >> kappa if kappa >= 0 else matrix_again(("linear", 0, 0, 0), X, bits, -kappa)
    Q, A = zeros(n * k, n * k), zeros(n + (k - 1 if intercept else 0), n * k)
    for c in range(k):
        Q[c::k, c::k] = K
    p, lower, upper = [], [], []
    for i in range(n):
        for c in range(k):
            own = c == label[i]
            p.append(Fraction(0 if own else -1))
            lower.append(Fraction(0) if own else -C[i])
            upper.append(C[i] if own else Fraction(0))
            A[i, i * k + c] = 1 << bits
            if intercept and c < k - 1:
                A[n + c, i * k + c] = 1 << bits
    low, high = _scaled(lower, kappa, bits), _scaled(upper, kappa, bits)
    scale = Fraction(1) / Fraction(2) ** kappa
    return Programme(Q, _scaled(p, 0, bits), low, high, A, zeros(len(A)), zeros(n * k), bits, scale)


def penalised(X, y, C, loss, l1, l2, bits, intercept=True):
    """sum_i C_i loss(y_i f_i) + l1 ||w||_1 + l2/2 ||w||^2, in the primal: weights, intercept, slack and surplus.

    Rows of A: y_i (<x_i, w> + b) + slack_i - surplus_i = 1; the squared loss has a slack of any sign and no surplus.
    """
    n, d = X.shape
    exponents = [power_of_two(float(np.abs(X[:, j]).max(initial=0.0))) for j in range(d)]
    rows = array(X, bits)
    columns, lower, Q, p = [], [], [], []
    signs = [1, -1] if l1 > 0 else [1]
    far = 1 << (bits + _FAR)
    for j, e in enumerate(exponents):
        column = (rows[:, j] >> e if e >= 0 else rows[:, j] << -e) * np.array([int(v) for v in y], dtype=object)
        for part in signs:
            columns.append(part * column)
            lower.append(0 if l1 > 0 else -far)
            Q.append((j, part, number(Fraction(l2) / Fraction(4) ** e, bits)))
            p.append(-number(Fraction(l1) / Fraction(2) ** e, bits))
    if intercept:
        columns.append(np.array([int(v) << bits for v in y], dtype=object))
        lower.append(-far)
        p.append(0)
    weights = len(columns)
    slack = [zeros(n) for _ in range(n)]
    for i in range(n):
        slack[i][i] = 1 << bits
    columns += slack
    squared = loss == "squared"
    lower += [-far if squared else 0] * n
    p += [-number(c, bits) if loss == "hinge" else 0 for c in C]
    if not squared:
        columns += [-column for column in slack]
        lower += [0] * n
        p += [0] * n
    size = len(columns)
    matrix_ = zeros(size, size)
    for a, (j, s, value) in enumerate(Q):
        for b, (k, t, _) in enumerate(Q):
            if j == k:
                matrix_[a, b] = s * t * value
    for i in range(n):
        if loss != "hinge":
            matrix_[weights + i, weights + i] = number(C[i] if squared else 2 * C[i], bits)
    start = zeros(size)
    start[weights : weights + n] = 1 << bits
    upper = zeros(size) + far
    A = np.array(columns, dtype=object).T.reshape(n, size)
    lower = np.array(lower, dtype=object)
    programme = Programme(matrix_, np.array(p, dtype=object), lower, upper, A, zeros(n) + (1 << bits), start, bits)
    programme.maximise, programme.order = False, list(range(weights, weights + n))
    return programme


def ridge(X, y, weights, alpha, bits, intercept=True):
    """sum_i s_i (y_i - f_i)^2 + alpha ||w||^2, which is 2 alpha times the least squares with C_i = s_i / alpha."""
    C = [Fraction(s) / Fraction(alpha) for s in weights]
    programme = least_squares(("linear", 0, 0, 0), X, y, C, bits, intercept)
    programme.scale *= 2 * Fraction(alpha)
    return programme
