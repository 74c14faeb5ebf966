"""Random problems at the edges of float64: every machine, kernel and weight, scales from 1e-12 to 1e12."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.linear_model import LinearClassifier, LogisticRegression, Ridge
from maxmargin.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

# How often each machine comes.
MACHINES = {
    "SVC": 5,
    "NuSVC": 2,
    "SVR": 3,
    "NuSVR": 2,
    "OneClassSVM": 2,
    "LinearSVC": 4,
    "LinearSVR": 2,
    "LinearClassifier": 3,
    "LogisticRegression": 3,
    "Ridge": 1,
}
_SMALLEST, _LARGEST = 2, 60  # samples
_JOINT = 20  # samples of a machine of all classes together: it has a multiplier for each of them and each class


@dataclass
class Case:
    """An estimator that is not fitted yet, and its data."""

    machine: str
    model: Any
    X: Any
    y: Any
    sample_weight: Any

    @property
    def kind(self):
        """The machine in a few words, as misses are counted by."""
        m = self.model
        words = [self.machine]
        if hasattr(m, "kernel"):
            words.append(m.kernel)
        for name in ("loss", "penalty"):
            if name in m.get_params() and self.machine in (
                "LinearSVC",
                "LinearSVR",
                "LinearClassifier",
                "LogisticRegression",
            ):
                words.append(str(getattr(m, name)))
        if getattr(m, "multi_class", None) == "crammer_singer":
            words[1:] = ["crammer_singer"]
        if getattr(m, "C", 1) == inf:
            words.append("C=inf")
        return " ".join(words)


def case(seed, number):
    """Problem `number` of a series."""
    rng = np.random.default_rng([seed, number])
    names = list(MACHINES)
    shares = np.array([MACHINES[name] for name in names], dtype=float)
    machine = str(rng.choice(names, p=shares / shares.sum()))
    n = round(_SMALLEST * (_LARGEST / _SMALLEST) ** rng.uniform(0, 1))
    regression = machine in ("SVR", "NuSVR", "LinearSVR", "Ridge")
    X = _rows(rng, n)
    y = _targets(rng, X) if regression else _labels(rng, X, machine)
    if not regression and machine != "OneClassSVM":
        X, y = _contradicted(rng, X, y)
    weight = _weights(rng, len(X), None if regression or machine == "OneClassSVM" else y)
    model = _MAKE[machine](rng, X, y)
    if getattr(model, "kernel", None) == "precomputed":
        X = _definite(rng, len(X))
    elif rng.random() < 0.2:
        X = sp.csr_array(X)
    return Case(machine, model, X, None if machine == "OneClassSVM" else y, weight)


# ---------------------------------------------------------------- data


def _log(rng, low, high):
    """A number between two powers of ten."""
    return float(10.0 ** rng.uniform(low, high))


def _rows(rng, n):
    d = int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    style = rng.integers(8)
    if style == 0:
        X = np.round(X)
    elif style == 1:
        X = X * 10.0 ** rng.uniform(-12, 12, size=d)
    elif style == 2:
        X = X * _log(rng, -12, 12)
    elif style == 3:
        X = X + _log(rng, 0, 6) * rng.choice([-1.0, 1.0])
    elif style == 4:
        X = X * 10.0 ** rng.uniform(-3, 3, size=d) + rng.normal(size=d) * 100
    if rng.random() < 0.2:
        X[:, rng.integers(d)] = _log(rng, -3, 3) * rng.integers(0, 2)
    if rng.random() < 0.25:  # rows that come several times
        X = X[rng.integers(0, max(1, n // 2), size=n)]
    if rng.random() < 0.15:
        X = np.where(rng.random(X.shape) < 0.6, 0.0, X)
    return np.ascontiguousarray(X, dtype=np.float32 if rng.random() < 0.25 else np.float64)


def _labels(rng, X, machine):
    n = len(X)
    several = machine in ("SVC", "NuSVC", "LinearSVC", "LogisticRegression", "LinearClassifier")
    k = 3 if several and n >= 6 and rng.random() < 0.2 else 2
    column = X[:, 0].astype(np.float64)
    spread = float(np.std(column)) or 1.0
    noise = rng.choice([0.0, 0.3, 1.0, 10.0])
    score = (column - column.mean()) / spread + noise * rng.normal(size=n)
    y = np.argsort(np.argsort(score, kind="stable"), kind="stable") * k // n
    if rng.random() < 0.2:  # unequal classes
        y = np.where(rng.random(n) < 0.8, 0, y)
    y[rng.permutation(n)[:k]] = np.arange(k)
    return y


def _contradicted(rng, X, y):
    if len(X) > 3 and rng.random() < 0.15:
        X = X.copy()
        a, b = np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]
        X[a] = X[b]
    return X, y


def _targets(rng, X):
    n = len(X)
    with np.errstate(over="ignore"):
        y = np.asarray(X[:, 0], dtype=np.float64) / (float(np.abs(X[:, 0]).max()) or 1.0) + rng.normal(
            size=n
        ) * rng.choice([0.0, 0.1, 1.0])
    style = rng.integers(5)
    if style == 0:
        y = np.round(y * 2)
    elif style == 1:
        y = y * _log(rng, -12, 12)
    elif style == 2:
        y = y + _log(rng, 0, 8)
    return y


def _weights(rng, n, y):
    """None mostly; else positive weights, some of them zero (but never all of a class)."""
    if rng.random() < 0.6:
        return None
    weight = rng.uniform(0.1, 2.0, size=n) if rng.random() < 0.7 else 10.0 ** rng.uniform(-6, 6, size=n)
    if rng.random() < 0.3:
        weight[rng.random(n) < 0.2] = 0.0
        for k in [None] if y is None else np.unique(y):
            members = np.arange(n) if k is None else np.flatnonzero(y == k)
            if not (weight[members] > 0).any():
                weight[members[0]] = 1.0
    return weight


def _definite(rng, n):
    """A kernel matrix that is positive semi-definite exactly: squares of whole numbers, times a power of two."""
    B = rng.integers(-9, 10, size=(n, int(rng.integers(1, n + 3)))).astype(np.float64)
    K = (B @ B.T) * 2.0 ** int(rng.integers(-40, 41))
    return K.astype(np.float32) if rng.random() < 0.2 else K


# ---------------------------------------------------------------- parameters


def _kernel(rng, X):
    size = float(np.abs(X).max()) or 1.0
    name = str(rng.choice(["linear", "poly", "rbf", "rbf", "precomputed"]))
    options = {"kernel": name}
    if name == "rbf":
        spread = float(np.square(X - X.mean(axis=0)).sum(axis=1).mean()) or 1.0
        options["gamma"] = _log(rng, -8, 20) if rng.random() < 0.4 else _log(rng, -2, 2) / spread
    elif name == "poly":
        options["gamma"] = _log(rng, -2, 2) / size**2 if rng.random() < 0.8 else _log(rng, -4, 4)
        options["coef0"] = float(rng.choice([0.0, 1.0, 0.1, 100.0]))
        options["degree"] = int(rng.integers(1, 5))
    if name in ("rbf", "poly") and rng.random() < 0.15:
        options["gamma"] = "scale"
    return options


def _price(rng):
    return _log(rng, -12, 12) if rng.random() < 0.35 else _log(rng, -2, 3)


def _class_weight(rng, y):
    style = rng.random()
    if style < 0.7:
        return None
    return "balanced" if style < 0.85 else {int(k): _log(rng, -2, 2) for k in np.unique(y)}


def _stopping(rng):
    options = {"tol": _log(rng, -10, -1) if rng.random() < 0.5 else 1e-3}
    options["max_iter"] = int(rng.choice([1, 10, 100, 20_000, 20_000, 20_000, 20_000]))
    if rng.random() < 0.3:
        options["gap_tol"] = _log(rng, -14, -1)
    return options


def _svc(rng, X, y):
    C = inf if rng.random() < 0.15 else _price(rng)
    scheme = str(rng.choice(["ovo", "ovr"]))
    return SVC(C=C, **_kernel(rng, X), **_stopping(rng), class_weight=_class_weight(rng, y), multi_class=scheme)


def _nusvc(rng, X, y):
    nu = float(rng.uniform(0.01, 1.0))
    return NuSVC(nu=nu, **_kernel(rng, X), **_stopping(rng), class_weight=_class_weight(rng, y))


def _svr(rng, X, y):
    epsilon = 0.0 if rng.random() < 0.2 else float(rng.uniform(0, 1) * (np.std(y) or 1.0))
    return SVR(C=_price(rng), epsilon=epsilon, **_kernel(rng, X), **_stopping(rng))


def _nusvr(rng, X, y):
    return NuSVR(C=_price(rng), nu=float(rng.uniform(0.01, 1.0)), **_kernel(rng, X), **_stopping(rng))


def _one_class(rng, X, y):
    return OneClassSVM(nu=float(rng.uniform(0.01, 1.0)), **_kernel(rng, X), **_stopping(rng))


def _steps(rng):
    options = {"tol": _log(rng, -10, -1) if rng.random() < 0.5 else 1e-4}
    options["max_iter"] = int(rng.choice([1, 10, 100, 1000, 1000]))
    options["fit_intercept"] = bool(rng.random() < 0.75)
    return options


def _linear_svc(rng, X, y):
    if rng.random() < 0.1:
        return LinearSVC(C=inf, tol=_log(rng, -8, -1))
    options = {"C": _price(rng), "class_weight": _class_weight(rng, y), **_steps(rng)}
    if len(X) <= _JOINT and rng.random() < 0.3:
        return LinearSVC(multi_class="crammer_singer", **options)
    penalty = "l1" if rng.random() < 0.35 else "l2"
    return LinearSVC(penalty=penalty, loss=str(rng.choice(["hinge", "squared_hinge"])), **options)


def _linear_svr(rng, X, y):
    epsilon = 0.0 if rng.random() < 0.3 else float(rng.uniform(0, 1) * (np.std(y) or 1.0))
    loss = str(rng.choice(["epsilon_insensitive", "squared_epsilon_insensitive"]))
    return LinearSVR(C=_price(rng), epsilon=epsilon, loss=loss, **_steps(rng))


def _linear_classifier(rng, X, y):
    loss = str(
        rng.choice(["hinge", "squared_hinge", "logistic", "squared", "perceptron"], p=[0.3, 0.25, 0.2, 0.2, 0.05])
    )
    penalty = str(rng.choice(["l2", "l1", "elastic_net", "none"]))
    options = {
        "l1_ratio": float(rng.choice([0.1, 0.25, 0.5, 0.9])),
        "class_weight": _class_weight(rng, y),
        **_steps(rng),
    }
    return LinearClassifier(loss=loss, penalty=penalty, C=_price(rng), **options)


def _logistic(rng, X, y):
    penalty = [None, "l2", "l2", "l1", "elasticnet"][int(rng.integers(5))]
    options = {"class_weight": _class_weight(rng, y), **_steps(rng), "max_iter": int(rng.choice([1, 10, 100, 100]))}
    ratio = float(rng.choice([0.1, 0.25, 0.5, 0.9])) if penalty == "elasticnet" else 0.0
    return LogisticRegression(penalty=penalty, C=_price(rng), l1_ratio=ratio, **options)


def _ridge(rng, X, y):
    solver = str(rng.choice(["auto", "cholesky", "svd", "sparse_cg"]))
    return Ridge(alpha=_price(rng), fit_intercept=bool(rng.random() < 0.75), solver=solver)


_MAKE = {
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
