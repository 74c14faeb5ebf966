"""What is done to find out which functions are called for which types: every public estimator, on small data.

Each estimator is fitted with its defaults and with what changes the functions that it calls (kernel, loss, number of
classes, weights, number of rows), on dense rows of float64 and float32 and on CSR rows, and then asked for all that it
can say. CSR rows of float32 are rare: with them it is used with its defaults alone. A new estimator is used with its
defaults; what else is worth while goes to `CASES`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone, is_regressor

import maxmargin

ROWS, COLUMNS, MANY, WIDE = 600, 8, 8000, 200
DEMO = "demo"
STORAGES = ("float64", "float32", "CSR", "CSR32")  # the last: CSR with values of float32
_METHODS = (
    "predict", "decision_function", "predict_proba", "predict_log_proba", "transform", "score_samples", "apply",
    "decision_path", "kneighbors", "kneighbors_graph", "staged_predict", "staged_decision_function",
    "staged_predict_proba", "prediction_cost",
)  # fmt: skip
_METHODS_OF_BOTH = ("score", "kkt_cases", "staged_score")


@dataclass(frozen=True)
class Case:
    """One way to use an estimator.

    Parameters
    ----------
    parameters : dict
        Of the estimator.
    classes : int
        How many, where it learns labels.
    rows : int
        How many; more than a few thousand take other ways.
    weights : bool
        Whether rows have weights.
    columns : int
        How many: rows of many take other ways, too.
    storages : tuple of str
        Which forms of rows.

    """

    parameters: dict[str, Any] = field(default_factory=dict)
    classes: int = 2
    rows: int = ROWS
    weights: bool = False
    columns: int = COLUMNS
    storages: tuple[str, ...] = STORAGES[:-1]


def _case(classes: int = 2, rows: int = ROWS, weights: bool = False, columns: int = COLUMNS, **parameters: Any) -> Case:
    return Case(parameters, classes, rows, weights, columns)


_KERNELS = [_case(kernel="linear"), _case(kernel="poly"), _case(kernel="sigmoid")]
_DENSE = ("float64", "float32")
# So many dense rows that threads share the squares of their kernel matrix.
_SQUARES = [
    Case({"kernel": kernel}, rows=2 * ROWS, columns=WIDE, storages=_DENSE)
    for kernel in ("rbf", "linear", "poly", "sigmoid")
]

# Beside the defaults, which are used of every estimator.
CASES: dict[str, list[Case]] = {
    "svm.SVC": [
        _case(rows=MANY), _case(classes=3), _case(weights=True), *_KERNELS, _case(C=np.inf),
        _case(gap_tol=1e-8), Case({"kernel": "precomputed"}, storages=_DENSE), *_SQUARES,
    ],
    "svm.NuSVC": [_case(classes=3), *_KERNELS],
    "svm.NuSVR": _KERNELS,
    "svm.OneClassSVM": _KERNELS,
    "svm.SVR": [_case(rows=MANY), _case(rows=5000, columns=WIDE, max_iter=2000), *_KERNELS],
    "svm.SVCCV": [_case(classes=3), _case(kernel="linear", Cs=3), _case(rows=2 * ROWS, Cs=3, gammas=2)],
    "svm.LargeSVC": [_case(method="landmarks"), _case(method="cells", classes=3)],
    "svm.LargeSVR": [_case(method="landmarks")],
    "svm.LinearSVC": [
        _case(rows=MANY), _case(classes=3), _case(weights=True), _case(loss="hinge"),
        _case(loss="hinge", rows=MANY), _case(penalty="l1", dual=False),
        _case(multi_class="crammer_singer", classes=3),
    ],
    "svm.LinearSVCCV": [_case(classes=3)],
    "svm.LinearSVR": [_case(rows=MANY), _case(loss="squared_epsilon_insensitive")],
    "linear_model.LinearClassifier": [
        _case(loss="logistic"), _case(loss="squared_hinge"), _case(loss="squared_hinge", penalty="l1"),
        _case(loss="logistic", penalty="elastic_net"), _case(solver="sgd"),
        _case(solver="sgd", loss="logistic"), _case(solver="sgd", loss="squared_hinge"),
    ],
    "linear_model.LinearRegression": [_case(weights=True)],
    "linear_model.Lasso": [_case(alpha=0.1)],
    "linear_model.ElasticNet": [_case(alpha=0.1)],
    "kernel_model.KernelRidge": [
        _case(kernel="rbf"), _case(kernel="rbf", weights=True), _case(kernel="poly"), _case(kernel="sigmoid"),
        *_SQUARES,
    ],
    "kernel_approximation.Nystroem": [_case(rows=MANY, n_components=600), _case(landmarks="kmeans"), *_KERNELS],
    "kernel_model.KernelLogisticRegression": [_case(classes=3), *_KERNELS],
    "kernel_model.KernelPerceptron": [_case(classes=3), *_KERNELS],
    "linear_model.LogisticRegression": [
        _case(rows=MANY), _case(classes=3), _case(weights=True), _case(l1_ratio=1.0),
        _case(l1_ratio=0.5),
    ],
    "linear_model.LogisticRegressionCV": [_case(classes=3)],
    "linear_model.Perceptron": [_case(classes=3), _case(variant="averaged")],
    "linear_model.Ridge": [_case(weights=True), _case(rows=MANY)],
    "neighbors.KNeighborsClassifier": [
        _case(classes=3), _case(rows=MANY), _case(weights_of="distance"), _case(algorithm="brute"),
        _case(algorithm="kd_tree"), _case(p=1),
    ],
    "neighbors.KNeighborsRegressor": [_case(weights_of="distance")],
    "neighbors.CondensedNearestNeighbors": [_case(classes=3)],
    "cluster.KMeans": [
        _case(n_clusters=3), _case(rows=MANY), _case(weights=True), _case(n_clusters=100),
        _case(rows=20_000, columns=54),
    ],
    "cluster.SpectralClustering": [_case(n_clusters=3), _case(affinity="nearest_neighbors")],
    "tree.DecisionTreeClassifier": [
        _case(classes=3), _case(weights=True), _case(rows=MANY), _case(criterion="entropy"),
        _case(max_leaf_nodes=8), _case(max_features=3), _case(ccp_alpha=0.01),
    ],
    "tree.DecisionTreeRegressor": [_case(weights=True), _case(max_leaf_nodes=8)],
    "ensemble.RandomForestClassifier": [_case(classes=3), _case(oob_score=True, n_estimators=20)],
    "ensemble.RandomForestRegressor": [_case(oob_score=True, n_estimators=20)],
    "ensemble.BaggingClassifier": [_case(classes=3)],
    "ensemble.AdaBoostClassifier": [_case(classes=3), _case(weights=True)],
    "ensemble.DecisionStump": [_case(classes=3), _case(weights=True)],
    "ensemble.DecisionBox": [_case(classes=3)],
    "ensemble.DecisionPlane": [_case(weights=True)],
}  # fmt: skip


def rooms() -> dict[str, ModuleType]:
    """The rooms that users import from by their names; with them, every compiled function is there."""
    found = {name: getattr(maxmargin, name) for name in maxmargin.__all__}
    return {name: room for name, room in found.items() if inspect.ismodule(room)}


def estimators() -> dict[str, type]:
    """Every public estimator that has compiled code, by room and name; those of two names by the first."""
    found: dict[str, type] = {}
    for room, module in rooms().items():
        for name in module.__all__:
            kind = getattr(module, name)
            if isinstance(kind, type) and issubclass(kind, BaseEstimator) and not inspect.isabstract(kind):
                compiled = hasattr(kind, "predict") | hasattr(kind, "fit_predict") | (room == "kernel_approximation")
                if kind not in found.values() and compiled:
                    found[f"{room}.{name}"] = kind
    return found


def jobs() -> list[str]:
    """Names of what can be done by itself, the longest first as far as known."""
    names = [f"{name} {storage}" for name in estimators() for storage in STORAGES]
    long = ("svm.SVCCV", "linear_model.Log", "ensemble.", "tree.", "svm.Linear")
    names.sort(key=lambda job: next((place for place, start in enumerate(long) if job.startswith(start)), len(long)))
    return [DEMO, *names]


def do_job(name: str, folder: Path) -> None:
    """Do one job.

    Parameters
    ----------
    name : str
        One of `jobs`.
    folder : Path
        For files that come of it.

    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == DEMO:
            _train(folder)
            return
        estimator, storage = name.split()
        for case in cases_of(estimator):
            if storage in case.storages:
                use(estimators()[estimator], case, storage)


