"""The width of the margin in the feature space of a kernel, and that of the machine that a search has found."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron
from maxmargin.kernels import RBF
from maxmargin.linear_model import LogisticRegression, LogisticRegressionCV, Perceptron
from maxmargin.svm import SVC, SVCCV, LinearSVCCV


@pytest.fixture
def clouds():
    return make_blobs(60, centers=[(-4, 0), (4, 0)], random_state=0)


def test_logistic_regression_with_a_linear_kernel(clouds):
    kernel = KernelLogisticRegression(kernel="linear").fit(*clouds)
    assert kernel.margin_width_ == pytest.approx(LogisticRegression().fit(*clouds).margin_width_, rel=1e-3)


def test_a_precomputed_matrix_has_the_same_width(clouds):
    X, y = clouds
    for make in (KernelLogisticRegression, KernelPerceptron):
        by_rows, by_matrix = make(kernel=RBF(0.5)).fit(X, y), make(kernel="precomputed").fit(RBF(0.5)(X), y)
        assert by_matrix.margin_width_ == pytest.approx(by_rows.margin_width_)


@pytest.mark.parametrize("variant", ["plain", "averaged"])
def test_a_perceptron_with_a_linear_kernel(clouds, variant):
    X, y = clouds
    model = KernelPerceptron(kernel="linear", variant=variant).fit(X, y)
    w = model.dual_coef_ @ X
    distances = (2 * y - 1) * (X @ w[0] + model.intercept_[0]) / np.linalg.norm(w)
    assert model.margin_width_ == pytest.approx([2 * distances.min()])
    assert model.margin_width_[0] <= SVC(kernel="linear", C=np.inf).fit(X, y).margin_width_[0] * (1 + 1e-6)
    linear = Perceptron(shuffle=False, variant=variant).fit(X, y).margin_width_
    own = KernelPerceptron(kernel="linear", shuffle=False, variant=variant).fit(X, y).margin_width_
    assert own == pytest.approx(linear)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_there_is_none_between_classes_that_are_not_parted():
    X, y = make_moons(60, noise=0.5, random_state=0)
    assert KernelPerceptron(kernel="linear", max_iter=20).fit(X, y).margin_width_ == [0.0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_for_each_class():
    X, y = make_blobs(90, centers=3, random_state=0)
    for make in (KernelLogisticRegression, KernelPerceptron):
        widths = make(gamma=0.5).fit(X, y).margin_width_
        assert widths.shape == (3,) and (widths >= 0).all()


def test_a_search_has_that_of_its_winner(clouds):
    for search in (SVCCV(Cs=[0.1, 1], gammas=[0.1]), LinearSVCCV(Cs=[0.1, 1]), LogisticRegressionCV(Cs=[0.1, 1])):
        search.fit(*clouds)
        np.testing.assert_array_equal(search.margin_width_, search.best_estimator_.margin_width_)
    with pytest.raises(AttributeError, match="refit"):
        LinearSVCCV(Cs=[0.1, 1], refit=False).fit(*clouds).margin_width_  # noqa: B018
