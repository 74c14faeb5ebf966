"""Every estimator and every function that takes X, with small parameters; and all that they say of a matrix."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from maxmargin.bounds import mistake_bound_of
from maxmargin.cluster import KMeans, SpectralClustering, elbow
from maxmargin.diagnostics import bias_variance, learning_curve, validation_curve
from maxmargin.explanation import explain_model, explain_row
from maxmargin.kernels import RBF, Polynomial, Sigmoid, check_mercer
from maxmargin.linear_model import Ridge
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.svm import SVC
from maxmargin.tables import SparseTable, fingerprint
from maxmargin.tree import DecisionTreeClassifier

from ..certificates.models import estimators


def _pick(rng: np.random.Generator, *values: Any) -> Any:
    return values[rng.integers(len(values))]


def inner_products(X: Any, Z: Any) -> np.ndarray:
    """A user's kernel."""
    K = X @ Z.T
    return K.toarray() if sp.issparse(K) else np.asarray(K, dtype=np.float64)


def _kernel(rng: np.random.Generator) -> dict[str, Any]:
    kernel = _pick(rng, "rbf", "linear", "poly", "sigmoid", inner_products)
    return {"kernel": kernel, "gamma": _pick(rng, "scale", 0.3), "tol": 1e-8, "max_iter": 2000}


_METRICS = ("minkowski", "cosine", "manhattan", "euclidean", "l1")
_AFFINITIES = ("rbf", "cosine", "nearest_neighbors", "linear", "polynomial", "laplacian")

# Parameters of a fit, and what it learns: "classes", "two", "numbers" or "nothing".
RECIPES: dict[str, Callable[[np.random.Generator], tuple[dict[str, Any], str]]] = {
    "SVC": lambda r: ({**_kernel(r), "C": 0.5}, "classes"),
    "NuSVC": lambda r: ({**_kernel(r), "nu": 0.2}, "classes"),
    "SVR": lambda r: ({**_kernel(r), "C": 0.5}, "numbers"),
    "NuSVR": lambda r: ({**_kernel(r), "C": 0.5, "nu": 0.3}, "numbers"),
    "OneClassSVM": lambda r: ({**_kernel(r), "nu": 0.3}, "nothing"),
    "SVCCV": lambda r: ({"Cs": 2, "gammas": 2, "cv": 2, "kernel": _pick(r, "rbf", "linear", "poly")}, "classes"),
    "SVRCV": lambda r: ({"Cs": 2, "gammas": 2, "cv": 2}, "numbers"),
    "LargeSVC": lambda r: ({"kernel": _pick(r, "rbf", "linear"), "C": 0.5, "gap_tol": 1e-9}, "classes"),
    "LargeSVR": lambda r: ({"kernel": _pick(r, "rbf", "linear"), "C": 0.5, "gap_tol": 1e-9}, "numbers"),
    "LinearSVC": lambda r: ({"C": 0.3, "penalty": _pick(r, "l2", "l1"), "tol": 1e-8}, "classes"),
    "LinearSVCCV": lambda r: ({"Cs": 3, "cv": 2}, "classes"),
    "LinearSVR": lambda r: ({"C": 0.3, "tol": 1e-8}, "numbers"),
    "LinearClassifier": lambda r: ({"loss": _pick(r, "hinge", "logistic", "squared_hinge"), "tol": 1e-8}, "classes"),
    "LogisticRegression": lambda r: ({"C": 0.5, "tol": 1e-8}, "classes"),
    "LogisticRegressionCV": lambda r: ({"Cs": 3, "cv": 2}, "classes"),
    "Perceptron": lambda r: ({"random_state": 0}, "classes"),
    "PolynomialRegression": lambda r: ({"degree": _pick(r, 1, 2, 3), "alpha": 0.5}, "numbers"),
    "ElasticNet": lambda r: ({"alpha": 0.1, "positive": _pick(r, False, True)}, "numbers"),
    "Lasso": lambda r: ({"alpha": 0.05}, "numbers"),
    "ElasticNetCV": lambda r: ({"alphas": [0.1, 0.5], "cv": 2}, "numbers"),
    "LassoCV": lambda r: ({"alphas": [0.05, 0.2], "cv": 2}, "numbers"),
    "RidgeCV": lambda r: ({"cv": _pick(r, None, 3)}, "numbers"),
    "LinearRegression": lambda r: ({}, "numbers"),
    "Ridge": lambda r: ({"alpha": 0.5}, "numbers"),
    "KNeighborsClassifier": lambda r: (
        {"n_neighbors": _pick(r, 1, 3), "metric": _pick(r, *_METRICS), "weights": _pick(r, "uniform", "distance")},
        "classes",
    ),
    "KNeighborsRegressor": lambda r: ({"n_neighbors": 3, "metric": _pick(r, *_METRICS)}, "numbers"),
    "CondensedNearestNeighbors": lambda r: ({"reduce": _pick(r, False, True)}, "classes"),
    "UnderSampler": lambda r: ({"random_state": 0}, "classes"),
    "SyntheticOverSampler": lambda r: ({"random_state": 0, "rows_a_class": 20}, "classes"),
    "KMeans": lambda r: ({"n_clusters": _pick(r, 2, 3), "random_state": 0, "n_init": 2}, "nothing"),
    "SpectralClustering": lambda r: (
        {"n_clusters": 2, "affinity": _pick(r, *_AFFINITIES), "n_neighbors": 4, "random_state": 0, "n_init": 2},
        "nothing",
    ),
    "DecisionTreeClassifier": lambda r: ({"random_state": 0}, "classes"),
    "DecisionTreeRegressor": lambda r: ({"random_state": 0}, "numbers"),
    "RandomForestClassifier": lambda r: ({"n_estimators": 4, "random_state": 0}, "classes"),
    "RandomForestRegressor": lambda r: ({"n_estimators": 4, "random_state": 0}, "numbers"),
    "BaggingClassifier": lambda r: ({"n_estimators": 3, "random_state": 0, "max_features": 0.8}, "classes"),
    "BaggingRegressor": lambda r: ({"n_estimators": 3, "random_state": 0}, "numbers"),
    "AdaBoostClassifier": lambda r: (
        {"estimator": _pick(r, None, DecisionTreeClassifier(max_depth=2)), "n_estimators": 4, "random_state": 0},
        "classes",
    ),
    "AdaBoostRegressor": lambda r: ({"n_estimators": 4, "random_state": 0}, "numbers"),
    "HistGradientBoostingClassifier": lambda r: ({"max_iter": 4, "random_state": 0}, "classes"),
    "HistGradientBoostingRegressor": lambda r: ({"max_iter": 4, "random_state": 0}, "numbers"),
    "CascadeClassifier": lambda r: ({"max_stages": 2, "random_state": 0}, "two"),
    "DecisionStump": lambda r: ({}, "two"),
    "DecisionPlane": lambda r: ({}, "two"),
    "DecisionBox": lambda r: ({}, "two"),
}
# Convex problems, which do not know the order of their rows.
ORDERLESS = {
    "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR", "LinearClassifier", "LogisticRegression",
    "ElasticNet", "Lasso", "LinearRegression", "Ridge", "PolynomialRegression",
}  # fmt: skip


