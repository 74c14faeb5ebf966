"""The Gram matrix ordered by class, and its spectrum."""

import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.figure import Figure
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.linear_model import LogisticRegression
from maxmargin.plotting import KernelDisplay
from maxmargin.svm import SVC


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def two_axes():
    return Figure(layout="constrained").subplots(1, 2)


def test_matrix_is_that_of_the_kernel_in_order_of_the_classes(iris):
    X, y = iris
    shuffled = np.random.default_rng(0).permutation(150)
    display = KernelDisplay.from_estimator(SVC(gamma=0.3).fit(X, y), X[shuffled], y[shuffled], ax=two_axes())
    K = rbf_kernel(X, gamma=0.3)
    assert (np.diff(display.label) >= 0).all()
    np.testing.assert_allclose(np.sort(display.matrix, axis=None), np.sort(K, axis=None), atol=1e-12)
    for k in range(3):
        mine = display.label == k
        np.testing.assert_allclose(display.matrix[mine][:, mine].sum(), K[y == k][:, y == k].sum())
    np.testing.assert_allclose(display.eigenvalues, np.linalg.eigvalsh(K)[::-1], atol=1e-10)
    assert [t.get_text() for t in display.axes_[0].get_yticklabels()] == ["class 0", "class 1", "class 2"]
    assert display.title.startswith("Kernel rbf, gamma = 0.3. ")


def test_alignment_is_one_for_the_labels_themselves(iris):
    _, y = iris
    for labels in (y, y == 0):
        same = (labels[:, None] == labels[None]).astype(float)
        display = KernelDisplay.from_kernel("precomputed", same, labels, ax=two_axes())
        assert display.alignment == pytest.approx(1.0)
    constant = KernelDisplay.from_kernel("precomputed", np.ones((150, 150)), y, ax=two_axes())
    assert constant.alignment == 0.0


def test_large_data_are_sampled_class_by_class_and_the_title_says_so():
    X, y = load_digits(return_X_y=True)
    display = KernelDisplay.from_kernel("linear", X, y, max_rows=100, ax=two_axes())
    assert len(display.matrix) <= 100
    counts = np.bincount(display.label)
    np.testing.assert_array_equal(counts, np.floor(np.bincount(y) * 100 / len(y)))
    assert f"{len(display.matrix)} of 1797 rows drawn at random" in display.title
    again = KernelDisplay.from_kernel("linear", X, y, max_rows=100, ax=two_axes())
    np.testing.assert_array_equal(again.matrix, display.matrix)


def test_kernel_that_is_none(iris):
    X, y = iris
    display = KernelDisplay.from_kernel("sigmoid", X, y, gamma=0.02, coef0=-1.0, ax=two_axes())
    assert "eigenvalues are negative: it is no kernel" in display.title
    assert display.image_.get_clim()[0] == -display.image_.get_clim()[1]
    good = KernelDisplay.from_kernel("rbf", X, y, gamma=0.5, ax=two_axes())
    assert "negative" not in good.title and good.image_.get_clim()[0] == 0.0


def test_pipelines_functions_matrices_and_sparse_rows(iris):
    X, y = iris
    Z = StandardScaler().fit_transform(X)
    expected = KernelDisplay.from_kernel("linear", Z, y, ax=two_axes()).matrix
    K = Z @ Z.T
    displays = [
        KernelDisplay.from_estimator(
            make_pipeline(StandardScaler(), SVC(kernel="linear")).fit(X, y), X, y, ax=two_axes()
        ),
        KernelDisplay.from_kernel(lambda A, B: A @ B.T, Z, y, ax=two_axes()),
        KernelDisplay.from_estimator(SVC(kernel="precomputed").fit(K, y), K, y, ax=two_axes()),
        KernelDisplay.from_kernel("linear", sp.csr_matrix(Z), y, ax=two_axes()),
    ]
    for display in displays:
        np.testing.assert_allclose(np.sort(display.matrix, axis=None), np.sort(expected, axis=None), atol=1e-9)


def test_laid_out(iris, pyplot):
    X, y = iris
    names = ["setosa of the north and of the far south", "versicolor", "virginica"]
    display = KernelDisplay.from_estimator(SVC().fit(X, y), X, y, class_names=names)
    display.figure_.draw_without_rendering()
    box = display.figure_._suptitle.get_window_extent()
    assert box.x0 >= 0 and box.x1 <= display.figure_.bbox.x1
    assert min(t.get_window_extent().x0 for t in display.axes_[0].get_yticklabels()) >= 0
    assert display.plot() is display and len(pyplot.get_fignums()) == 2


def test_input_that_cannot_be_drawn(iris):
    X, y = iris
    with pytest.raises(TypeError, match=r"such as maxmargin\.svm\.SVC; got LogisticRegression"):
        KernelDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match=r"kernel must be one of .*rbf.*; got 'cosine'"):
        KernelDisplay.from_kernel("cosine", X, y)
    with pytest.raises(ValueError, match="X has 150 rows, but y has 3"):
        KernelDisplay.from_kernel("rbf", X, y[:3])
    with pytest.raises(ValueError, match="max_rows must be a whole number of at least 2; got 1"):
        KernelDisplay.from_kernel("rbf", X, y, max_rows=1)
    with pytest.raises(ValueError, match="a name for each of the 3 classes"):
        KernelDisplay.from_kernel("rbf", X, y, class_names=["a"])
    with pytest.raises(ValueError, match="square matrix"):
        KernelDisplay.from_kernel("precomputed", X, y)
    with pytest.raises(ValueError, match="ax must be two axes"):
        KernelDisplay.from_kernel("rbf", X, y, ax=Figure().subplots())
