"""Indefinite kernels: are our stationary points at least as good as LIBSVM's?

Twenty settings whose kernel matrices have negative eigenvalues: sigmoid, polynomials with a negative constant, and
precomputed matrices. The problem is not convex there, and what is found depends on the way. Both machines are fitted
with ``tol=1e-3``; the dual objective ``sum(alpha) - 1/2 alpha' Q alpha`` of both is computed here, from the multipliers
that they keep, by the same float64 code, and so is the accuracy on held-out rows of five splits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics.pairwise import polynomial_kernel, sigmoid_kernel
from sklearn.model_selection import StratifiedShuffleSplit

from maxmargin.certificates import IndefiniteKernelWarning
from maxmargin.svm import SVC

from . import table
from .options import Options
from .parts import run_parts

MINUTES = 1.0
_SPLITS = 5
# Objectives that differ by less than rounding errors of their own sums are the same.
_SAME = 1e-12


@dataclass(frozen=True)
class Setting:
    """A set and the parameters of both machines; `matrix` makes the values of a precomputed kernel."""

    rows: str
    kernel: str
    C: float = 1.0
    params: dict[str, float] = field(default_factory=dict)
    matrix: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    words: str = ""

    @property
    def text(self) -> str:
        parameters = self.words or ", ".join(f"{name}={value:g}" for name, value in self.params.items()) or "defaults"
        return f"{self.kernel}, C={self.C:g}, {parameters}"


def _distances(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Minus the Manhattan distance: conditionally definite only."""
    return -np.abs(X[:, None] - Z[None]).sum(axis=2) / X.shape[1]


def _ragged(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """A Gaussian that is cut off, as a sparse similarity is: not definite any more."""
    squares = ((X[:, None] - Z[None]) ** 2).mean(axis=2)
    return np.where(squares < 2.0, np.exp(-squares), 0.0)


SETTINGS = (
    Setting("breast cancer", "sigmoid"),
    Setting("breast cancer", "sigmoid", 1.0, {"gamma": 0.3, "coef0": -1.0}),
    Setting("breast cancer", "sigmoid", 10.0, {"gamma": 0.01, "coef0": 0.0}),
    Setting("breast cancer", "sigmoid", 100.0, {"gamma": 0.01, "coef0": -1.0}),
    Setting("breast cancer", "sigmoid", 0.1, {"gamma": 0.5, "coef0": 1.0}),
    Setting("heart", "sigmoid"),
    Setting("heart", "sigmoid", 10.0, {"gamma": 0.05, "coef0": -0.5}),
    Setting("heart", "sigmoid", 1.0, {"gamma": 0.5, "coef0": 0.0}),
    Setting("sonar", "sigmoid"),
    Setting("sonar", "sigmoid", 100.0, {"gamma": 0.005, "coef0": 0.0}),
    Setting("sonar", "sigmoid", 1.0, {"gamma": 0.1, "coef0": -1.0}),
    Setting("iris 2, 3", "sigmoid"),
    Setting("iris 2, 3", "sigmoid", 10.0, {"gamma": 0.2, "coef0": -1.0}),
    Setting("digits 3, 8", "sigmoid"),
    Setting("digits 3, 8", "sigmoid", 10.0, {"gamma": 0.05, "coef0": -1.0}),
    Setting("breast cancer", "poly", 1.0, {"gamma": 0.1, "coef0": -1.0, "degree": 3}),
    Setting("heart", "poly", 1.0, {"gamma": 0.2, "coef0": -1.0, "degree": 2}),
    Setting("sonar", "poly", 0.1, {"gamma": 0.05, "coef0": -0.5, "degree": 3}),
    Setting("iris 2, 3", "precomputed", 1.0, {}, _distances, "minus Manhattan distances"),
    Setting("breast cancer", "precomputed", 1.0, {}, _ragged, "a Gaussian that is cut off"),
)
PARTS = ("indefinite",)


@dataclass(frozen=True)
class Outcome:
    """One machine in all splits: dual objectives and accuracies."""

    dual: np.ndarray
    accuracy: np.ndarray


def _standardised(X: np.ndarray) -> np.ndarray:
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def load(name: str, options: Options) -> tuple[np.ndarray, np.ndarray, str]:
    """Standardised rows of two classes, and what they are; sets that are not at hand are replaced by wine."""
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
    elif name == "iris 2, 3":
        X, y = (part[50:] for part in load_iris(return_X_y=True))
    elif name == "digits 3, 8":
        X, y = load_digits(return_X_y=True)
        X, y = X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]
    else:
        file = None if options.data is None else options.data / f"{name if name == 'sonar' else 'heart_scale'}.npz"
        if file is None or not file.is_file():
            X, y = load_wine(return_X_y=True)
            return _standardised(X[:130]), y[:130], "wine 1, 2"
        with np.load(file, allow_pickle=False) as arrays:
            X, y = arrays["X"], arrays["y"]
    return _standardised(np.asarray(X, dtype=np.float64)), y, name


