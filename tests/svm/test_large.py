"""Machines of many rows: the exact optimum lies between their bounds, whatever was approximated."""

import itertools
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import ConvergenceWarning
from tests.svm.fuzz_large import METHODS, faults

from maxmargin.certificates import (
    Status,
    evaluate,
    evaluate_bracket,
    intercept_range,
    is_feasible,
    lower_bound,
    scaled_bound,
)
from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear, make_kernel
from maxmargin.problems import BoxQP
from maxmargin.solvers import solve_kernel
from maxmargin.solvers.large import (
    TimeLimit,
    bytes_of,
    choose_rows,
    make_cells,
    most_landmarks,
    near_rows,
    one_side,
    solve_near_rows,
    solve_on_landmarks,
)
from maxmargin.solvers.large._approximation import with_right_sum
from maxmargin.solvers.large._features import LandmarkFeatures
from maxmargin.svm import SVC, SVR, LargeSVC, LargeSVR, _large_choice, _large_solve, bracket_words


def moons(n=600, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    angle, y = rng.uniform(0, np.pi, n), rng.integers(0, 2, n)
    X = np.column_stack([np.cos(angle) * (1 - 2 * y) + y, np.sin(angle) * (1 - 2 * y) + y / 2])
    return X + noise * rng.normal(size=(n, 2)), y


def problem_of(X, y, C=1.0, gamma=1.0):
    sign = np.where(y > 0, 1.0, -1.0)
    return BoxQP.classifier(make_kernel("rbf", gamma, 0.0, 3).gram(Rows(X), None, 1), sign, np.full(len(y), C))


def plain_matrix(X, gamma=1.0):
    return np.exp(-gamma * np.square(X[:, None] - X).sum(axis=2))


# ---------------------------------------------------------------- the two bounds


def test_both_bounds_are_the_formulas():
    X, y = moons(80)
    problem, K, sign = problem_of(X, y), plain_matrix(X), np.where(y > 0, 1.0, -1.0)
    rng = np.random.default_rng(1)
    beta = with_right_sum(problem, sign * rng.uniform(0, 1, 80) * (rng.uniform(size=80) < 0.6))
    c, b = rng.normal(size=80) * (rng.uniform(size=80) < 0.2), 0.3
    found = evaluate_bracket(problem, c, beta, (b,))
    primal = c @ K @ c / 2 + np.maximum(0, 1 - sign * (K @ c + b)).sum()
    dual = np.abs(beta).sum() - beta @ K @ beta / 2
    assert found.primal == pytest.approx(primal, rel=1e-12) and found.primal >= primal * (1 - 1e-14)
    assert found.dual == pytest.approx(dual, rel=1e-10) and found.dual <= dual
    assert lower_bound(problem, beta).value == found.dual
    assert found.gap >= primal - dual


def test_the_bracket_of_one_set_of_variables_is_the_duality_gap():
    X, y = moons(300)
    problem = problem_of(X, y, C=3.0)
    beta = solve_kernel(problem).variables
    one, two = evaluate(problem, beta), evaluate_bracket(problem, beta, beta)
    assert two.primal == pytest.approx(one.primal, rel=1e-12) and two.dual == pytest.approx(one.dual, rel=1e-12)


def test_multipliers_that_break_a_constraint_prove_nothing():
    X, y = moons(60)
    problem = problem_of(X, y)
    inside = with_right_sum(problem, problem.p * 0.5)
    assert np.isfinite(lower_bound(problem, inside).value)
    for wrong in (inside * 3, inside + 1e-3 * (problem.p > 0), np.abs(inside)):
        assert lower_bound(problem, wrong).value == -np.inf
    assert lower_bound(problem, np.zeros(60)).value == 0.0


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1.0, 1e6]))
def test_variables_are_made_feasible(n, seed, scale):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    bound = scale * rng.choice([0.1, 1.0, 5.0], n)
    problem = BoxQP.classifier(None, y, bound)
    found = with_right_sum(problem, scale * rng.normal(size=n) * 3)
    assert ((found >= problem.lower) & (found <= problem.upper)).all()
    assert abs(found.sum()) <= 1e-9 * max(np.abs(found).sum(), 1e-300)


