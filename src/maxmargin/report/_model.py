"""What kind of model it is, in words, with the parameters that were chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from ..kernels import Kernel, kernel_name
from ..messages import jsonable
from ..svm import is_large, method_words, terms_of
from ._subject import Subject
from ._words import number, plural, shortened, value_text

_MOST_WEIGHTS = 15
_KERNELS = {
    "rbf": "an RBF kernel",
    "linear": "a linear kernel",
    "poly": "a polynomial kernel",
    "sigmoid": "a sigmoid kernel",
    "precomputed": "a given kernel matrix",
}
# These say how a model is computed, and not what it is.
_OF_THE_ENGINE = {
    "cache_size", "memory", "time_limit", "n_jobs", "verbose", "callback", "warm_start", "shrinking", "copy_X"
}  # fmt: skip
_NAMES = {
    "ElasticNet": "elastic net",
    "ElasticNetCV": "elastic net with a penalty by cross-validation",
    "Lasso": "lasso",
    "LassoCV": "lasso with a penalty by cross-validation",
    "LinearSVC": "linear support vector machine",
    "LinearSVR": "linear support vector regression",
    "LinearClassifier": "linear classifier",
    "LinearRegression": "linear regression",
    "LogisticRegression": "logistic regression",
    "Perceptron": "perceptron",
    "Ridge": "ridge regression",
    "RidgeCV": "ridge regression with a penalty by cross-validation",
    "KernelRidge": "kernel ridge regression",
    "KernelLogisticRegression": "kernel logistic regression",
    "KernelPerceptron": "kernel perceptron",
    "SpectralClustering": "spectral clustering",
    "CondensedNearestNeighbors": "condensed set of nearest neighbours",
    "DecisionStump": "decision stump",
    "DecisionBox": "decision box",
    "DecisionPlane": "decision plane",
}
_SHOWN = ("kernel", "C", "nu", "gamma", "epsilon", "loss", "penalty", "alpha", "l1_ratio", "n_neighbors", "n_clusters",
          "affinity", "n_estimators", "max_depth", "learning_rate")  # fmt: skip


def model_words(estimator: Any) -> str:
    """The kind of an estimator: a forest of 100 trees, a support vector machine with an RBF kernel."""
    name = type(estimator).__name__
    if hasattr(estimator, "kernel") and hasattr(estimator, "support_"):
        kernel = _kernel_words(estimator.kernel)
        regression, one_class = name in ("SVR", "NuSVR", "LargeSVR"), name == "OneClassSVM"
        kind = "support vector regression" if regression else "one-class " * one_class + "support vector machine"
        landmarks = plural(len(estimator.support_), terms_of(estimator, several=False), terms_of(estimator))
        return f"{kind} with {kernel}" + (f" on {landmarks}" if "landmark" in landmarks else "")
    if hasattr(estimator, "tree_"):
        return f"decision tree with {plural(int(estimator.get_n_leaves()), 'leaf', 'leaves')}"
    if hasattr(estimator, "estimators_"):
        many = len(estimator.estimators_)
        kinds = (("Forest", "forest of {}", "tree"), ("AdaBoost", "boosted vote of {}", "learner"),
                 ("Bagging", "bag of {}", "learner"))  # fmt: skip
        for part, words, member in kinds:
            if part in name:
                return words.format(plural(many, member))
    if name.startswith("HistGradientBoosting"):
        return f"sum of gradient boosted trees of {plural(int(estimator.n_iter_), 'round')}"
    if hasattr(estimator, "stages_"):
        return f"cascade of {plural(len(estimator.stages_), 'stage')}"
    if hasattr(estimator, "n_neighbors") and hasattr(estimator, "kneighbors"):
        verb = "vote" if hasattr(estimator, "classes_") else "mean"
        return f"{verb} of the {plural(int(estimator.n_neighbors), 'nearest neighbour')}"
    if name == "KMeans":
        return f"division into {plural(len(estimator.cluster_centers_), 'cluster')} by k-means"
    if name == "PolynomialRegression":
        return f"polynomial of degree {value_text(jsonable(estimator.degree))}"
    return _NAMES.get(name, name)


def approximation_words(estimator: Any) -> str:
    """How a machine of many rows was found, in sentences; nothing of others."""
    if not is_large(estimator):
        return ""
    words = method_words(estimator)
    return (
        f"{words[:1].upper()}{words[1:]}. Its decision function is a sum over "
        f"{plural(len(estimator.support_), terms_of(estimator, several=False), terms_of(estimator))}."
    )


def _kernel_words(kernel: Any) -> str:
    if isinstance(kernel, Kernel):
        return _KERNELS.get(kernel_name(kernel), f"the kernel {kernel!r}")
    return "a kernel of its own" if callable(kernel) else _KERNELS.get(kernel, "a kernel")


def with_article(words: str) -> str:
    """A or an, before words that begin with a letter as it is spoken."""
    vowel = words[:1].lower() in "aeio" and not words.lower().startswith("one")
    return f"{'an' if vowel else 'a'} {words}"


def parameters_of(estimator: Any) -> dict[str, str]:
    """The parameters that make the model what it is, and all others that differ from their default."""
    values = estimator.get_params(deep=False)
    defaults = type(estimator)().get_params(deep=False) if _has_defaults(estimator) else {}
    kept = [name for name in _SHOWN if name in values and values[name] is not None and name not in _idle(values)]
    kept += [
        name
        for name, value in values.items()
        if name not in (*kept, *_OF_THE_ENGINE, *_idle(values))
        and name in defaults
        and not _same(value, defaults[name])
    ]
    texts = {name: _parameter_text(values[name]) for name in kept}
    if texts.get("gamma") in ("scale", "auto") and getattr(estimator, "_gamma", None):
        texts["gamma"] += f" ({number(float(estimator._gamma))})"
    return texts


def _idle(values: dict[str, Any]) -> set[str]:
    """Parameters without effect beside the others."""
    of_kernels = {"gamma", "degree", "coef0"}
    affinity = values.get("affinity")
    if affinity is not None:
        return of_kernels if affinity == "nearest_neighbors" else {"n_neighbors"}
    if isinstance(values.get("kernel"), Kernel):  # brings its own
        return of_kernels
    kernel = str(values.get("kernel"))
    return {"linear": of_kernels, "precomputed": of_kernels, "rbf": {"degree", "coef0"}}.get(kernel, set())


def _has_defaults(estimator: Any) -> bool:
    try:
        type(estimator)()
    except TypeError:
        return False
    return True


def _same(value: Any, default: Any) -> bool:
    """Plain values are compared; of others, only the very same object is the same."""
    plain_ones = (str, bytes, int, float, bool, type(None))
    return value is default or (isinstance(value, plain_ones) and isinstance(default, plain_ones) and value == default)


def _parameter_text(value: Any) -> str:
    if callable(value) and not isinstance(value, BaseEstimator):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return f"array of shape {value.shape}"
    return shortened(value_text(jsonable(value)) if not isinstance(value, BaseEstimator) else repr(value), 60)


def weights_of(subject: Subject) -> dict[str, Any] | None:
    """The largest weights of a linear model; of several classes the norm over them. None if it is not linear."""
    coef = getattr(subject.estimator, "coef_", None)
    if coef is None or subject.estimator.__class__.__name__ == "PolynomialRegression":
        return None
    table = np.atleast_2d(coef.toarray() if sp.issparse(coef) else np.asarray(coef, dtype=np.float64))
    names = subject.feature_names
    if table.shape[1] != len(names):
        return None
    alone = len(table) == 1
    size = np.abs(table[0]) if alone else np.linalg.norm(table, axis=0)
    order = np.argsort(-size, kind="stable")[:_MOST_WEIGHTS]
    top = float(size.max(initial=0.0)) or 1.0
    return {
        "signed": alone,
        "positive": subject.class_names[1] if alone and len(subject.class_names) == 2 else "",
        "zero": int((size == 0).sum()),
        "rows": [
            {
                "name": shortened(names[j], 60),
                "weight": float(table[0, j]) if alone else float(size[j]),
                "share": float(size[j] / top),
            }
            for j in order.tolist()
        ],
        "left_out": len(names) - len(order),
    }