def cases_of(estimator: str) -> list[Case]:
    """How an estimator is used: with its defaults, and in other ways that lead to other functions."""
    return [Case(storages=STORAGES), *CASES.get(estimator, [])]


def use(kind: Callable[..., Any], case: Case, storage: str) -> list[tuple[str, Exception]]:
    """Fit an estimator, and ask it for all that it can say.

    Parameters
    ----------
    kind : class
        Of the estimator.
    case : Case
        How it is used.
    storage : str
        One of `STORAGES`.

    Returns
    -------
    list of tuple
        What it would not do, and why.

    """
    parameters = dict(case.parameters)
    if "weights_of" in parameters:
        parameters["weights"] = parameters.pop("weights_of")
    model = kind(**parameters)
    X, y = make_rows(storage, case.rows, case.columns), make_targets(case, values=is_regressor(model))
    if parameters.get("kernel") == "precomputed":
        X = X @ X.T
    more = {"sample_weight": np.linspace(0.5, 1.5, case.rows)} if case.weights else {}
    refused: list[tuple[str, Exception]] = []
    try:
        model.fit(X, y, **more)
    except (ValueError, TypeError) as error:  # classes that cannot be separated, rows that it does not take
        return [("fit", error)]
    for question in _questions(model, X, y):
        try:
            question()
        except (ValueError, TypeError, AttributeError, NotImplementedError) as error:  # does not apply to this case
            refused.append((str(question), error))
    return refused