def test_the_range_of_intercepts_holds_those_of_machines_in_reach():
    X, y = moons(120)
    problem = problem_of(X, y)
    beta = solve_kernel(problem, gap_tolerance=1e-10).variables
    exact = evaluate(problem, beta)
    rng = np.random.default_rng(0)
    K = plain_matrix(X)
    for size in (1e-3, 0.1, 1.0):
        change = rng.normal(size=120)
        change *= size / np.sqrt(change @ K @ change)  # of this length in feature space
        c = beta + change
        low, high = intercept_range(problem, c, K @ c, size * (1 + 1e-6))
        assert low <= exact.intercepts[0] <= high
        assert high - low >= 2 * size * (1 - 1e-6)


# ---------------------------------------------------------------- landmarks and cells


def test_landmarks_state_what_they_leave_of_the_trace():
    X, _ = moons(400)
    gram = make_kernel("rbf", 1.0, 0.0, 3).gram(Rows(X), None, 1)
    K = plain_matrix(X)
    before = 1.0
    for count in (3, 10, 30):
        found = choose_rows(gram, count, np.random.default_rng(0))
        Z = found.rows
        rest = K - K[:, Z] @ np.linalg.solve(K[np.ix_(Z, Z)] + 1e-12 * np.eye(len(Z)), K[Z])
        assert len(np.unique(Z)) == len(Z) <= count
        assert found.left == pytest.approx(np.trace(rest) / 400, abs=2e-5)
        assert found.left < before
        before = found.left


def test_landmarks_end_where_they_explain_everything():
    X = np.repeat(np.random.default_rng(0).normal(size=(7, 3)), 40, axis=0)
    found = choose_rows(RBF(1.0).gram(Rows(X), None, 1), 100, np.random.default_rng(0))
    assert len(found.rows) == 7 and found.left < 1e-5


@pytest.mark.parametrize("sparse", [False, True])
def test_cells_hold_every_row_once(sparse):
    X = np.random.default_rng(0).normal(size=(3000, 4))
    X[:900] = X[0]  # a cell that no centre divides
    gram = RBF(1.0).gram(Rows(sp.csr_array(X) if sparse else X), None, 1).restricted(np.arange(100, 3000))
    cells = make_cells(gram, 200, np.random.default_rng(0), 2)
    np.testing.assert_array_equal(np.sort(np.concatenate(cells)), np.arange(2900))
    assert max(map(len, cells)) <= 400


def test_all_rows_as_landmarks_are_the_exact_machine():
    X, y = moons(150)
    problem = problem_of(X, y)
    found = solve_on_landmarks(problem, np.arange(150), 1e-6, TimeLimit(None), np.random.default_rng(0))
    exact = solve_kernel(problem, gap_tolerance=1e-9).evidence
    assert evaluate_bracket(problem, found.coefficients, found.beta).primal == pytest.approx(exact.primal, rel=1e-3)


# ---------------------------------------------------------------- estimators


@pytest.mark.parametrize("seed", range(12))
def test_random_machines_hold_the_exact_optimum(seed):
    wrong, what = faults(np.random.default_rng([7, seed]), 250)
    assert not wrong, what


@pytest.mark.parametrize("method", METHODS)
def test_the_certificate_is_of_the_exact_problem(method):
    X, y = moons(1500)
    exact = SVC(gap_tol=1e-9).fit(X, y).certificate_
    model = LargeSVC(method=method, gap_tol=1.0).fit(X, y)
    assert model.certificate_.dual <= exact.primal and exact.dual <= model.certificate_.primal
    assert model.certificate_.status is Status.CONVERGED
    again = model.certificate_.verify(X, y)
    assert again.status is Status.CONVERGED
    assert again.gap == pytest.approx(model.certificate_.gap, rel=1e-6, abs=1e-9)
    assert model.method_ == [method if method != "auto" else "exact"] and model.method_reason_[0]


