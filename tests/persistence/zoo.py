"""Fitted models of every kind that a file can hold, each with rows to ask it about."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier as TheirTree, DecisionTreeRegressor as TheirRegressionTree

from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.detection import SlidingWindow
from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CascadeClassifier,
    DecisionBox,
    DecisionPlane,
    DecisionStump,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.kernel_approximation import KernelEmbedding, Nystroem, PolynomialMap, TruncatedRBF
from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    PolynomialRegression,
    Ridge,
    RidgeCV,
)
from maxmargin.neighbors import (
    CondensedNearestNeighbors,
    KNeighborsClassifier,
    KNeighborsRegressor,
    SyntheticOverSampler,
    UnderSampler,
)
from maxmargin.svm import (
    SVC,
    SVCCV,
    SVR,
    SVRCV,
    LargeSVC,
    LargeSVR,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from maxmargin.tables import ColumnReader, DenseRows, make_preparation
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor

_X, _LABEL = load_iris(return_X_y=True)
_SOME = np.arange(0, 150, 3)
X = StandardScaler().fit_transform(_X)[_SOME]
LABEL = _LABEL[_SOME]
WORDS = np.array(["setosa", "versicolor", "virginica"])[LABEL]
TWO = (LABEL == 1).astype(int)
TARGET = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.1 * np.random.default_rng(0).normal(size=len(X))
HOLES = X.copy()
HOLES[::7, 1] = HOLES[::5, 2] = np.nan
SPARSE = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
SQUARE = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
TEXTS = np.array([["a", "x"], ["b", "y"], ["a", "y"], ["c", "x"]] * 5, dtype=object)
MIXED = np.array([["a", 1.0], ["b", np.nan], ["a", 2.0], [None, 1.0]] * 5, dtype=object)
FRAME = pd.DataFrame(
    {
        "length": X[:, 0],
        "width": np.where(np.arange(len(X)) % 6, X[:, 1], np.nan),
        "colour": np.array(["red", "green", "blue"])[np.arange(len(X)) % 3],
        "seen": pd.date_range("2020-01-01", periods=len(X), freq="37D"),
        "same": 1.0,
    }
)
COLOURED = FRAME[["length", "width", "colour"]].astype({"colour": "category"})


@dataclass(frozen=True)
class Case:
    """A fitted model, and what it was fitted on."""

    model: Any
    X: Any
    y: Any = None

    @property
    def rows(self) -> Any:
        """Rows to ask about."""
        return self.X


def _fitted(model: Any, X: Any, y: Any = None) -> Case:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y) if y is not None or not isinstance(model, LabelEncoder) else model.fit(X)
    return Case(model, X, y)


def _streamed() -> Case:
    model = LinearClassifier(loss="hinge", solver="sgd", solver_options={"direction": "adam"})
    for part in (slice(0, 25), slice(25, 50)):
        model.partial_fit(X[part], LABEL[part], classes=[0, 1, 2])
    return Case(model, X[25:], LABEL[25:])


def _detector(**parameters: Any) -> Case:
    rng, places = np.random.default_rng(0), [(1, 1), (12, 14), (14, 3), (3, 15)]
    pictures = rng.uniform(0, 0.3, (4, 24, 28))
    for picture, (top, left) in zip(pictures, places, strict=True):
        picture[top : top + 6, left : left + 8] += np.tri(6, 8)
    boxes = [[[top, left, top + 6, left + 8]] for top, left in places]
    settings = {"window": (6, 8), "n_negatives": 60, "hard_negatives": 1, "random_state": 0, **parameters}
    model = SlidingWindow(**settings).fit(list(pictures), boxes)
    return Case(model, model.windows_, model.labels_)


def _batches() -> Case:
    model = KMeans(3, random_state=0)
    for part in (slice(0, 25), slice(25, 50)):
        model.partial_fit(X[part])
    return Case(model, X)


def _averaged() -> Case:
    model = Perceptron(variant="averaged")
    for part in (slice(0, 25), slice(25, 50)):
        model.partial_fit(X[part], LABEL[part], classes=[0, 1, 2])
    return Case(model, X, LABEL)


def _sparsified() -> Case:
    case = _fitted(LinearSVC(penalty="l1", C=0.1), X, LABEL)
    case.model.sparsify()
    return case


def _columns() -> Any:
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    parts = [("numbers", numbers, [0, 1, 2]), ("as it is", "passthrough", slice(3, 4)), ("gone", "drop", [0])]
    return ColumnTransformer(parts)


def _named_columns() -> Any:
    parts = [
        ("n", make_pipeline(SimpleImputer(), MinMaxScaler()), ["length", "width"]),
        ("c", OneHotEncoder(), ["colour"]),
    ]
    return ColumnTransformer(parts, remainder="drop", verbose_feature_names_out=False)


CASES: dict[str, Callable[[], Case]] = {
    # support vectors
    "SVC": lambda: _fitted(SVC(), X, LABEL),
    "SVC words": lambda: _fitted(SVC(class_weight={"setosa": 2.0, "virginica": 1}), X, WORDS),
    "SVC float32": lambda: _fitted(SVC(), X.astype(np.float32), LABEL),
    "SVC sparse": lambda: _fitted(SVC(kernel="linear"), SPARSE, TWO),
    "SVC sparse float32": lambda: _fitted(SVC(), SPARSE.astype(np.float32), LABEL),
    "SVC poly": lambda: _fitted(SVC(kernel="poly", coef0=1.0), X, TWO),
    "SVC sigmoid": lambda: _fitted(SVC(kernel="sigmoid", gamma=0.1), X, TWO.astype(bool)),
    "SVC precomputed": lambda: _fitted(SVC(kernel="precomputed"), SQUARE, LABEL),
    "SVC one vs rest": lambda: _fitted(SVC(multi_class="ovr", random_state=np.random.RandomState(3)), X, LABEL),
    "SVC frame": lambda: _fitted(SVC(), pd.DataFrame(X, columns=list("abcd")), LABEL),
    "SVC kernel value": lambda: _fitted(SVC(kernel=Polynomial(0.5, 1.0, 2) * RBF(0.1) + Linear()), X, LABEL),
    "NuSVC": lambda: _fitted(NuSVC(nu=0.2), X, LABEL),
    "SVR": lambda: _fitted(SVR(), X, TARGET),
    "SVR sparse": lambda: _fitted(SVR(kernel="linear"), SPARSE, TARGET),
    "NuSVR": lambda: _fitted(NuSVR(), X, TARGET),
    "OneClassSVM": lambda: _fitted(OneClassSVM(nu=0.2), X),
    "LargeSVC": lambda: _fitted(LargeSVC(), X, WORDS),
    "LargeSVC landmarks": lambda: _fitted(LargeSVC(method="landmarks", n_landmarks=10, gap_tol=1.0), SPARSE, TWO),
    "LargeSVR": lambda: _fitted(LargeSVR(method="landmarks", n_landmarks=10, gap_tol=1.0), X, TARGET),
    "LinearSVC": lambda: _fitted(LinearSVC(), X, WORDS),
    "LinearSVC hinge": lambda: _fitted(LinearSVC(loss="hinge"), SPARSE, TWO),
    "LinearSVC joint": lambda: _fitted(LinearSVC(multi_class="crammer_singer"), X, LABEL),
    "LinearSVC sparsified": _sparsified,
    "LinearSVR": lambda: _fitted(LinearSVR(), X, TARGET),
    "LinearSVR, L1": lambda: _fitted(LinearSVR(penalty="l1"), X, TARGET),
    "SVCCV": lambda: _fitted(SVCCV(Cs=[1.0, 10.0], gammas=[0.1, 1.0], cv=StratifiedKFold(3)), X, WORDS),
    "SVCCV isotonic": lambda: _fitted(SVCCV(Cs=[1.0], gammas=[0.1], cv=3, calibration="isotonic"), X, TWO),
    "LinearSVCCV": lambda: _fitted(LinearSVCCV(Cs=[0.1, 1.0], cv=3), X, LABEL),
    "SVRCV": lambda: _fitted(SVRCV(Cs=[1.0], gammas=[0.1, 1.0], cv=3), X, TARGET),
    # linear models
    "LinearClassifier": lambda: _fitted(LinearClassifier(), X, LABEL),
    "LinearClassifier streamed": _streamed,
    "LogisticRegression": lambda: _fitted(LogisticRegression(), X, WORDS),
    "LogisticRegression two": lambda: _fitted(LogisticRegression(C=np.inf, tol=1e-3), X, (LABEL > 1)),
    "LogisticRegressionCV": lambda: _fitted(LogisticRegressionCV(Cs=[0.1, 1.0], cv=3), X, LABEL),
    "Perceptron": lambda: _fitted(Perceptron(max_iter=20), X, LABEL),
    "Perceptron averaged": _averaged,
    "Lasso": lambda: _fitted(Lasso(0.01), X, TARGET),
    "ElasticNet two targets": lambda: _fitted(ElasticNet(0.01), SPARSE, np.column_stack([TARGET, X[:, 0]])),
    "LassoCV": lambda: _fitted(LassoCV(alphas=5, cv=3), X, TARGET),
    "ElasticNetCV": lambda: _fitted(ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=4, cv=3), SPARSE, TARGET),
    "LinearRegression": lambda: _fitted(LinearRegression(), X, TARGET),
    "LinearRegression one column": lambda: _fitted(LinearRegression(), SPARSE, TARGET[:, None]),
    "Ridge": lambda: _fitted(Ridge(), X, TARGET),
    "RidgeCV": lambda: _fitted(RidgeCV(store_cv_results=True), X, TARGET),
    "RidgeCV two targets": lambda: _fitted(
        RidgeCV(alpha_per_target=True, store_cv_results=True), SPARSE, np.column_stack([TARGET, X[:, 0]])
    ),
    "Ridge two targets": lambda: _fitted(Ridge(alpha=np.array([1.0, 2.0])), SPARSE, np.column_stack([TARGET, X[:, 0]])),
    "PolynomialRegression": lambda: _fitted(PolynomialRegression(2), X, TARGET),
    "PolynomialRegression one": lambda: _fitted(PolynomialRegression(5, alpha=0.1), X[:, :1], TARGET),
    # kernel models
    "KernelRidge": lambda: _fitted(KernelRidge(kernel="rbf"), X, TARGET),
    "KernelRidge sparse": lambda: _fitted(KernelRidge(kernel=2.0 * RBF(0.1) + Linear()), SPARSE, TARGET),
    "KernelRidge precomputed": lambda: _fitted(KernelRidge(kernel="precomputed"), SQUARE, TARGET),
    "KernelRidge two targets": lambda: _fitted(
        KernelRidge(alpha=np.array([1.0, 2.0]), kernel="poly"), X, np.column_stack([TARGET, X[:, 0]])
    ),
    "KernelLogisticRegression": lambda: _fitted(KernelLogisticRegression(), X, WORDS),
    "KernelLogisticRegression two": lambda: _fitted(KernelLogisticRegression(kernel=RBF(0.1) * Linear()), SPARSE, TWO),
    "KernelPerceptron": lambda: _fitted(KernelPerceptron(), X, WORDS),
    "KernelPerceptron averaged": lambda: _fitted(
        KernelPerceptron(kernel="poly", coef0=1.0, variant="averaged"), X, TWO
    ),
    "TruncatedRBF": lambda: _fitted(TruncatedRBF(), X),
    "KernelEmbedding": lambda: _fitted(KernelEmbedding(4, kernel=RBF(0.1) + Linear()), SPARSE),
    "Nystroem": lambda: _fitted(Nystroem(n_components=9, random_state=0), X),
    "Nystroem sparse": lambda: _fitted(
        Nystroem(2.0 * RBF(0.1) + Linear(), n_components=5, landmarks="uniform"), SPARSE
    ),
    "Nystroem centres": lambda: _fitted(Nystroem("poly", n_components=5, landmarks="kmeans", random_state=0), X),
    "Nystroem precomputed": lambda: _fitted(Nystroem("precomputed", n_components=5, random_state=0), SQUARE),
    "PolynomialMap": lambda: _fitted(PolynomialMap(2, coef0=1.0), X),
    "PolynomialMap sparse": lambda: _fitted(PolynomialMap(), SPARSE),
    "Pipeline of landmarks": lambda: _fitted(make_pipeline(Nystroem(n_components=9, random_state=0), SVC()), X, LABEL),
    "Pipeline of monomials": lambda: _fitted(make_pipeline(PolynomialMap(3, coef0=0.5), LinearSVC()), X, LABEL),
    "Pipeline of a kernel's map": lambda: _fitted(make_pipeline(TruncatedRBF(degree=2), LinearSVC()), X, LABEL),
    "KernelRidge laplacian": lambda: _fitted(KernelRidge(kernel="laplacian"), X, TARGET),
    # neighbours
    "KNeighborsClassifier": lambda: _fitted(KNeighborsClassifier(3, weights="distance"), X, WORDS),
    "KNeighborsClassifier tree": lambda: _fitted(KNeighborsClassifier(3, algorithm="kd_tree", leaf_size=5), X, LABEL),
    "KNeighborsClassifier ball": lambda: _fitted(KNeighborsClassifier(3, algorithm="ball_tree"), X, LABEL),
    "KNeighborsClassifier sparse": lambda: _fitted(KNeighborsClassifier(3), SPARSE, LABEL),
    "KNeighborsClassifier outputs": lambda: _fitted(KNeighborsClassifier(3), X, np.column_stack([LABEL, TWO])),
    "KNeighborsClassifier metric": lambda: _fitted(KNeighborsClassifier(3, metric="manhattan"), X, LABEL),
    "KNeighborsClassifier weighted metric": lambda: _fitted(
        KNeighborsClassifier(3, metric="minkowski", p=3, metric_params={"w": np.arange(1.0, 5.0)}), X, LABEL
    ),
    "KNeighborsRegressor": lambda: _fitted(KNeighborsRegressor(3), X.astype(np.float32), TARGET),
    "KNeighborsRegressor two": lambda: _fitted(KNeighborsRegressor(3), X, np.column_stack([TARGET, X[:, 0]])),
    "CondensedNearestNeighbors": lambda: _fitted(CondensedNearestNeighbors(), X, WORDS),
    "UnderSampler": lambda: _fitted(UnderSampler(rows_a_class={0: 5, 2: 7}, random_state=0), X, LABEL),
    "SyntheticOverSampler": lambda: _fitted(SyntheticOverSampler(rows_a_class=20, random_state=0), X, WORDS),
    # clusters
    "KMeans": lambda: _fitted(KMeans(3, random_state=0), X),
    "KMeans float32": lambda: _fitted(KMeans(3, init=X[:3], n_init=1), X.astype(np.float32)),
    "KMeans sparse": lambda: _fitted(KMeans(3, random_state=0), SPARSE),
    "KMeans streamed": _batches,
    "SpectralClustering": lambda: _fitted(SpectralClustering(3, random_state=0), X),
    "SpectralClustering sparse": lambda: _fitted(
        SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=15, random_state=0), X
    ),
    # trees
    "DecisionTreeClassifier": lambda: _fitted(DecisionTreeClassifier(max_depth=4), HOLES, WORDS),
    "DecisionTreeClassifier leaves": lambda: _fitted(DecisionTreeClassifier(max_leaf_nodes=5), X, LABEL),
    "DecisionTreeClassifier categories": lambda: _fitted(DecisionTreeClassifier(max_depth=4), COLOURED, LABEL),
    "DecisionTreeClassifier pruned": lambda: _fitted(DecisionTreeClassifier(ccp_alpha=0.02), SPARSE, LABEL),
    "DecisionTreeClassifier half-spaces": lambda: _fitted(
        DecisionTreeClassifier(node="oblique", n_candidates=12, random_state=0), X, WORDS
    ),
    "DecisionTreeRegressor boxes": lambda: _fitted(
        DecisionTreeRegressor(node="box", n_candidates=12, max_depth=4, random_state=0), X, TARGET
    ),
    "DecisionTreeRegressor": lambda: _fitted(DecisionTreeRegressor(max_depth=3), X, TARGET),
    # ensembles
    "RandomForestClassifier": lambda: _fitted(RandomForestClassifier(4, random_state=0, max_depth=4), X, WORDS),
    "RandomForestClassifier product": lambda: _fitted(
        RandomForestClassifier(4, random_state=0, combine="product", oob_score=True), X, LABEL
    ),
    "RandomForestClassifier boxes": lambda: _fitted(
        RandomForestClassifier(3, node="box", n_candidates=8, random_state=0), X, LABEL
    ),
    "RandomForestClassifier of disjoint bags": lambda: _fitted(
        RandomForestClassifier(3, bootstrap="disjoint", random_state=0), X, WORDS
    ),
    "RandomForestRegressor half-spaces": lambda: _fitted(
        RandomForestRegressor(3, node="oblique", n_candidates=8, random_state=0), X, TARGET
    ),
    "RandomForestClassifier validated": lambda: _fitted(
        RandomForestClassifier(4, validation_fraction=0.3, random_state=0), X, WORDS
    ),
    "RandomForestClassifier categories": lambda: _fitted(RandomForestClassifier(3, random_state=0), COLOURED, LABEL),
    "RandomForestRegressor": lambda: _fitted(RandomForestRegressor(3, random_state=0, oob_score=True), HOLES, TARGET),
    "BaggingClassifier": lambda: _fitted(BaggingClassifier(n_estimators=3, random_state=0), X, WORDS),
    "BaggingClassifier of disjoint bags": lambda: _fitted(
        BaggingClassifier(n_estimators=3, bootstrap="disjoint", random_state=0), X, WORDS
    ),
    "BaggingClassifier of machines": lambda: _fitted(
        BaggingClassifier(SVC(), n_estimators=2, max_features=2, random_state=0), X, LABEL
    ),
    "BaggingClassifier of pipelines": lambda: _fitted(
        BaggingClassifier(make_pipeline(StandardScaler(), KNeighborsClassifier(2)), n_estimators=2, random_state=0),
        X,
        LABEL,
    ),
    "BaggingRegressor": lambda: _fitted(
        BaggingRegressor(Ridge(), n_estimators=3, oob_score=True, random_state=0), X, TARGET
    ),
    "BaggingRegressor of two targets": lambda: _fitted(
        BaggingRegressor(Ridge(), n_estimators=2, random_state=0), X, np.column_stack([TARGET, X[:, 0]])
    ),
    "AdaBoostClassifier": lambda: _fitted(AdaBoostClassifier(n_estimators=6), X, WORDS),
    "AdaBoostClassifier validated": lambda: _fitted(
        AdaBoostClassifier(n_estimators=6, validation_fraction=0.3, random_state=0), X, WORDS
    ),
    "AdaBoostRegressor validated": lambda: _fitted(
        AdaBoostRegressor(n_estimators=5, validation_fraction=0.3, random_state=0), X, TARGET
    ),
    "AdaBoostClassifier boxes": lambda: _fitted(AdaBoostClassifier("box", n_estimators=4), X, LABEL),
    "AdaBoostClassifier planes": lambda: _fitted(AdaBoostClassifier("linear", n_estimators=4), X, TWO),
    "AdaBoostClassifier stumps by error": lambda: _fitted(
        AdaBoostClassifier(DecisionStump("error"), n_estimators=4), SPARSE, TWO
    ),
    "AdaBoostClassifier trees": lambda: _fitted(
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0), X, LABEL
    ),
    "AdaBoostClassifier their trees": lambda: _fitted(
        AdaBoostClassifier(TheirTree(max_depth=2), n_estimators=3, random_state=0), X, LABEL
    ),
    "AdaBoostClassifier machines": lambda: _fitted(
        AdaBoostClassifier(LinearSVC(C=0.01), n_estimators=3, random_state=0), X, TWO
    ),
    "HistGradientBoostingClassifier": lambda: _fitted(
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3, random_state=0), X, WORDS
    ),
    "HistGradientBoostingRegressor": lambda: _fitted(
        HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=3, random_state=0), HOLES, TARGET
    ),
    "HistGradientBoostingClassifier categories": lambda: _fitted(
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3, random_state=0), COLOURED, TWO
    ),
    "AdaBoostRegressor": lambda: _fitted(AdaBoostRegressor(n_estimators=3, random_state=0), X, TARGET),
    "AdaBoostRegressor their trees": lambda: _fitted(
        AdaBoostRegressor(TheirRegressionTree(max_depth=2), n_estimators=3, random_state=0), X, TARGET
    ),
    "CascadeClassifier": lambda: _fitted(CascadeClassifier(n_estimators=5, max_stages=3, random_state=0), X, TWO),
    "CascadeClassifier carried": lambda: _fitted(
        CascadeClassifier(carry_votes=True, validation_fraction=0.3, max_stages=3, random_state=0),
        X,
        np.where(TWO, "yes", "no"),
    ),
    "DecisionStump": lambda: _fitted(DecisionStump(), X, LABEL),
    "DecisionBox": lambda: _fitted(DecisionBox(), X, WORDS),
    "DecisionPlane": lambda: _fitted(DecisionPlane(), X, TWO),
    # preparation
    "StandardScaler": lambda: _fitted(StandardScaler(), HOLES),
    "StandardScaler sparse": lambda: _fitted(StandardScaler(with_mean=False), SPARSE),
    "MinMaxScaler": lambda: _fitted(MinMaxScaler(), X.astype(np.float32)),
    "MaxAbsScaler": lambda: _fitted(MaxAbsScaler(), SPARSE),
    "RobustScaler": lambda: _fitted(RobustScaler(), X),
    "Normalizer": lambda: _fitted(Normalizer(), X),
    "PCA": lambda: _fitted(PCA(2, whiten=True), X),
    "PolynomialFeatures": lambda: _fitted(PolynomialFeatures((1, 3), interaction_only=True), X),
    "FunctionTransformer": lambda: _fitted(FunctionTransformer(), X),
    "SimpleImputer": lambda: _fitted(SimpleImputer(add_indicator=True, strategy="median"), HOLES),
    "SimpleImputer words": lambda: _fitted(SimpleImputer(strategy="most_frequent"), TEXTS),
    "MissingIndicator": lambda: _fitted(MissingIndicator(), HOLES),
    "OneHotEncoder": lambda: _fitted(OneHotEncoder(handle_unknown="ignore", drop="if_binary"), TEXTS),
    "OneHotEncoder rare": lambda: _fitted(OneHotEncoder(min_frequency=6, handle_unknown="infrequent_if_exist"), TEXTS),
    "OneHotEncoder numbers": lambda: _fitted(OneHotEncoder(dtype=np.float32, sparse_output=False), X.round()),
    "OrdinalEncoder": lambda: _fitted(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2), MIXED
    ),
    "LabelEncoder": lambda: _fitted(LabelEncoder(), WORDS),
    "ColumnReader": lambda: _fitted(ColumnReader(), FRAME),
    "DenseRows": lambda: _fitted(DenseRows(), SPARSE),
    "ColumnTransformer": lambda: _fitted(_columns(), HOLES),
    # detectors
    "SlidingWindow": lambda: _detector(classifier=CascadeClassifier(max_stages=2, n_estimators=4, random_state=0)),
    "SlidingWindow of a machine": lambda: _detector(classifier=make_pipeline(StandardScaler(), LinearSVC())),
    # pipelines
    "Pipeline": lambda: _fitted(make_pipeline(StandardScaler(), PCA(3), SVC()), X, WORDS),
    "Pipeline of columns": lambda: _fitted(make_pipeline(_columns(), LogisticRegression()), HOLES, LABEL),
    "Pipeline of named columns": lambda: _fitted(make_pipeline(_named_columns(), LinearSVC()), FRAME, LABEL),
    "Pipeline with nothing": lambda: _fitted(make_pipeline("passthrough", StandardScaler(), Ridge()), X, TARGET),
    "Pipeline of a table": lambda: _fitted(
        make_pipeline(*(step for _, step in make_preparation(FRAME).steps), LogisticRegression()), FRAME, WORDS
    ),
    "Pipeline of a table, unscaled": lambda: _fitted(
        make_pipeline(
            *(step for _, step in make_preparation(FRAME, scale=False).steps), RandomForestClassifier(3, random_state=0)
        ),
        FRAME,
        LABEL,
    ),
}


@cache
def case(name: str) -> Case:
    """A case by name, fitted once."""
    return CASES[name]()
