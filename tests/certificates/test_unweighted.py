"""A model that was trained with weights and is verified without them is told what is missing."""

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.cluster import KMeans
from maxmargin.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from maxmargin.kernel_model import KernelLogisticRegression, KernelRidge
from maxmargin.linear_model import (
    ElasticNet,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    PolynomialRegression,
    Ridge,
    RidgeCV,
)
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.tree import DecisionTreeClassifier

MODELS = [
    AdaBoostClassifier(n_estimators=5),
    BaggingClassifier(n_estimators=5, random_state=0),
    DecisionTreeClassifier(),
    KMeans(n_clusters=3, random_state=0),
    KernelLogisticRegression(),
    KernelRidge(),
    Lasso(alpha=0.01),
    LinearSVC(),
    LogisticRegression(),
    NuSVC(),
    OneClassSVM(),
    RandomForestClassifier(n_estimators=5, random_state=0),
    RandomForestRegressor(n_estimators=5, random_state=0),
    Ridge(),
    SVC(),
    SVR(),
]
MORE = [ElasticNet(alpha=0.01), LassoCV(cv=3), LinearClassifier(), LinearRegression(), LinearSVR(), NuSVR(), RidgeCV()]
MORE += [PolynomialRegression(2)]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=80) > 0).astype(int), rng.integers(1, 5, size=80).astype(float)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_refutation_without_weights_says_how_to_give_them(model, data):
    X, y, weight = data
    certificate = model.fit(X, y, sample_weight=weight).certificate_
    refuted = certificate.verify(X, y)
    assert refuted.status is Status.REFUTED
    assert "verify(X, y, sample_weight)" in str(refuted)
    assert "verify(X, y, sample_weight)" in refuted._repr_html_()
    # with them it is as before, and with others there is nothing to add
    assert certificate.verify(X, y, weight).status is not Status.REFUTED
    assert "sample_weight" not in str(certificate.verify(X, y, weight))
    other = certificate.verify(X, y, weight[::-1].copy())
    assert other.status is Status.REFUTED
    assert "sample_weight" not in str(other)


@pytest.mark.parametrize("model", [*MODELS, *MORE], ids=lambda model: type(model).__name__)
def test_weights_of_zero_that_are_left_out_are_named(model, data):
    """Whether the missing rows are counted or the figures compared."""
    X, y, weight = data
    certificate = model.fit(X, y, sample_weight=np.where(np.arange(80) % 3 == 0, 0.0, weight)).certificate_
    try:
        words = str(certificate.verify(X, y))
    except ValueError as error:
        words = str(error)
    assert "verify(X, y, sample_weight)" in words
    assert "nan" not in words


def test_a_model_that_takes_no_weights_is_not_told_of_them(data):
    X, y, _ = data
    refuted = KNeighborsClassifier().fit(X, y).certificate_.verify(X, 1 - y)
    assert refuted.status is Status.REFUTED
    assert "sample_weight" not in str(refuted)
