"""The kernel perceptron: the steps of the linear one, a plain reference, its bounds, and changed models."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.kernel_model import KernelPerceptron
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.linear_model import Perceptron


@pytest.fixture(scope="module")
def moons():
    return make_moons(100, noise=0.1, random_state=0)


@pytest.fixture(scope="module")
def apart():
    """Two clouds that a line separates, of whole numbers: sums have no rounding errors."""
    rng = np.random.default_rng(0)
    X = rng.integers(-20, 20, size=(80, 3)).astype(float)
    X = X[np.abs(X @ [1, 2, -1] + 3) > 6]
    return X, (X @ [1, 2, -1] + 3 > 0).astype(int)


@pytest.mark.parametrize("variant", ["plain", "averaged"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("shuffle", [True, False])
def test_linear_kernel_takes_the_steps_of_the_perceptron(variant, fit_intercept, shuffle, apart):
    X, y = apart
    options = {"variant": variant, "fit_intercept": fit_intercept, "shuffle": shuffle, "max_iter": 5, "tol": None}
    ours = KernelPerceptron(kernel="linear", **options).fit(X, y)
    linear = Perceptron(**options).fit(X, y)
    np.testing.assert_array_equal(ours.n_mistakes_, linear.n_mistakes_)
    np.testing.assert_allclose(ours.dual_coef_ @ X, linear.coef_, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, linear.intercept_, rtol=1e-10, atol=1e-9)


def test_linear_kernel_takes_the_steps_of_the_perceptron_for_several_classes():
    X, y = load_iris(return_X_y=True)
    X = (10 * X).round()
    options = {"max_iter": 8, "tol": None}
    ours, linear = KernelPerceptron(kernel="linear", **options).fit(X, y), Perceptron(**options).fit(X, y)
    np.testing.assert_array_equal(ours.n_mistakes_, linear.n_mistakes_)
    np.testing.assert_allclose(ours.dual_coef_ @ X, linear.coef_, rtol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), linear.predict(X))


def test_a_plain_reference(moons):
    X, y = moons
    K, sign, a = RBF(2.0)(X) + 1, np.where(y == 1, 1.0, -1.0), np.zeros(100)
    for _ in range(7):
        for i in range(100):
            if sign[i] * (K[i] @ a) <= 0:
                a[i] += sign[i]
    model = KernelPerceptron(kernel=RBF(2.0), shuffle=False, max_iter=7, tol=None).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_[0], a)
    np.testing.assert_allclose(model.decision_function(X), K @ a, atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(20.0), Polynomial(1.0, 1.0, 6), "rbf"], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_mistakes_are_within_the_bound(kernel, seed, moons):
    X, y = moons
    options = {"gamma": 30.0} if kernel == "rbf" else {}
    model = KernelPerceptron(kernel=kernel, random_state=seed, max_iter=20000, **options).fit(X, y)
    proof = model.certificate_
    assert proof.status is Status.CONVERGED and proof.holds
    assert model.n_mistakes_[0] <= proof.figures["bound"]
    assert proof.figures["bound"] == pytest.approx((proof.figures["radius"] / proof.figures["margin"]) ** 2)
    assert model.score(X, y) == 1.0 and proof.figures["training errors"] == 0
    # the margin is one that some direction has: no larger than the distance of the hulls
    K = model._fitted_kernel()(X) + 1
    z = np.where(y == 1, 1.0, -1.0)
    a = model.dual_coef_[0]
    own = float((z * (K @ a)).min() / np.sqrt(a @ K @ a))
    assert proof.figures["margin"] >= own * (1 - 1e-6)
    assert proof.verify(X, y).status is Status.CONVERGED


def test_separated_by_a_known_margin():
    """Two points at +-3 without an intercept: R and the margin are 3, and one mistake is the most there can be."""
    model = KernelPerceptron(kernel="linear", fit_intercept=False).fit([[3.0], [-3.0]], [1, 0])
    assert model.n_mistakes_[0] == 1
    assert model.certificate_.figures["bound"] == pytest.approx(1.0, rel=0.1)
    assert model.certificate_.figures["margin"] <= 3.0


@pytest.mark.parametrize("epochs", [1, 3, 50])
def test_what_holds_where_classes_overlap(epochs):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, size=60)
    X[:, 0] += 2 * y
    with pytest.warns(ConvergenceWarning, match="variant='averaged'"):
        model = KernelPerceptron(kernel="linear", max_iter=epochs).fit(X, y)
    proof = model.certificate_
    assert proof.status is Status.BUDGET_EXHAUSTED and proof.holds
    assert "not separated" in proof.statement
    assert model.n_mistakes_[0] <= proof.figures["bound"] <= 60 * epochs
    if "deviation" in proof.figures:
        f = proof.figures
        assert f["bound"] == pytest.approx(((f["radius"] + f["deviation"]) / f["gamma"]) ** 2)
    assert proof.verify(X, y).status is Status.BUDGET_EXHAUSTED


def test_the_bound_of_deviations_holds_for_any_direction():
    """Freund and Schapire's theorem by brute force: many runs, directions and margins, none above the bound."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        X, y = rng.normal(size=(25, 2)), rng.integers(0, 2, size=25)
        sign = np.where(y == 1, 1.0, -1.0)
        epochs = int(rng.integers(1, 6))
        model = KernelPerceptron(kernel="linear", fit_intercept=False, max_iter=epochs, tol=None).fit(X, y)
        R = np.sqrt((X**2).sum(axis=1).max())
        for _ in range(20):
            u = rng.normal(size=2)
            u /= np.linalg.norm(u)
            gamma = rng.uniform(0.05, 3)
            D = np.sqrt(epochs * (np.maximum(0, gamma - sign * (X @ u)) ** 2).sum())
            assert model.n_mistakes_[0] <= ((R + D) / gamma) ** 2


