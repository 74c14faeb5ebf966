"""The hard margin without an intercept, or the proof that no hyperplane through the origin separates."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from maxmargin.certificates import NotSeparableError, Status
from maxmargin.linear_model import Perceptron
from maxmargin.persistence import load, save
from maxmargin.plotting import HullsDisplay
from maxmargin.svm import SVC, LinearSVC


def halves(seed, n=24, d=2, gap=0.3):
    """Rows on both sides of a hyperplane through the origin, at least `gap` away from it, in unequal numbers."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    X = rng.normal(size=(4 * n, d)) + 0.7
    X = X[np.abs(X @ w) / np.linalg.norm(w) > gap][:n]
    return X, np.where(X @ w > 0, 1, -1)


def hard(**options):
    return LinearSVC(C=np.inf, fit_intercept=False, **{"tol": 1e-9, **options})


@pytest.mark.parametrize("seed", range(5))
def test_the_widest_of_all_directions(seed):
    X, y = halves(seed)
    angles = np.linspace(0, 2 * np.pi, 400_001)
    widest = (y[:, None] * (X @ np.array([np.cos(angles), np.sin(angles)]))).min(axis=0).max()
    model = hard().fit(X, y)
    found, step = 1 / np.linalg.norm(model.coef_), 2 * np.pi / 400_000
    # no direction is wider; the next one of those tried is half a step away, and moves a row by that times its length
    assert widest <= found * (1 + 1e-6) and found <= widest + np.linalg.norm(X, axis=1).max() * step
    assert model.margin_width_[0] == pytest.approx(2 * found, rel=1e-12)
    assert model.intercept_.tolist() == [0] and model.decision_function(np.zeros((1, 2)))[0] == 0
    assert (y * model.decision_function(X)).min() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_dual_has_neither_an_upper_bound_nor_an_equation(seed):
    X, y = halves(seed, n=15, d=4)
    Q = np.outer(y, y) * (X @ X.T)
    found = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(),
        np.full(15, 0.1),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, None)] * 15,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 50_000, "maxfun": 100_000},
    )
    model = hard().fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.primal == pytest.approx(-found.fun, rel=1e-6)
    assert model.certificate_.dual == pytest.approx(-found.fun, rel=1e-6)
    cases = model.kkt_cases(X, y)
    assert_allclose((cases.multiplier * y) @ X, model.coef_[0], atol=1e-9)
    assert cases.multiplier.sum() == pytest.approx(model.coef_[0] @ model.coef_[0], rel=1e-6)
    assert abs(cases.multiplier @ y) > 1e-3  # nothing makes the multipliers of the classes balance
    assert set(cases.case) == {0, 1}


def test_what_a_large_finite_bound_gives():
    X, y = halves(1, n=60, d=5)
    model = hard().fit(X, y)
    C = 2 * model.kkt_cases(X, y).multiplier.max()  # from the largest multiplier on, the bound bounds none
    finite = LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-8).fit(X, y)
    assert_allclose(model.coef_, finite.coef_, atol=1e-3 * np.abs(model.coef_).max())  # ||w - w*||^2 <= 2 gap


def test_the_margin_that_bounds_the_mistakes_of_a_perceptron():
    X, y = halves(2, n=60, d=3)
    perceptron, widest = Perceptron(fit_intercept=False).fit(X, y), hard().fit(X, y).margin_width_[0] / 2
    figures = perceptron.certificate_.figures
    assert figures["margin"] <= widest * (1 + 1e-9) and widest <= figures["largest margin at most"] * (1 + 1e-9)
    assert figures["mistakes"] <= (np.linalg.norm(X, axis=1).max() / widest) ** 2


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array, np.float32])
def test_storage_and_weights(storage):
    X, y = halves(3, n=40, d=4)
    X = X.astype(np.float32).astype(np.float64)  # the same numbers in both
    wrong = np.vstack([X, -X[:5]])  # rows on the wrong side, which take no part
    labels, weight = np.append(y, y[:5]), np.append(np.ones(40), np.zeros(5))
    model = hard().fit(storage(wrong), labels, sample_weight=weight)
    assert_allclose(model.coef_, hard().fit(X, y).coef_, rtol=1e-6)
    assert model.certificate_.verify(storage(wrong), labels, weight).status is Status.CONVERGED
    assert model.certificate_.verify(storage(wrong), labels).status is Status.REFUTED


@pytest.mark.parametrize("scale", [1e-150, 1e-90, 1.0, 1e90, 1e150])
def test_units_do_not_matter(scale):
    X, y = halves(4)
    model = hard().fit(scale * X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert_allclose(model.coef_ * scale, hard().fit(X, y).coef_, rtol=1e-6)


def test_classes_against_the_rest():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.eye(3)[y] * 5 + rng.uniform(-1, 1, size=(60, 3)) - 2
    model = hard().fit(X, y)
    assert model.score(X, y) == 1.0 and model.intercept_.tolist() == [0, 0, 0]
    assert (np.where(y[:, None] == [0, 1, 2], 1, -1) * model.decision_function(X)).min() == pytest.approx(1, abs=1e-6)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


def test_a_warm_start_has_nothing_to_do():
    X, y = halves(5, n=80, d=6)
    model = hard(warm_start=True, trace=True).fit(X, y)
    first = model.coef_.copy()
    assert model.fit(X, y).n_iter_ == 0
    assert_array_equal(model.coef_, first)
    model.fit(X, -y)  # other labels: a start, and no more
    assert_allclose(model.coef_, -first, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-90, 1.0])