def test_smooth_kernels_get_landmarks_and_local_ones_cells(monkeypatch):
    monkeypatch.setattr("maxmargin.svm._large_solve._EXACT_AT_ONCE", 100)
    monkeypatch.setattr("maxmargin.svm._large_choice._CELL", 100)
    monkeypatch.setattr("maxmargin.svm._large_choice._LARGEST_CELL", 100)
    X, y = moons(1500)
    smooth = LargeSVC(gamma=0.5, gap_tol=0.01).fit(X, y)
    assert smooth.method_ == ["landmarks"] and "landmarks leave" in smooth.method_reason_[0]
    local = LargeSVC(gamma=300.0, gap_tol=0.9, memory=0.3).fit(X, y)  # memory of 50 landmarks
    assert local.method_ == ["cells"] and "Trained in" in local.method_reason_[0]
    further = LargeSVC(gamma=300.0, gap_tol=1e-4, memory=0.3).fit(X, y)
    assert further.method_ == ["exact"] and "Exact steps from there" in further.method_reason_[0]
    for model in (smooth, local, further):
        assert model.certificate_.status is Status.CONVERGED
        assert model.certificate_.verify(X, y).status is Status.CONVERGED


@pytest.mark.parametrize(
    "model", [LargeSVC(method="landmarks"), LargeSVC(method="cells"), LargeSVR(method="landmarks")]
)
def test_a_changed_model_is_refuted(model):
    X, y = moons(7000 if model.method == "cells" else 400)  # several cells: one is exact to rounding
    model.set_params(gap_tol=10.0).fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED

    def refuted():
        return model.certificate_.verify(X, y).status is Status.REFUTED

    for name, change in {
        "multipliers_": lambda value: value * 0.5,
        "dual_coef_": lambda value: value * 1.1,
        "intercept_": lambda value: value + 0.5,
        "radius_": lambda value: value * 0.5,
        "intercept_range_": lambda value: value * 0.01,
        "_gamma": lambda value: value * 2,
    }.items():
        before = getattr(model, name)
        setattr(model, name, change(before))
        assert refuted(), name
        setattr(model, name, before)
    model.multipliers_ = model.multipliers_[:, :-1]
    assert refuted()


def test_intervals_follow_from_the_gap():
    """1/2 |w - w*|^2 <= gap: checked against the exact machine, in feature space and at new rows."""
    X, y = moons(500)
    new, _ = moons(200, seed=1)
    exact = SVC(gap_tol=1e-10, tol=1e-8).fit(X, y)
    K = plain_matrix(X, exact.gamma_)
    for method in ("landmarks", "cells", "exact"):
        model = LargeSVC(method=method, n_landmarks=15, gap_tol=0.1)
        model.fit(X, y)
        difference = model._spread(500)[0] - exact._spread(500)[0]
        assert np.sqrt(difference @ K @ difference) <= model.radius_[0]
        low, high = model.decision_interval(new)
        values = exact.decision_function(new)
        assert ((low <= values) & (values <= high)).all()
        certain = model.certain(new)
        np.testing.assert_array_equal(certain, (low > 0) | (high <= 0))
        np.testing.assert_array_equal(model.predict(new)[certain], exact.predict(new)[certain])


def test_intercepts_that_are_as_good_are_all_within_the_range():
    """So small a C that all multipliers are at their bounds: any intercept between the classes is optimal."""
    X, _ = moons(20_000)
    y = np.arange(20_000) % 2
    model = LargeSVC(C=1e-5, method="landmarks", n_landmarks=10, gap_tol=0.1).fit(X, y)
    low, high = model.intercept_range_[0]
    assert low < -0.9 and high > 0.9 and abs(model.intercept_[0]) < 0.1
    assert not model.certain(X).any()