def _questions(model: Any, X: Any, y: Any) -> Iterator[Callable[[], Any]]:
    few = X.shape[0] <= 2 * ROWS  # of many, only what one asks of many
    for name in _METHODS if few else _METHODS[:2]:
        if hasattr(model, name):
            yield partial(_ask, model, name, X)
    for name in _METHODS_OF_BOTH if few else ():
        if hasattr(model, name):
            yield partial(_ask, model, name, X, y)
    if hasattr(model, "certificate_"):
        yield partial(model.certificate_.verify, X, y)
    if few and hasattr(model, "predict"):
        yield partial(model.predict, X[:1])
        if not sp.issparse(X):
            for other in (np.asfortranarray(X), _read_only(X)):
                yield partial(model.predict, other)
                yield partial(clone(model).fit, other, y)


def _read_only(X: np.ndarray) -> np.ndarray:
    """What pandas hands out, and joblib to its processes."""
    other = X.copy()
    other.flags.writeable = False
    return other


def _ask(model: Any, name: str, *given: Any) -> None:
    answer = getattr(model, name)(*given)
    if isinstance(answer, Iterator):  # generators compute when they are asked
        for _ in answer:
            pass


def make_rows(storage: str, rows: int = ROWS, columns: int = COLUMNS) -> Any:
    """Rows for the tour: the same numbers in each form."""
    X = np.random.default_rng(0).normal(size=(rows, columns))
    if storage in ("CSR", "CSR32"):
        X[np.abs(X) < 0.5] = 0.0
        return sp.csr_array(X.astype(np.float32 if storage == "CSR32" else np.float64))
    return X.astype(storage)


def make_targets(case: Case, values: bool) -> np.ndarray:
    """Labels or numbers that follow the rows, with noise."""
    X = make_rows("float64", case.rows, case.columns)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * np.random.default_rng(1).normal(size=case.rows)
    if values:
        return score
    edges = np.quantile(score, np.linspace(0, 1, case.classes + 1)[1:-1])
    return np.searchsorted(edges, score)


def _train(folder: Path) -> None:
    """From the bundled table to a model and a report; the command says what is missing, where this has to know it."""
    import cyclopts  # noqa: F401
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401
    import pyarrow  # noqa: F401

    from ..demo import main

    code = main(["--out", str(folder)])
    if code:
        raise RuntimeError(f"the demonstration has ended with exit code {code}")