def test_averaged_is_the_mean_over_all_samples(moons):
    X, y = moons[0][:30], moons[1][:30]
    K, sign, a, total = RBF(1.0)(X) + 1, np.where(y == 1, 1.0, -1.0), np.zeros(30), np.zeros(30)
    for _ in range(3):
        for i in range(30):
            if sign[i] * (K[i] @ a) <= 0:
                a[i] += sign[i]
            total += a
    model = KernelPerceptron(kernel=RBF(1.0), shuffle=False, max_iter=3, tol=None, variant="averaged").fit(X, y)
    np.testing.assert_allclose(model.dual_coef_[0], total / 90, rtol=1e-12, atol=1e-12)
    assert model.certificate_.verify(X, y).status is not Status.REFUTED


def test_other_storage_and_kernels(moons):
    X, y = moons
    model = KernelPerceptron(gamma=20.0).fit(X, y)
    sparse = KernelPerceptron(gamma=20.0).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(X)), y)
    assert sparse.certificate_.verify(sp.csr_array(X), y).status is Status.CONVERGED
    matrix = KernelPerceptron(kernel="precomputed").fit(RBF(20.0)(X), y)
    np.testing.assert_array_equal(matrix.dual_coef_, model.dual_coef_)
    own = KernelPerceptron(kernel=lambda A, B: RBF(20.0)(A, B)).fit(X, y)
    np.testing.assert_array_equal(own.predict(X), y)
    assert model.gamma_ == 20.0
    assert KernelPerceptron(kernel=RBF(20.0) + Linear(), max_iter=5000).fit(X, y).score(X, y) == 1.0


def test_indefinite_kernels_have_no_bound(moons):
    X, y = moons
    model = KernelPerceptron(kernel="sigmoid", gamma=2.0, coef0=-1.0, tol=None, max_iter=5).fit(X, y)
    assert not model.certificate_.holds and model.certificate_.figures["bound"] == np.inf
    assert "not positive semi-definite" in model.certificate_.statement
    assert model.certificate_.verify(X, y).status is not Status.REFUTED


def test_changes_are_refuted(moons):
    X, y = moons
    for change in ("dual_coef_", "X_fit_", "intercept_", "n_mistakes_", "_gamma", "claim", "labels"):
        model, labels = KernelPerceptron(gamma=20.0).fit(X, y), y
        assert model.certificate_.verify(X, y).status is Status.CONVERGED
        if change in ("dual_coef_", "X_fit_", "intercept_", "n_mistakes_"):
            values = getattr(model, change).copy()
            values.flat[0] += 1
            setattr(model, change, values)
        elif change == "_gamma":
            model._gamma *= 1.1
        elif change == "labels":
            labels = 1 - y
        else:
            model.certificate_ = replace(model.certificate_, figures={**model.certificate_.figures, "mistakes": 1.0})
        assert model.certificate_.verify(X, labels).status is Status.REFUTED, change
    with pytest.raises(ValueError, match="training data"):
        model.certificate_.verify(X[:5], y[:5])
    with pytest.raises(ValueError, match="without weights"):
        model.certificate_.verify(X, y, np.ones(100))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_values_that_are_zero_may_be_rounded_to_either_side():
    """Samples of both classes that coincide: their decision value is a sum of cancelling terms."""
    X, y = np.tile([1.0, 2.0, 3.0], (40, 1)), np.arange(40) % 2
    model = KernelPerceptron(kernel="poly", gamma=1.0, max_iter=30, shuffle=False).fit(X, y)
    proof = model.certificate_
    assert not model._last.sum()  # whole numbers: the values are zero, and other rows would make them nearly so
    assert proof.verify(X, y).status is Status.BUDGET_EXHAUSTED
    for errors in (20.0, 40.0, -1.0, 41.0, np.nan):  # those of one class, of both, and what cannot be
        model.certificate_ = replace(proof, figures={**proof.figures, "training errors": errors})
        refuted = model.certificate_.verify(X, y).status is Status.REFUTED
        assert refuted == (errors not in (20.0, 40.0))


def test_report(moons):
    X, y = moons
    assert "kernel perceptron" in str(KernelPerceptron(gamma=20.0).fit(X, y).report(X, y).data).lower()
