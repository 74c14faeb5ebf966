"""A recipe for each public estimator: what it is made with and fitted on, drawn at random."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CascadeClassifier,
    DecisionBox,
    DecisionPlane,
    DecisionStump,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.linear_model import (
    LinearClassifier,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    PolynomialRegression,
    Ridge,
)
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor
from maxmargin.svm import SVC, SVCCV, SVR, SVRCV, LinearSVC, LinearSVCCV, LinearSVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.tables import ColumnReader, make_preparation
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor

# What others are derived from; nobody makes one of these.
BASES = {"LinearClassifierMachine", "LinearMachine", "LinearSearch", "SearchClassifier", "SearchRegressor"}
LARGEST = 500  # rows


@dataclass(frozen=True)
class Recipe:
    """How an estimator is made, by random numbers, and which targets it takes.

    Attributes
    ----------
    make : callable
        The estimator, by a random generator.
    target : {"classes", "two", "numbers", "none", "table"}
        What it is fitted on; "table" is a data frame and classes.
    sparse : bool
        Whether it takes CSR.
    rows : int
        The most rows.

    """

    make: Callable[[np.random.Generator], Any]
    target: str
    sparse: bool = True
    rows: int = LARGEST


def _penalty(rng):
    return float(10.0 ** rng.uniform(-2, 1))


def _kernel(rng):
    return {"kernel": str(rng.choice(["rbf", "linear", "poly"])), "C": _penalty(rng), "degree": 2}


def _seed(rng):
    return int(rng.integers(1 << 30))


def _table_model(rng):
    frame = table(rng, 50)[0]
    return make_pipeline(*(step for _, step in make_preparation(frame).steps), LogisticRegression())


RECIPES = {
    "SVC": Recipe(lambda rng: SVC(**_kernel(rng)), "classes"),
    "NuSVC": Recipe(lambda rng: NuSVC(nu=0.1), "classes"),
    "SVR": Recipe(lambda rng: SVR(**_kernel(rng)), "numbers"),
    "NuSVR": Recipe(lambda rng: NuSVR(nu=float(rng.uniform(0.2, 0.8))), "numbers"),
    "OneClassSVM": Recipe(lambda rng: OneClassSVM(nu=float(rng.uniform(0.1, 0.5))), "none"),
    "LinearSVC": Recipe(lambda rng: LinearSVC(C=_penalty(rng)), "classes"),
    "LinearSVR": Recipe(lambda rng: LinearSVR(C=_penalty(rng)), "numbers"),
    "SVCCV": Recipe(lambda rng: SVCCV(Cs=[0.1, 1.0], gammas=[0.1, 1.0], cv=3), "classes", rows=150),
    "SVRCV": Recipe(lambda rng: SVRCV(Cs=[1.0], gammas=[0.1, 1.0], cv=3), "numbers", rows=150),
    "LinearSVCCV": Recipe(lambda rng: LinearSVCCV(Cs=[0.1, 1.0], cv=3), "classes", rows=150),
    "LinearClassifier": Recipe(lambda rng: LinearClassifier(C=_penalty(rng)), "classes"),
    "LogisticRegression": Recipe(lambda rng: LogisticRegression(C=_penalty(rng)), "classes"),
    "LogisticRegressionCV": Recipe(lambda rng: LogisticRegressionCV(Cs=[0.1, 1.0], cv=3), "classes", rows=150),
    "Perceptron": Recipe(lambda rng: Perceptron(max_iter=20), "classes"),
    "Ridge": Recipe(lambda rng: Ridge(alpha=_penalty(rng)), "numbers"),
    "PolynomialRegression": Recipe(lambda rng: PolynomialRegression(2, alpha=0.1), "numbers", sparse=False),
    "KNeighborsClassifier": Recipe(
        lambda rng: KNeighborsClassifier(int(rng.integers(1, 9)), weights=str(rng.choice(["uniform", "distance"]))),
        "classes",
    ),
    "KNeighborsRegressor": Recipe(lambda rng: KNeighborsRegressor(int(rng.integers(1, 9))), "numbers"),
    "CondensedNearestNeighbors": Recipe(lambda rng: CondensedNearestNeighbors(), "classes", rows=150),
    "KMeans": Recipe(lambda rng: KMeans(int(rng.integers(2, 6)), random_state=_seed(rng)), "none"),
    "SpectralClustering": Recipe(lambda rng: SpectralClustering(3, random_state=_seed(rng)), "none", rows=200),
    "DecisionTreeClassifier": Recipe(lambda rng: DecisionTreeClassifier(max_depth=int(rng.integers(2, 9))), "classes"),
    "DecisionTreeRegressor": Recipe(lambda rng: DecisionTreeRegressor(max_depth=int(rng.integers(2, 9))), "numbers"),
    "RandomForestClassifier": Recipe(
        lambda rng: RandomForestClassifier(int(rng.integers(2, 20)), oob_score=True, random_state=_seed(rng)), "classes"
    ),
    "RandomForestRegressor": Recipe(
        lambda rng: RandomForestRegressor(int(rng.integers(2, 20)), random_state=_seed(rng)), "numbers"
    ),
    "BaggingClassifier": Recipe(
        lambda rng: BaggingClassifier(SVC() if rng.random() < 0.3 else None, n_estimators=3, random_state=_seed(rng)),
        "classes",
        rows=200,
    ),
    "BaggingRegressor": Recipe(
        lambda rng: BaggingRegressor(Ridge(), n_estimators=3, random_state=_seed(rng)), "numbers", rows=200
    ),
    "AdaBoostClassifier": Recipe(lambda rng: AdaBoostClassifier(n_estimators=int(rng.integers(2, 12))), "classes"),
    "AdaBoostRegressor": Recipe(lambda rng: AdaBoostRegressor(n_estimators=3, random_state=_seed(rng)), "numbers"),
    "CascadeClassifier": Recipe(
        lambda rng: CascadeClassifier(n_estimators=5, max_stages=3, random_state=_seed(rng)), "two"
    ),
    "DecisionStump": Recipe(lambda rng: DecisionStump(), "classes"),
    "DecisionBox": Recipe(lambda rng: DecisionBox(), "classes", sparse=False),
    "DecisionPlane": Recipe(lambda rng: DecisionPlane(), "two", sparse=False),
    "ColumnReader": Recipe(lambda rng: ColumnReader(), "table", sparse=False),
    "a pipeline": Recipe(lambda rng: make_pipeline(StandardScaler(), SVC(C=_penalty(rng))), "classes", sparse=False),
    "a pipeline of a table": Recipe(_table_model, "table", sparse=False),
}


def public_estimators() -> set[str]:
    """The names of all estimators that rooms export."""
    names = set()
    for room in pkgutil.iter_modules(maxmargin.__path__):
        if not room.name.startswith("_"):
            module = importlib.import_module(f"maxmargin.{room.name}")
            found = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
            names |= {n for n, one in found.items() if inspect.isclass(one) and issubclass(one, BaseEstimator)}
    return names - BASES


def table(rng, rows):
    """A data frame of numbers, words and dates with holes, and classes."""
    numbers = rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "length": numbers,
            "width": np.where(rng.random(rows) < 0.9, rng.normal(size=rows), np.nan),
            "colour": rng.choice(["red", "green", "blue"], rows),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D"),
        }
    )
    return frame, np.where(numbers + 0.3 * rng.normal(size=rows) > 0, "yes", "no")


def data(recipe, rng, rows=None):
    """Rows and targets for a recipe: dense or CSR, float32 or float64."""
    n = int(rng.integers(60, recipe.rows + 1)) if rows is None else rows
    if recipe.target == "table":
        return table(rng, n)
    X = rng.normal(size=(n, int(rng.integers(2, 9))))
    score = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)
    classes = 2 if recipe.target == "two" else int(rng.integers(2, 4))
    # Classes by rank are of equal size: a solution exists for each nu, and each fold has all of them.
    labels = np.argsort(np.argsort(score)) * classes // n
    X = X.astype(rng.choice([np.float32, np.float64]))
    if recipe.sparse and rng.random() < 0.3:
        X = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0).astype(X.dtype))
    y = {"numbers": score, "none": None}.get(recipe.target, labels)
    return X, y
