"""From a fitted estimator, its data and its weights to intervals that contain the optima of its problems.

Of the estimator only parameters are read, and what they leave open: the classes and their weights, and gamma where it
depends on the data. Numbers are taken as exact: the bound of a sample is the product of C, its weight and that of its
class, as real numbers (or as float64 numbers, where `ROUNDED` is set to see what that difference makes).
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import inf

import numpy as np
import scipy.sparse as sp

from . import programmes
from .quadratic import is_narrow, solve
from .smooth import solve_logistic

ROUNDED = False
_LINEAR = ("linear", 0, 0, 0)


@dataclass(frozen=True)
class Optimum:
    """An interval of fractions (the upper end may be infinite) and whether it is narrow."""

    low: Fraction
    high: Fraction | float
    settled: bool


def optima(model, X, y, sample_weight=None):
    """One for each of ``certificate_.problems``, in that order."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    y = None if y is None else np.asarray(y)
    weight = np.ones(len(X)) if sample_weight is None else np.maximum(np.asarray(sample_weight, dtype=float), 0.0)
    return _OF[type(model).__name__](model, X, y, weight)


def times(*numbers):
    """Their product."""
    if ROUNDED:
        product = 1.0
        for x in reversed(numbers):  # as the weights of sample and class are multiplied before C is
            product *= float(x)
        return Fraction(product)
    product = Fraction(1)
    for x in numbers:
        product *= Fraction(x)
    return product


def one_minus(ratio):
    return Fraction(1.0 - float(ratio)) if ROUNDED else 1 - Fraction(ratio)


def _settled(make):
    (low, high), settled = solve(make)
    return Optimum(low, high, settled)


def _widest_margin(make):
    """The hard margin has 1/2 ||w||^2 = 1 / v, v being half the squared distance of the hulls."""
    (low, high), settled = solve(make)
    if high <= 0:
        return Optimum(Fraction(0), inf, False)
    return Optimum(1 / high, 1 / low if low > 0 else inf, settled)