def _values(setting: Setting, model: Any, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    if setting.matrix is not None:
        return setting.matrix(X, Z)
    if setting.kernel == "sigmoid":
        return sigmoid_kernel(X, Z, gamma=model._gamma, coef0=model.coef0)
    return polynomial_kernel(X, Z, gamma=model._gamma, coef0=model.coef0, degree=model.degree)


def _dual(model: Any, K: np.ndarray) -> float:
    """``sum(alpha) - 1/2 alpha' Q alpha`` of the multipliers that a model keeps."""
    coef, part = model.dual_coef_[0], K[np.ix_(model.support_, model.support_)]
    return float(np.abs(coef).sum() - coef @ part @ coef / 2)


def measure(setting: Setting, X: np.ndarray, y: np.ndarray) -> tuple[Outcome, Outcome, float]:
    """Ours and LIBSVM's, and the smallest eigenvalue of a training matrix over its largest one."""
    options = {"kernel": setting.kernel, "C": setting.C, **setting.params}
    found: list[list[tuple[float, float]]] = [[], []]
    smallest = 0.0
    for train, test in StratifiedShuffleSplit(_SPLITS, test_size=0.3, random_state=0).split(X, y):
        given, asked = X[train], X[test]
        if setting.matrix is not None:
            given, asked = setting.matrix(X[train], X[train]), setting.matrix(X[test], X[train])
        for place, machine in enumerate((SVC, sklearn.svm.SVC)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IndefiniteKernelWarning)
                model = machine(**options).fit(given, y[train])
            K = _values(setting, model, X[train], X[train])
            found[place].append((_dual(model, K), float(model.score(asked, y[test]))))
        spectrum = np.linalg.eigvalsh(K)
        smallest = min(smallest, float(spectrum[0] / spectrum[-1]))
    ours, theirs = (Outcome(*np.array(part).T) for part in found)
    return ours, theirs, smallest


def _measured(options: Options) -> tuple[str, Any]:
    lines, record = [], []
    for setting in SETTINGS:
        X, y, name = load(setting.rows, options)
        ours, theirs, smallest = measure(setting, X, y)
        scale = np.maximum(np.abs(theirs.dual), 1.0)
        worst = float(((ours.dual - theirs.dual) / scale).min())
        lines.append(
            [
                f"{name}: {setting.text}",
                f"{smallest:.1e}",
                f"{ours.dual.mean():.8g}",
                f"{theirs.dual.mean():.8g}",
                f"{worst:+.1e}",
                f"{ours.accuracy.mean():.4f}",
                f"{theirs.accuracy.mean():.4f}",
                "ok" if worst >= -_SAME and ours.accuracy.mean() >= theirs.accuracy.mean() else "short",
            ]
        )
        record.append(
            {
                "setting": f"{name}: {setting.text}",
                "smallest eigenvalue over largest": smallest,
                "maxmargin": {"dual": ours.dual.tolist(), "accuracy": ours.accuracy.tolist()},
                "LIBSVM": {"dual": theirs.dual.tolist(), "accuracy": theirs.accuracy.tolist()},
            }
        )
    header = ["setting", "eigenvalue", "dual", "LIBSVM's", "worst split", "accuracy", "LIBSVM's", "verdict"]
    return f"{READING}\n\n{table.render(header, lines)}\n", record


READING = """Indefinite kernels against LIBSVM (scikit-learn), tol=1e-3, means over five splits (70 % for training).
"eigenvalue" is the smallest one of a training matrix over the largest; "dual" is maximised, so larger is better, and
"worst split" is the smallest difference of the two in any split, relative to LIBSVM's; "accuracy" is that of the rows
held out."""


def run(options: Options) -> dict[str, Any]:
    """Print the table, return the raw numbers."""
    return run_parts(options, {"indefinite": _measured})
