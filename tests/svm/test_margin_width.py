"""The width of the margin in feature space."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_circles

from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.svm import SVC, NuSVC, separability


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Polynomial(0.5, 1.0, 2), RBF(0.3) + Linear()], ids=str)
def test_two_points_are_as_wide_apart_as_their_images(kernel):
    X = np.array([[0.0, 1.0], [1.0, -0.5]])
    K = kernel(X)
    model = SVC(kernel=kernel, C=np.inf).fit(X, [0, 1])
    assert model.margin_width_ == pytest.approx([np.sqrt(K[0, 0] + K[1, 1] - 2 * K[0, 1])], rel=1e-9)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_it_is_that_of_the_explicit_features(storage):
    X, y = make_circles(60, factor=0.5, noise=0.1, random_state=0)
    kernel = Polynomial(1.0, 1.0, 2)
    model = SVC(kernel=kernel, tol=1e-9).fit(storage(X), y)
    linear = SVC(kernel="linear", tol=1e-9).fit(kernel.feature_map(X), y)
    assert model.margin_width_ == pytest.approx(linear.margin_width_, rel=1e-6)
    assert linear.margin_width_ == pytest.approx([2 / np.linalg.norm(linear.coef_)], rel=1e-12)
    hard = SVC(kernel=RBF(2.0), C=np.inf, tol=1e-9).fit(storage(X), y)
    assert hard.margin_width_[0] == pytest.approx(separability(X, y, RBF(2.0)).width, rel=1e-2)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "crammer_singer"])
def test_several_classes_have_one_each(multi_class):
    X, y = load_iris(return_X_y=True)
    model = SVC(kernel="linear", multi_class=multi_class).fit(X, y)
    np.testing.assert_allclose(model.margin_width_, 2 / np.linalg.norm(model.coef_, axis=1), rtol=1e-12)
    same = SVC(kernel=1.0 * Linear(), multi_class=multi_class).fit(X, y)
    np.testing.assert_allclose(same.margin_width_, model.margin_width_, rtol=1e-2)
    assert NuSVC(nu=0.1).fit(X, y).margin_width_.shape == (3,)


def test_what_has_none_says_so():
    X, y = make_circles(40, random_state=0)
    for model, rows in ((SVC(kernel="precomputed"), X @ X.T), (SVC(kernel=lambda A, B: A @ B.T), X)):
        with pytest.raises(AttributeError, match="neither a matrix nor a function"):
            _ = model.fit(rows, y).margin_width_
    with pytest.raises(AttributeError, match="not fitted"):
        _ = SVC().margin_width_