def test_the_course_of_the_fit_is_that_of_the_margin(scale):
    X, y = halves(5, n=80, d=6)
    model = hard(trace=True).fit(scale * X, y)
    primal, dual, optimum = model.trace_["primal"], model.trace_["dual"], model.certificate_.primal
    assert (primal[np.isfinite(primal)] >= optimum * (1 - 1e-6)).all()
    assert (dual[np.isfinite(dual)] <= optimum * (1 + 1e-6)).all() and np.isfinite(dual).sum() >= 2


def test_files_and_pickles(tmp_path):
    X, y = halves(6)
    model = hard().fit(X, y)
    save(model, tmp_path / "model.zip")
    for again in (load(tmp_path / "model.zip"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(again.coef_, model.coef_)
        assert again.certificate_.verify(X, y).status is Status.CONVERGED


@pytest.mark.parametrize("seed", range(3))
def test_what_was_altered_is_refuted(seed):
    X, y = halves(seed)
    model = hard().fit(X, y)
    kept = model.coef_.copy()
    model.coef_ = kept * [1.001, 1.0]
    assert model.certificate_.verify(X, y).status is Status.REFUTED
    model.coef_, model.intercept_ = kept, np.array([0.01])
    assert model.certificate_.verify(X, y).status is Status.REFUTED
    model.intercept_ = np.zeros(1)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    model._slopes[0] = model._slopes[0] * 1.01
    assert model.certificate_.verify(X, y).status is Status.REFUTED
    assert hard().fit(X, y).certificate_.verify(X, -y).status is Status.REFUTED


# ---------------------------------------------------------------- classes that are not separable


def assert_proof(proof, X, y):
    """By hand: convex weights of rows, those of one class times -1, that make the origin."""
    weights = np.concatenate([proof.positive_weights, proof.negative_weights])
    assert (weights >= 0).all() and weights.sum() == pytest.approx(1, abs=1e-9)
    assert (y[proof.positive] == 1).all() and (y[proof.negative] == -1).all()
    left = proof.positive_weights @ X[proof.positive] - proof.negative_weights @ X[proof.negative]
    assert np.linalg.norm(left) <= 1e-6 * proof.scale
    assert proof.through_origin and proof.verify(X, y).holds


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_classes_that_a_line_separates_beside_the_origin(storage):
    """On one ray from the origin, one class behind the other."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)) * 0.2 + [2, 2], rng.normal(size=(20, 2)) * 0.2 + [5, 5]])
    y = np.repeat([-1, 1], 20)
    assert LinearSVC(C=np.inf).fit(X, y).score(X, y) == 1.0
    with pytest.raises(NotSeparableError, match="not separable by a hyperplane through the origin") as error:
        hard().fit(storage(X), y)
    proof = error.value.proof
    assert len(proof.positive) and len(proof.negative)
    assert_proof(proof, X, y)
    assert pickle.loads(pickle.dumps(error.value)).proof.through_origin
    assert not proof.verify(X + 1.0, y).holds  # other rows
    assert not proof.verify(X, np.where(np.arange(40) % 2, 1, -1)).holds  # other labels
    with pytest.raises(ValueError, match="through the origin"):
        HullsDisplay.from_proof(proof, X, y)


def test_rows_of_one_class_around_the_origin():
    X = np.array([[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [9.0, 9.0, 9.0]])
    y = np.array([1, 1, 1, -1])
    with pytest.raises(NotSeparableError) as error:
        hard().fit(X, y)
    assert_proof(error.value.proof, X, y)
    assert error.value.proof.negative.size == 0
    # the proof is of hyperplanes through the origin alone: as one of two hulls it does not hold
    assert not type(error.value.proof)(**{**vars(error.value.proof), "through_origin": False}).verify(X, y).holds


def test_a_row_at_the_origin():
    X, y = halves(0)
    with pytest.raises(NotSeparableError) as error:
        hard().fit(np.vstack([X, np.zeros(2)]), np.append(y, 1))
    assert_proof(error.value.proof, np.vstack([X, np.zeros(2)]), np.append(y, 1))
    with pytest.raises(NotSeparableError):
        hard().fit(np.zeros((4, 2)), [1, 1, -1, -1])


def test_weightless_rows_are_not_in_the_proof():
    X, y = np.array([[5.0], [1.0], [2.0], [3.0]]), np.array([1, 1, -1, 1])
    with pytest.raises(NotSeparableError) as error:
        hard().fit(X, y, sample_weight=[0, 1, 1, 1])
    assert_proof(error.value.proof, X, y)
    assert 0 not in error.value.proof.positive


def test_a_kernel_machine_keeps_its_intercept():
    assert "fit_intercept" not in SVC().get_params()
