"""Honest models of every estimator of the library, small and of random parameters, with what they were fitted on."""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import has_fit_parameter

ROOMS = ("svm", "linear_model", "neighbors", "cluster", "tree", "ensemble")


def estimators() -> dict[str, type]:
    """Every public class that fits and carries a certificate, by name."""
    found = {}
    for room in ROOMS:
        module = import_module(f"maxmargin.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and hasattr(thing, "fit"):
                found[name] = thing
    return found


@dataclass
class Fitted:
    """A model and what it was fitted on; `new` are rows that it has not seen."""

    name: str
    model: Any
    X: Any
    y: Any
    weight: Any
    new: Any

    def verify(self, model: Any = None) -> Any:
        return (self.model if model is None else model).certificate_.verify(self.X, self.y, self.weight)


def _pick(rng: np.random.Generator, *values: Any) -> Any:
    return values[rng.integers(len(values))]


def _kernel(rng: np.random.Generator) -> dict[str, Any]:
    kernel = _pick(rng, "rbf", "linear", "poly", "rbf", _inner_product)
    options: dict[str, Any] = {"kernel": kernel, "max_iter": _pick(rng, 2000, 2000, 2000, 5)}
    options |= {"tol": _pick(rng, 1e-3, 1e-3, 1e-6, 3.0), "gap_tol": _pick(rng, None, None, 1e-6, 1e-14)}
    if kernel == "rbf":
        options["gamma"] = _pick(rng, "scale", "auto", 0.1, 2.0)
    if kernel == "poly":
        options |= {"degree": _pick(rng, 1, 2, 3), "coef0": _pick(rng, 0.0, 1.0), "gamma": _pick(rng, "scale", 0.3)}
    return options


def _large(rng: np.random.Generator) -> dict[str, Any]:
    options = {"kernel": _pick(rng, "rbf", "linear"), "C": _c(rng), "gap_tol": _pick(rng, 1e-2, 1e-6)}
    return options | {"method": _pick(rng, "auto", "landmarks", "cells", "exact")}


def _inner_product(X: Any, Z: Any) -> Any:
    K = X @ Z.T
    return K.toarray() if sp.issparse(K) else np.asarray(K, dtype=np.float64)


def _c(rng: np.random.Generator) -> float:
    return float(10.0 ** rng.uniform(-2, 2))


# How an estimator is drawn: arguments, and what it learns ("classes", "two", "numbers", "nothing").
RECIPES: dict[str, Callable[[np.random.Generator], tuple[dict[str, Any], str]]] = {
    "SVC": lambda r: (
        {**_kernel(r), "C": _c(r), "multi_class": _pick(r, "ovo", "ovr"), "class_weight": _pick(r, None, "balanced")},
        "classes",
    ),
    "NuSVC": lambda r: ({**_kernel(r), "nu": _pick(r, 0.1, 0.3)}, "classes"),
    "SVR": lambda r: ({**_kernel(r), "C": _c(r), "epsilon": _pick(r, 0.05, 0.2)}, "numbers"),
    "NuSVR": lambda r: ({**_kernel(r), "C": _c(r), "nu": _pick(r, 0.2, 0.6)}, "numbers"),
    "OneClassSVM": lambda r: ({**_kernel(r), "nu": _pick(r, 0.1, 0.4)}, "nothing"),
    "LargeSVC": lambda r: ({**_large(r), "multi_class": _pick(r, "ovo", "ovr")}, "classes"),
    "LargeSVR": lambda r: ({**_large(r), "epsilon": _pick(r, 0.05, 0.2)}, "numbers"),
    "SVCCV": lambda r: (
        {"Cs": [0.3, 3.0], "gammas": [0.1, 1.0], "cv": 3, "calibration": _pick(r, None, "sigmoid", "isotonic")},
        "classes",
    ),
    "SVRCV": lambda r: ({"Cs": [0.3, 3.0], "gammas": [0.1, 1.0], "cv": 3}, "numbers"),
    "LinearSVC": lambda r: ({"C": _c(r), "penalty": _pick(r, "l2", "l2", "l1")}, "classes"),
    "LinearSVCCV": lambda r: ({"Cs": [0.1, 1.0], "cv": 3}, "classes"),
    "LinearSVR": lambda r: ({"C": _c(r), "penalty": _pick(r, "l2", "l1")}, "numbers"),
    "LinearClassifier": lambda r: ({"loss": _pick(r, "hinge", "logistic", "squared_hinge")}, "classes"),
    "LogisticRegression": lambda r: ({"C": _c(r)}, "classes"),
    "LogisticRegressionCV": lambda r: ({"Cs": [0.1, 1.0], "cv": 3}, "classes"),
    "Perceptron": lambda r: ({}, "classes"),
    "PolynomialRegression": lambda r: ({"degree": 2}, "numbers"),
    "ElasticNet": lambda r: (
        {"alpha": 0.1 * _c(r), "l1_ratio": _pick(r, 0.0, 0.3, 0.9), "positive": _pick(r, False, True)},
        "numbers",
    ),
    "Lasso": lambda r: ({"alpha": 0.1 * _c(r), "tol": _pick(r, 1e-4, 1e-8)}, "numbers"),
    "ElasticNetCV": lambda r: ({"alphas": [0.1, 0.5], "cv": 2}, "numbers"),
    "LassoCV": lambda r: ({"alphas": [0.05, 0.2], "cv": 2}, "numbers"),
    "RidgeCV": lambda r: ({"cv": _pick(r, None, 3)}, "numbers"),
    "LinearRegression": lambda r: ({}, "numbers"),
    "Ridge": lambda r: ({"alpha": _c(r)}, "numbers"),
    "KNeighborsClassifier": lambda r: (
        {
            "n_neighbors": _pick(r, 1, 3, 5),
            "weights": _pick(r, "uniform", "distance", "inverse_class_size"),
            "algorithm": _pick(r, "auto", "kd_tree", "ball_tree"),
            "p": _pick(r, 2, 2, 1),
        },
        "classes",
    ),
    "KNeighborsRegressor": lambda r: (
        {"n_neighbors": _pick(r, 1, 3, 5), "weights": _pick(r, "uniform", "distance"), "p": _pick(r, 2, 2, 1)},
        "numbers",
    ),
    "CondensedNearestNeighbors": lambda r: ({"reduce": _pick(r, False, True)}, "classes"),
    "KMeans": lambda r: ({"n_clusters": _pick(r, 2, 4), "random_state": 0, "tol": _pick(r, 0.0, 1e-4)}, "nothing"),
    "SpectralClustering": lambda r: ({"n_clusters": _pick(r, 2, 3), "random_state": 0, "n_init": 2}, "nothing"),
    "DecisionTreeClassifier": lambda r: ({"max_depth": _pick(r, 2, None), "random_state": 0}, "classes"),
    "DecisionTreeRegressor": lambda r: ({"max_depth": _pick(r, 2, None), "random_state": 0}, "numbers"),
    "RandomForestClassifier": lambda r: ({"n_estimators": 12, "random_state": 0}, "classes"),
    "RandomForestRegressor": lambda r: ({"n_estimators": 12, "random_state": 0}, "numbers"),
    "BaggingClassifier": lambda r: ({"n_estimators": 6, "oob_score": True, "random_state": 0}, "classes"),
    "BaggingRegressor": lambda r: ({"n_estimators": 6, "oob_score": True, "random_state": 0}, "numbers"),
    "AdaBoostClassifier": lambda r: ({"n_estimators": 6, "random_state": 0}, "classes"),
    "AdaBoostRegressor": lambda r: ({"n_estimators": 6, "random_state": 0}, "numbers"),
    "CascadeClassifier": lambda r: ({"random_state": 0}, "two"),
    "HistGradientBoostingClassifier": lambda r: ({"max_iter": 5, "min_samples_leaf": 5, "random_state": 0}, "classes"),
    "HistGradientBoostingRegressor": lambda r: (
        {"loss": _pick(r, "squared_error", "absolute_error"), "max_iter": 5, "min_samples_leaf": 5, "random_state": 0},
        "numbers",
    ),
}
# Weak learners and samplers: they have no certificate of their own.
WITHOUT = {"DecisionBox", "DecisionPlane", "DecisionStump", "SyntheticOverSampler", "UnderSampler"}
# Scales and shifts (in standard deviations) of the rows are tried on these.
SHIFTS = (0.0, 100.0)
MACHINES = {"SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"}
DENSE_ONLY = {
    "SpectralClustering",
    "PolynomialRegression",
    "CascadeClassifier",
    "OneClassSVM",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
}


def recipes_are_complete() -> None:
    """A new estimator has to be given a recipe, or a reason why it has none."""
    missing = set(estimators()) - set(RECIPES) - WITHOUT
    assert not missing, f"no recipe for {sorted(missing)}"


def honest(name: str, rng: np.random.Generator) -> Fitted | None:
    """A fit of this estimator to random rows; None if these rows cannot be fitted so."""
    options, learns = RECIPES[name](rng)
    n, d = int(rng.integers(24, 48)), int(rng.integers(2, 5))
    X, new = rng.normal(size=(n, d)), rng.normal(size=(16, d))
    score = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    y: Any = None
    if learns in ("classes", "two"):
        classes = 2 if learns == "two" else int(rng.integers(2, 4))
        label = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
        y = np.array(["low", "middle", "top"])[label] if rng.random() < 0.3 else label
    elif learns == "numbers":
        y = score
    if name in MACHINES and rng.random() < 0.3:
        factor, shift = float(10.0 ** rng.uniform(-4, 4)), float(_pick(rng, *SHIFTS))
        X, new = factor * (X + shift), factor * (new + shift)
    if rng.random() < 0.2:
        X, new = X.astype(np.float32), new.astype(np.float32)
    elif rng.random() < 0.2 and name not in DENSE_ONLY:
        X, new = (sp.csr_array(np.where(np.abs(part) > 0.4, part, 0.0)) for part in (X, new))
    model = estimators()[name](**options)
    weight = None
    if rng.random() < 0.3 and has_fit_parameter(model, "sample_weight"):
        weight = rng.uniform(0.5, 2.0, n)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y, **({} if weight is None else {"sample_weight": weight}))
            certificate = model.certificate_
        except ValueError:
            return None
    return None if certificate is None else Fitted(name, model, X, y, weight, new)