def distance_of_hulls(model, X, y, sample_weight=None):
    """Intervals of the squared distances of the classes' hulls, relative to the longest sample, one a problem."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    weight = np.ones(len(X)) if sample_weight is None else np.maximum(np.asarray(sample_weight, dtype=float), 0.0)
    classes = np.unique(y)
    label = np.searchsorted(classes, y)
    linear = type(model).__name__ == "LinearSVC"
    kernel = _LINEAR if linear else kernel_of(model, X, weight)
    rest = linear or model.multi_class == "ovr"
    out = []
    for rows, sign in sides(label, len(classes), weight, rest):
        (low, high), _ = solve(lambda bits, r=rows, s=sign: programmes.hulls(kernel, part(kernel, X, r), s, bits))
        K = programmes.matrix(kernel, part(kernel, X, rows), 256)
        scale = Fraction(max(int(v) for v in np.diagonal(K)), 1 << 256)
        out.append((2 * low / scale, 2 * high / scale) if scale else (Fraction(0), Fraction(0)))
    return out


# ---------------------------------------------------------------- kernel machines


def kernel_of(model, X=None, weight=None):
    """Of a fitted model; one whose fit was refused has no gamma of its own, and the rows and weights give it."""
    gamma = getattr(model, "_gamma", model.gamma)
    if gamma == "scale":
        mean = np.average(X.mean(axis=1), weights=weight)
        gamma = 1.0 / (X.shape[1] * np.average(((X - mean) ** 2).mean(axis=1), weights=weight))
    return model.kernel, gamma, model.coef0, model.degree


def part(kernel, X, rows):
    return X[np.ix_(rows, rows)] if kernel[0] == "precomputed" else X[rows]


def sides(label, classes, weight, rest=False):
    """Rows and signs of each binary problem."""
    present = weight > 0
    if classes == 2:
        rows = np.flatnonzero(present)
        return [(rows, np.where(label[rows] == 1, 1, -1).tolist())]
    if rest:
        rows = np.flatnonzero(present)
        return [(rows, np.where(label[rows] == k, 1, -1).tolist()) for k in range(classes)]
    out = []
    for a, b in combinations(range(classes), 2):
        rows = np.flatnonzero(present & ((label == a) | (label == b)))
        out.append((rows, np.where(label[rows] == a, 1, -1).tolist()))
    return out


def _svc(model, X, y, weight):
    kernel, label = kernel_of(model), np.searchsorted(model.classes_, y)
    out = []
    for rows, sign in sides(label, len(model.classes_), weight, model.multi_class == "ovr"):
        rows_of = part(kernel, X, rows)
        if model.C == inf:
            out.append(_widest_margin(lambda bits, Z=rows_of, s=sign: programmes.hulls(kernel, Z, s, bits)))
            continue
        C = [times(model.C, weight[i], model.class_weight_[label[i]]) for i in rows]
        out.append(_settled(lambda bits, Z=rows_of, s=sign, c=C: programmes.classifier(kernel, Z, s, c, bits)))
    return out


def _nusvc(model, X, y, weight):
    kernel, label = kernel_of(model), np.searchsorted(model.classes_, y)
    out = []
    for rows, sign in sides(label, len(model.classes_), weight):
        C = [times(weight[i], model.class_weight_[label[i]]) for i in rows]
        Z = part(kernel, X, rows)
        out.append(_settled(lambda bits, Z=Z, s=sign, c=C: programmes.nu_classifier(kernel, Z, s, c, model.nu, bits)))
    return out


def _svr(model, X, y, weight):
    kernel, rows = kernel_of(model), np.flatnonzero(weight > 0)
    C, Z = [times(model.C, weight[i]) for i in rows], part(kernel, X, rows)
    return [_settled(lambda bits: programmes.regressor(kernel, Z, y[rows].tolist(), C, model.epsilon, bits))]


def _nusvr(model, X, y, weight):
    kernel, rows = kernel_of(model), np.flatnonzero(weight > 0)
    C, Z = [times(model.C, weight[i]) for i in rows], part(kernel, X, rows)
    return [_settled(lambda bits: programmes.nu_regressor(kernel, Z, y[rows].tolist(), C, model.nu, bits))]


def _one_class(model, X, y, weight):
    kernel, rows = kernel_of(model), np.flatnonzero(weight > 0)
    C, Z = [Fraction(w) for w in weight[rows]], part(kernel, X, rows)
    return [_settled(lambda bits: programmes.one_class(kernel, Z, C, model.nu, bits))]


# ---------------------------------------------------------------- linear machines


def binary_risk(X, sign, C, loss, l1, l2, intercept, start=None):
    """sum_i C_i loss(y_i f_i) + l1 ||w||_1 + l2/2 ||w||^2."""
    used = [i for i, c in enumerate(C) if c > 0]
    X, sign, C = X[used], [int(sign[i]) for i in used], [C[i] for i in used]
    if loss == "perceptron":  # w = 0 has no loss at all
        return Optimum(Fraction(0), Fraction(0), True)
    if loss == "logistic":
        label = [(s + 1) // 2 for s in sign]
        (low, high), settled = solve_logistic(X, label, 2, C, l1, l2, intercept, start)
        return Optimum(low, high, settled)
    if l1 or not l2:
        return _settled(lambda bits: programmes.penalised(X, sign, C, loss, l1, l2, bits, intercept))
    scaled = [c / l2 for c in C]  # only the elastic net with no L1 part at all has another l2 than 1
    make = {
        "hinge": programmes.classifier,
        "squared_hinge": programmes.squared_classifier,
        "squared": programmes.least_squares,
    }[loss]
    found = _settled(lambda bits: make(_LINEAR, X, sign, scaled, bits, intercept))
    return Optimum(found.low * l2, found.high * l2, found.settled)


def _classes(model, y, weight, C):
    label = np.searchsorted(model.classes_, y)
    return label, [times(C, w, model.class_weight_[k]) for w, k in zip(weight, label, strict=True)]


def _one_a_class(model, X, y, weight, loss, l1, l2):
    label, C = _classes(model, y, weight, 1.0 if model.C == inf else model.C)
    k = len(model.classes_)
    numbers = [1] if k == 2 else range(k)
    theta = np.column_stack([np.atleast_2d(model.coef_), model.intercept_])
    return [
        binary_risk(X, np.where(label == c, 1, -1), C, loss, l1, l2, model.fit_intercept, theta[[i]])
        for i, c in enumerate(numbers)
    ]


def _linear_svc(model, X, y, weight):
    label, k = np.searchsorted(model.classes_, y), len(model.classes_)
    if model.C == inf:
        return [
            _widest_margin(lambda bits, r=rows, s=sign: programmes.hulls(_LINEAR, X[r], s, bits))
            for rows, sign in sides(label, k, weight, True)
        ]
    if model.multi_class == "crammer_singer":
        _, C = _classes(model, y, weight, model.C)
        used = [i for i, c in enumerate(C) if c > 0]
        rows, own, C = X[used], label[used], [C[i] for i in used]
        if k == 2:  # the certificate is that of the equivalent hinge, whose penalty is twice this one's
            return [binary_risk(rows, 2 * own - 1, [2 * c for c in C], "hinge", 0, 1, model.fit_intercept)]
        return [_settled(lambda bits: programmes.crammer_singer(rows, own, k, C, bits, model.fit_intercept))]
    l1 = int(model.penalty == "l1")
    return _one_a_class(model, X, y, weight, model.loss, l1, 1 - l1)


def _linear_svr(model, X, y, weight):
    rows = np.flatnonzero(weight > 0)
    C = [times(model.C, weight[i]) for i in rows]
    squared = model.loss.startswith("squared")
    data = (_LINEAR, X[rows], y[rows].tolist(), C, model.epsilon)
    return [_settled(lambda bits: programmes.regressor(*data, bits, model.fit_intercept, squared))]


def _penalty(name, ratio):
    return {"l2": (0, 1), "l1": (1, 0), "none": (0, 0), None: (0, 0)}.get(name) or (Fraction(ratio), one_minus(ratio))


def _linear_classifier(model, X, y, weight):
    loss = {"log_loss": "logistic", "squared_error": "squared"}.get(model.loss, model.loss)
    return _one_a_class(model, X, y, weight, loss, *_penalty(model.penalty, model.l1_ratio))


def _logistic(model, X, y, weight):
    l1, l2 = (0, 0) if model.C == inf else _penalty(model.penalty, model.l1_ratio)
    k = len(model.classes_)
    if k == 2:
        return _one_a_class(model, X, y, weight, "logistic", l1, l2)
    label, C = _classes(model, y, weight, 1.0 if model.C == inf else model.C)
    used = [i for i, c in enumerate(C) if c > 0]
    start = np.column_stack([model.coef_, model.intercept_])
    C = [C[i] for i in used]
    (low, high), settled = solve_logistic(X[used], label[used], k, C, l1, l2, model.fit_intercept, start)
    return [Optimum(low, high, settled)]


def _ridge(model, X, y, weight):
    rows = np.flatnonzero(weight > 0)
    targets = y.reshape(len(y), -1)[rows].astype(np.float64)
    low = high = Fraction(0)
    for t in targets.T:
        data = (X[rows], t.tolist(), weight[rows].tolist(), model.alpha)
        (a, b), _ = solve(lambda bits, data=data: programmes.ridge(*data, bits, model.fit_intercept))
        low, high = low + a, high + b
    return [Optimum(low, high, is_narrow(low, high))]


_OF = {
    "SVC": _svc,
    "NuSVC": _nusvc,
    "SVR": _svr,
    "NuSVR": _nusvr,
    "OneClassSVM": _one_class,
    "LinearSVC": _linear_svc,
    "LinearSVR": _linear_svr,
    "LinearClassifier": _linear_classifier,
    "LogisticRegression": _logistic,
    "Ridge": _ridge,
}