def recipes_are_complete() -> None:
    """A new estimator has to be given a recipe."""
    missing = set(estimators()) - set(RECIPES)
    assert not missing, f"no recipe for {sorted(missing)}"


@dataclass(frozen=True)
class Case:
    """What is fitted to which rows, and rows that it is asked about later."""

    name: str
    options: dict[str, Any]
    X: np.ndarray
    y: Any
    new: np.ndarray

    def fitted(self, X: Any) -> Any:
        """A model of these rows, in whatever form they are given."""
        return estimators()[self.name](**self.options).fit(X, *(() if self.y is None else (self.y,)))


def case_of(name: str, X: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> Case:
    """Targets and parameters for the rows X."""
    options, learns = RECIPES[name](rng) if name in RECIPES else ({}, "two")
    if name in SQUARE:  # symmetric, not negative, zeros in the diagonal
        X = np.abs(X[:, np.arange(len(X)) % X.shape[1]])
        X = np.triu(X, 1) + np.triu(X, 1).T
    score = X @ rng.normal(size=X.shape[1]) + 0.1 * rng.normal(size=len(X))
    classes = 2 if learns == "two" else int(rng.integers(2, 4))
    y = {"numbers": score, "nothing": None}.get(learns, np.argsort(np.argsort(score)) * classes // len(score))
    return Case(name, options, X, y, new)


# ------------------------------------------------------------------ what a fitted model says

_OF_ROWS = (
    "predict", "decision_function", "predict_proba", "predict_log_proba", "transform", "score_samples", "apply",
    "decision_path", "kneighbors", "kneighbors_graph", "staged_predict", "staged_decision_function", "partial_fit",
)  # fmt: skip
_OF_TRAINING = ("score", "kkt_cases", "loo_error_bound", "path", "cost_complexity_pruning_path", "verify")


def questions(case: Case, model: Any, X: Any, new: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What can be asked of a model: of rows `new`, and of the rows X that it was fitted to."""
    for name in _OF_ROWS:
        if name != "partial_fit" and hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)(new)
    targets = () if case.y is None else (case.y,)
    for name in _OF_TRAINING:
        if name != "verify" and hasattr(model, name):
            more = ([0.1, 1.0],) if name == "path" else ()
            yield name, lambda name=name, more=more: getattr(model, name)(X, *targets, *more)
    if hasattr(model, "certificate_"):
        yield "verify", lambda: model.certificate_.verify(X, *targets)
    if hasattr(model, "partial_fit"):
        yield "partial_fit", lambda: _streamed(clone(model), X, case.y)
    if hasattr(model, "fit_resample"):
        yield "fit_resample", lambda: clone(model).fit_resample(X, *targets)[0]
    if hasattr(model, "labels_"):
        yield "labels_", lambda: model.labels_
    if hasattr(model, "best_params_"):
        yield "best_params_", lambda: list(model.best_params_.values())


def _streamed(model: Any, X: Any, y: Any) -> Any:
    model.partial_fit(X, *(() if y is None else (y, np.unique(y))))
    return model.predict(X)


_WORK = {"seconds", "iterations", "kernel_evaluations"}  # how long it took is no part of an answer


def numbers(answer: Any) -> Any:
    """An answer as a list of plain arrays."""
    if answer is None or isinstance(answer, (str, bool)):
        return [np.array(str(answer))]
    if hasattr(answer, "status"):  # a certificate
        found = [np.array(answer.status.name), np.array(str(getattr(answer, "holds", "")))]
        for problem in getattr(answer, "problems", ()):
            found += [np.array([problem.primal, problem.dual], dtype=float)]
        return found
    if hasattr(answer, "certificates"):  # a path of kernel machines
        return numbers(answer.certificates)
    if sp.issparse(answer):
        return [answer.toarray()]
    if isinstance(answer, dict) or hasattr(answer, "keys"):
        return [array for key in sorted(answer) for array in numbers(answer[key])]
    if isinstance(answer, (list, tuple, Iterator)):
        return [array for part in answer for array in numbers(part)]
    if isinstance(answer, (np.ndarray, np.generic, int, float)):
        return [np.asarray(answer)]
    kept = {k: v for k, v in vars(answer).items() if not k.startswith("_") and k not in _WORK}
    return numbers({k: v for k, v in kept.items() if isinstance(v, (np.ndarray, np.generic, int, float, str, tuple))})


def answered(ask: Callable[[], Any]) -> tuple[str, Any]:
    """("said", arrays), or ("refused", the error)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return "said", numbers(ask())
        except Exception as error:
            return "refused", error


# ------------------------------------------------------------------ functions


def _explained(X: Any, y: Any, new: Any) -> Any:
    model = SVC(kernel="linear", tol=1e-8).fit(X, y)
    told = explain_model(model, X, y)
    row = explain_row(model, new.tocsr()[[0]] if sp.issparse(new) else new[:1])
    return [sorted(told.to_dict()), row.decision]


def _graph_of_similarities(X: Any, y: Any, new: Any) -> Any:
    return SpectralClustering(2, affinity="precomputed", random_state=0, n_init=2).fit(X).labels_


def _graph_of_distances(X: Any, y: Any, new: Any) -> Any:
    """Nearest neighbours of which the distances are given; those that are not stored are infinite."""
    return KNeighborsClassifier(1, metric="precomputed").fit(X, y).kneighbors()


# Functions of X, y and other rows; these and the forms of X that only some parameters take.
FUNCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "check_mercer": lambda X, y, new: [check_mercer(k, X, gamma=0.3).smallest_eigenvalue for k in ("rbf", "linear")],
    "kernels": lambda X, y, new: [k(X, new) for k in (RBF(0.3), Polynomial(0.5, 1.0, 2), Sigmoid(0.1, 0.0))],
    "mistake_bound_of": lambda X, y, new: mistake_bound_of(X, 2 * (y > 0) - 1, np.arange(1.0, X.shape[1] + 1)),
    "elbow": lambda X, y, new: elbow(X, range(1, 5), random_state=0).inertias,
    "explanation": _explained,
    "bias_variance": lambda X, y, new: bias_variance(Ridge(), X, 1.0 * y, n_resamples=3, random_state=0),
    "learning_curve": lambda X, y, new: learning_curve(
        Ridge(), X, 1.0 * y, cv=2, train_sizes=[0.5, 1.0], random_state=0
    ),
    "validation_curve": lambda X, y, new: validation_curve(
        Ridge(), X, 1.0 * y, param_name="alpha", param_range=[0.1, 1.0], cv=2
    ),
    "fingerprint": lambda X, y, new: fingerprint(SparseTable(X if sp.issparse(X) else sp.csr_array(X), 1.0 * y)),
    "init of KMeans": lambda X, y, new: KMeans(new.shape[0], init=new, n_init=1).fit(X).labels_,
    "a similarity graph": lambda X, y, new: SpectralClustering(2, affinity="precomputed", random_state=0).fit_predict(
        X
    ),
    "a graph of distances": _graph_of_distances,
}
SQUARE = {"a similarity graph", "a graph of distances"}
# Zeros that are stored are distances of 0 here, and others are not known.
ZEROS_COUNT = {"a graph of distances"}