def test_intervals_have_room_for_what_rounding_does_to_values():
    """Rows far apart: kernel values lose digits that a machine which is exact needs."""
    X, y = np.repeat([[-300.0], [300.0]], 20, axis=0), np.repeat([0, 1], 20)
    model = LargeSVC(gamma=1.0).fit(X, y)
    model.radius_[:], model.intercept_range_[:] = 0.0, model.intercept_[0]  # as if it were the exact one
    new = np.append(-300 - np.linspace(0, 1, 200), 300 + np.linspace(0, 1, 200))[:, None]
    squares = np.square(new.astype(np.longdouble) - model.support_vectors_.T)
    values = np.exp(-squares) @ model.dual_coef_[0].astype(np.longdouble) + model.intercept_[0]
    low, high = model.decision_interval(new)
    assert ((low <= values) & (values <= high)).all()


def test_certain_classes_of_many_are_those_of_the_exact_machine():
    X, y = moons(600)
    y = y + 2 * (X[:, 0] > 1.2)
    for scheme in ("ovo", "ovr"):
        exact = SVC(gap_tol=1e-9, multi_class=scheme).fit(X, y)
        model = LargeSVC(method="exact", gap_tol=1e-5, multi_class=scheme).fit(X, y)
        certain = model.certain(X)
        assert 0.5 < certain.mean()
        np.testing.assert_array_equal(model.predict(X)[certain], exact.predict(X)[certain])
        assert model.decision_interval(X)[0].shape == (600, len(model.certificate_.problems))


def test_a_regressor_is_bounded_too():
    X = np.linspace(0, 6, 800)[:, None]
    y = np.sin(X).ravel() + 0.1 * np.random.default_rng(0).normal(size=800)
    exact = SVR(gap_tol=1e-9, tol=1e-6).fit(X, y)
    model = LargeSVR(method="landmarks", n_landmarks=25).fit(X, y)
    assert model.certificate_.dual <= exact.certificate_.primal
    assert model.certificate_.primal >= exact.certificate_.dual
    low, high = model.decision_interval(X)
    assert ((low <= exact.predict(X)) & (exact.predict(X) <= high)).all()
    assert model.score(X, y) == pytest.approx(exact.score(X, y), abs=0.01)
    assert np.count_nonzero(model.kkt_cases(X, y).multiplier) == np.sum(np.abs(model.predict(X) - y) > 0.1)


def test_more_can_be_asked_of_a_fit_later():
    X, y = moons(1500)
    model = LargeSVC(method="landmarks", n_landmarks=8, gap_tol=10.0, warm_start=True).fit(X, y)
    before = model.certificate_.relative_gap
    model.set_params(method="auto", gap_tol=1e-5).fit(X, y)
    assert model.certificate_.relative_gap <= 1e-5 < before
    assert "last fit" in model.method_reason_[0]
    with pytest.raises(ValueError, match="warm_start=True needs the rows"):
        model.fit(X[:-1], y[:-1])


@pytest.mark.parametrize("method", ["cells", "exact"])
@pytest.mark.parametrize("C", [0.1, 0.3])
def test_a_regressor_that_goes_on_with_a_smaller_bound_is_not_refuted(C, method):
    """Made feasible, both variables of a row were not zero; the model keeps their sum, which proves more."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1))
    y = X[:, 0] ** 2 + np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=200)
    model = LargeSVR(gamma=0.27, warm_start=True, gap_tol=1e-3).fit(X, y)
    model.set_params(C=C, gap_tol=0.9, method=method).fit(X, y)
    again = model.certificate_.verify(X, y)
    assert again.status is model.certificate_.status is Status.CONVERGED
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-9)


def test_one_variable_of_a_row_is_not_zero():
    X, _ = moons(4)
    problem = BoxQP.regressor(RBF(1.0).gram(Rows(X), None, 1), X[:, 0], np.ones(4), 0.1)
    beta = np.array([0.5, 0.0, 0.2, 0.25, -0.25, -0.25, -0.5, 0.0])
    found = one_side(problem, beta)
    np.testing.assert_array_equal(found, [0.25, 0.0, 0.0, 0.25, 0.0, -0.25, -0.3, 0.0])
    assert one_side(problem, found) is found


def test_landmarks_are_added_to_those_there_are():
    X, y = moons(1500)
    model = LargeSVC(method="landmarks", n_landmarks=10, gamma=5.0, gap_tol=1e-4, warm_start=True)
    found = []
    for count in (10, 10, 40, None):
        with pytest.warns(ConvergenceWarning):
            model.set_params(n_landmarks=count).fit(X, y)
        found.append((set(model.support_), model.certificate_.relative_gap))
    assert [len(support) for support, _ in found] == [10, 10, 40, 80]
    assert all(before <= after for (before, _), (after, _) in itertools.pairwise(found))
    assert found[1][1] <= found[0][1] * (1 + 1e-3) and found[3][1] < 0.5 * found[2][1] < 0.25 * found[1][1]
    assert "goes on from the last fit" in model.method_reason_[0]


def test_landmarks_of_another_kernel_are_sorted_out():
    """Of a wider kernel some that were chosen depend on others."""
    X, y = moons(800)
    model = LargeSVC(method="landmarks", n_landmarks=60, gamma=30.0, warm_start=True)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    model.set_params(gamma=1e-3, n_landmarks=None).fit(X, y)
    assert len(model.support_) < 60
    assert model.certificate_.verify(X, y).status is model.certificate_.status


@pytest.mark.parametrize("method", ["landmarks", "cells", "exact"])
def test_memory_is_kept(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 10)).astype(np.float32)
    y = np.square(X[:, :3]).sum(axis=1) > 2.4
    model = LargeSVC(method=method, memory=30, gap_tol=0.9)
    model.fit(X[:500], y[:500])  # what is imported and compiled at the first fit
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 30e6
    assert model.certificate_.relative_gap <= 0.9


def test_as_many_landmarks_as_memory_has_room_for():
    for rows, memory in ((1000, 1e6), (10**6, 2e9), (10**7, 1e9)):
        count = most_landmarks(memory, rows, rows)
        assert bytes_of(count, rows, rows) <= memory < bytes_of(count + 1, rows, rows) or count == 0


def test_time_that_is_over_leaves_a_machine_with_bounds():
    X, y = moons(3000)
    model = LargeSVC(time_limit=1e-9, gap_tol=1e-12)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(X, y)
    exact = SVC(gap_tol=1e-8).fit(X, y).certificate_
    assert model.certificate_.dual <= exact.primal and exact.dual <= model.certificate_.primal
    assert model.certificate_.status is Status.BUDGET_EXHAUSTED
    assert model.predict(X).shape == (3000,)


def test_bounds_that_take_too_long_are_sampled(monkeypatch):
    X, y = moons(1500)
    monkeypatch.setattr("maxmargin.svm._large_costs.ProofCosts.lower", lambda costs, support: 1e9)
    model = LargeSVC(method="landmarks", n_landmarks=60, time_limit=60)
    with pytest.warns(ConvergenceWarning, match="sampled"):
        model.fit(X, y)
    proof, exact = model.certificate_, SVC(gap_tol=1e-8).fit(X, y).certificate_
    assert proof.confidence < 1 and proof.status is Status.BUDGET_EXHAUSTED
    assert 0 < proof.dual <= exact.primal and exact.dual <= proof.primal
    assert "sampled, by" in model.method_reason_[0]
    assert (model.radius_ == np.inf).all()
    again = proof.verify(X, y)
    assert again.confidence == 1 and again.dual >= proof.dual


def test_exact_steps_without_time_for_a_proof_leave_a_machine(monkeypatch):
    X, y = moons(1500)
    monkeypatch.setattr("maxmargin.svm._large_costs.ProofCosts.upper", lambda costs, terms: 1e9)
    model = LargeSVC(method="exact", time_limit=60)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(X, y)
    assert model.method_reason_[0].endswith("There was no time for their bounds: verify(X, y) computes them.")
    assert "unknown: no bounds were computed" in str(model.certificate_)
    assert model.score(X, y) > 0.8
    assert model.certificate_.verify(X, y).relative_gap < 0.1


def test_multiples_of_multipliers_prove_what_their_own_bound_does():
    X, y = moons(200)
    problem = problem_of(X, y)
    beta = solve_kernel(problem).variables * 0.7
    for share in (0.9, 0.3, 1e-3):
        scaled, found = scaled_bound(problem, beta, lower_bound(problem, beta), share)
        alone = lower_bound(problem, scaled)
        assert found.value <= alone.value + alone.rounding
        assert found.value == pytest.approx(alone.value, rel=1e-9)


def test_a_callback_stops_it():
    X, y = moons(3000)
    model = LargeSVC(method="exact", gap_tol=1e-9, callback=lambda state: True)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"kernel": "precomputed"}, "a matrix or a function"),
        ({"kernel": lambda X, Z: X @ Z.T}, "a matrix or a function"),
        ({"kernel": "sigmoid"}, "positive semi-definite by its formula"),
        ({"C": np.inf}, "'C' parameter of LargeSVC must be"),
        ({"method": "landmarks", "n_landmarks": 100, "memory": 0.001}, "n_landmarks=100 for 60 rows"),
        ({"method": "landmarks", "memory": 0.0001}, "too few for method='landmarks'"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_what_cannot_be_done_is_refused(parameters, words):
    X, y = moons(60)
    if parameters.get("kernel") == "precomputed":
        X = plain_matrix(X)
    with pytest.raises(ValueError, match=words):
        LargeSVC(**parameters).fit(X, y)


def test_the_cases_are_those_of_the_decision_function():
    X, y = moons(400)
    model = LargeSVC(method="landmarks", n_landmarks=5, gap_tol=10.0).fit(X, y)
    cases = model.kkt_cases(X, y)
    assert np.sum(cases.case == 3) == np.sum(model.predict(X) != y) > 0
    assert np.sum(cases.case == 0) == np.sum(np.where(y > 0, 1, -1) * model.decision_function(X) > 1)


def test_rows_that_are_zero_in_feature_space_are_fitted():
    model = LargeSVC(method="landmarks", kernel="linear", gap_tol=1.0).fit(np.zeros((50, 3)), np.arange(50) % 2)
    assert model.certificate_.verify(np.zeros((50, 3)), np.arange(50) % 2).status is not Status.REFUTED


def test_a_radius_of_zero_is_refuted_also_where_the_gap_is_small():
    X, y = moons(600)
    model = LargeSVC().fit(X, y)
    model.radius_ = model.radius_ * 0
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize("C", [1e8, 1e12])
def test_a_large_bound_is_verified_as_precisely_as_it_was_found(C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    model = LargeSVC(C=C).fit(X, X[:, 0] > 0)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(X, X[:, 0] > 0).status is Status.CONVERGED


def test_sums_of_kernels_of_sparse_rows_are_not_refuted():
    rng = np.random.default_rng(0)
    A = sp.csr_matrix(np.where(rng.random((200, 20)) < 0.5, 0, rng.normal(size=(200, 20))))
    y = (A.toarray()[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = LargeSVC(C=1e8, method="landmarks", kernel=RBF(0.5) + Linear(), gap_tol=1e-4)
    with pytest.warns(ConvergenceWarning):
        model.fit(A, y)
    assert model.certificate_.verify(A, y).status is not Status.REFUTED


def test_its_course_is_kept():
    X, y = moons(400)
    assert len(LargeSVC(method="landmarks", trace=True).fit(X, y).trace_.points) > 3


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_rows_beyond_the_range_of_float32_have_landmarks(scale):
    X, y = moons(400)
    at_one, scaled = (LargeSVC(method="landmarks", n_landmarks=40).fit(s * X, y).certificate_ for s in (1.0, scale))
    assert scaled.primal == pytest.approx(at_one.primal, rel=1e-3)
    assert scaled.status is Status.CONVERGED


def test_features_that_overflow_are_named():
    X, y = moons(300)
    model = LargeSVC(C=1e100, method="landmarks")
    with pytest.warns(ConvergenceWarning, match="C=1e\\+100 is too large for features in float32"):
        model.fit(X, y)
    assert model.certificate_.dual == 0.0


def test_few_rows_are_not_advised_to_have_more_landmarks():
    X, y = moons(300)
    with pytest.warns(ConvergenceWarning, match="Set method='auto'"):
        LargeSVC(method="landmarks", gamma=50.0, gap_tol=1e-9).fit(X, y)


def test_words_call_no_sampled_bound_proven():
    X, y = moons()
    model = LargeSVC(method="landmarks", n_landmarks=30).fit(X, y)
    assert "is proven to lie between" in bracket_words(model.certificate_)
    sampled = replace(model.certificate_.problems[0], confidence=0.99)
    words = bracket_words(replace(model.certificate_, problems=(sampled,)))
    assert "lies between" in words and "not proven" in words and "is proven" not in words


# ---------------------------------------------------------------- exact steps among few rows


@pytest.mark.parametrize("regress", [False, True])
def test_rows_near_a_margin_boundary_are_solved_exactly(regress):
    """With the other rows at their bounds, as they are in the exact machine, it is the exact machine."""
    X, y = moons(600)
    C = np.full(len(y), 1.0)
    gram = RBF(2.0).gram(Rows(X), None, 1)
    target = X[:, 0] ** 2 + X[:, 1]
    problem = BoxQP.regressor(gram, target, C, 0.1) if regress else BoxQP.classifier(gram, np.where(y, 1.0, -1.0), C)
    exact = solve_kernel(problem, None, 1e-9, 1e-12)
    residual = problem.p - exact.evidence.image - exact.evidence.intercepts[0]
    inside = (exact.variables > problem.lower) & (exact.variables < problem.upper)
    start = with_right_sum(problem, np.where(inside, 0.5 * exact.variables, exact.variables))
    assert evaluate(problem, start).relative_gap > 1e-4
    found = solve_near_rows(problem, start, residual, None, 1e-8)
    assert is_feasible(problem, found.beta) and found.coefficients is found.beta
    assert evaluate(problem, found.beta).relative_gap <= 1e-6


def test_rows_that_landmarks_do_not_know_take_part():
    """An isolated row moves its own decision value by its multiplier, which the machine of landmarks knows not."""
    X, y = moons(600)
    gram = RBF(2.0).gram(Rows(X), None, 1)
    problem = BoxQP.classifier(gram, np.where(y, 1.0, -1.0), np.full(len(y), 1.0))
    residual, beta = np.full(len(y), 0.9), np.zeros(len(y))
    residual[:60] = 0.01
    few, _ = near_rows._near(problem, beta, residual, np.full(len(y), 0.2))
    left = np.full(len(y), 0.2)
    left[100] = 1.0
    more, variables = near_rows._near(problem, beta, np.where(np.arange(600) < 200, residual, 5.0), left)
    assert 100 in more and set(variables) == set(more)
    assert len(few) == 600  # equally far ones are all taken


def test_what_the_nearest_landmark_leaves_is_no_less_than_what_all_leave():
    X, _ = moons(300)
    gram = RBF(3.0).gram(Rows(X), None, 1)
    landmarks, order = np.arange(0, 300, 10), np.random.default_rng(0).permutation(300)
    left = LandmarkFeatures(gram, landmarks, order, 2).left()
    K = gram.block(np.arange(300), np.arange(300), np.float64)
    Z = K[:, landmarks]
    exact = np.diagonal(K) - np.einsum("ij,ij->i", Z, np.linalg.solve(K[np.ix_(landmarks, landmarks)], Z.T).T)
    assert (left >= exact - 1e-6).all() and left[landmarks].max() <= 1e-4  # float32


@pytest.mark.parametrize("estimator", [LargeSVC, LargeSVR])
def test_exact_steps_after_landmarks(monkeypatch, estimator):
    """What multipliers of landmarks prove is not computed where exact steps follow in any case."""
    monkeypatch.setattr("maxmargin.svm._large_solve._EXACT_AT_ONCE", 100)
    proofs = []
    monkeypatch.setattr(_large_solve, "lower_bound", lambda *a: proofs.append(a) or lower_bound(*a))
    X, y = moons(1500)
    model = estimator(gamma=0.5, gap_tol=1e-5).fit(X, y)
    assert model.method_ == ["exact"] and "landmarks leave" in model.method_reason_[0]
    assert model.certificate_.status is Status.CONVERGED and model.certificate_.relative_gap <= 1e-5
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    assert all(not beta.any() for _, beta in proofs)


def test_a_machine_that_is_far_from_the_exact_one_is_no_start(monkeypatch):
    """Its decision values would cost more than the steps they save."""
    monkeypatch.setattr("maxmargin.svm._large_solve._EXACT_AT_ONCE", 100)
    X, y = moons(1500)
    with pytest.warns(ConvergenceWarning):
        poor = LargeSVC(gamma=300.0, method="landmarks", n_landmarks=5, gap_tol=0.02, C=10.0).fit(X, y)
    assert poor.certificate_.relative_gap > 0.5
    starts = []
    known = _large_solve.solve_kernel
    monkeypatch.setattr(_large_solve, "solve_kernel", lambda p, s, *a, **k: starts.append(s) or known(p, s, *a, **k))
    monkeypatch.setattr(_large_choice.Choice, "cells", lambda choice: None)
    model = LargeSVC(gamma=300.0, n_landmarks=5, gap_tol=0.02, C=10.0).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED and starts == [None]
    assert "Exact from the beginning" in model.method_reason_[0]


def test_where_neither_landmarks_nor_cells_will_do_the_exact_solver_begins(monkeypatch):
    monkeypatch.setattr("maxmargin.svm._large_solve._EXACT_AT_ONCE", 100)
    monkeypatch.setattr("maxmargin.svm._large_choice._FIRST", 20)
    monkeypatch.setattr(_large_choice.Choice, "_mass_between", lambda choice, cells: 0.9)
    X, y = moons(1200)
    model = LargeSVC(gamma=300.0, gap_tol=0.02, C=10.0).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED and model.method_ == ["exact"]
    assert model.method_reason_[0].startswith("Cells leave 90% of the kernel's mass, landmarks ")
    assert "neither is a good start. Exact from the beginning" in model.method_reason_[0]


@pytest.mark.parametrize(("gamma", "most"), [(300.0, 40), (0.05, 160)])
def test_landmarks_are_doubled_while_that_is_likely_to_do(gamma, most, monkeypatch):
    """Four for each root of the number of rows at most, and no more than the first if even those would be too few."""
    monkeypatch.setattr("maxmargin.svm._large_solve._EXACT_AT_ONCE", 100)
    monkeypatch.setattr("maxmargin.svm._large_choice._FIRST", 20)
    asked, known = [], _large_choice.choose_rows
    monkeypatch.setattr(_large_choice, "choose_rows", lambda *a: asked.append(a[1]) or known(*a))
    X, y = moons(1600)
    model = LargeSVC(gamma=gamma, gap_tol=0.01).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert max(asked) <= most and asked == [20 * 2**k for k in range(len(asked))]
