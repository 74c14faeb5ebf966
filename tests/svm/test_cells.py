"""Machines trained in cells: one intercept for all of them, feasible whatever ends the fit."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from tests.svm import fuzz_large
from tests.svm.test_interrupt import InterruptAt
from tests.svm.test_large import moons, problem_of

from maxmargin.certificates import Status, is_feasible, violation_at
from maxmargin.data import Rows
from maxmargin.kernels import RBF, TiledGram
from maxmargin.problems import BoxQP
from maxmargin.solvers import Monitor
from maxmargin.solvers.large import TimeLimit, _cell_machines, cell_size, make_cells, solve_in_cells
from maxmargin.solvers.large._cell_machines import CellMachines
from maxmargin.svm import SVC, SVR, LargeSVC, LargeSVR


@pytest.fixture
def small_cells(monkeypatch):
    monkeypatch.setattr("maxmargin.svm._large_choice._CELL", 100)
    monkeypatch.setattr("maxmargin.svm._large_choice._LARGEST_CELL", 100)


def islands(rng, count=12, rows=150):
    """Clouds so far from each other that the kernel of gamma = 1 is zero between them; most are of one class."""
    centre = 100.0 * np.arange(count)
    place = np.repeat(np.arange(count), rows)
    X = np.column_stack([centre[place], np.zeros(len(place))]) + rng.normal(size=(len(place), 2))
    mixed = (rng.uniform(size=len(place)) < 0.3) & (place >= count - 2)
    y = ((place % 4 == 3) ^ mixed).astype(int)
    order = rng.permutation(len(place))
    return X[order], y[order], place[order]


def cells_of(problem, size=100):
    return make_cells(problem.gram, size, np.random.default_rng(0), 2)


# ---------------------------------------------------------------- cells


def test_boundaries_run_where_the_kernel_is_small():
    X, _, place = islands(np.random.default_rng(0))
    cells = make_cells(RBF(1.0).gram(Rows(X), None, 1), 100, np.random.default_rng(0), 2)
    assert len(cells) == 12
    assert all(len(np.unique(place[rows])) == 1 for rows in cells)


def test_matrices_of_cells_fit_into_memory():
    assert cell_size(3000, 1, 2e9, 2) == 3000
    for memory, threads, variables in ((1e8, 2, 1), (1e9, 8, 2), (1e10, 4, 2)):
        rows = cell_size(3000, variables, memory, threads)
        assert threads * 8 * (2 * rows * variables) ** 2 <= memory
        assert rows * variables <= 3000


@pytest.mark.parametrize("b", [-1.5, -0.3, 0.0, 0.7])
@pytest.mark.parametrize("memory", [0, 10**9])  # kernel values are computed anew, or kept
def test_each_cell_is_optimal_at_the_given_intercept(b, memory):
    X, y = moons(700)
    problem = problem_of(X, y, C=2.0)
    cells = cells_of(problem)
    machines = CellMachines(problem, cells, 1e-4, TimeLimit(None), 2, memory, None)
    found = machines.solve(b, np.zeros(problem.n))
    again = machines.solve(b, found.beta)
    assert len(cells) > 3 and found.finished and again.finished
    for multipliers in (found.beta, again.beta):
        for rows in cells:
            gram = problem.gram.restricted(rows)
            part = BoxQP(gram, problem.p[rows], problem.lower[rows], problem.upper[rows])
            residual = part.p - part.image(multipliers[rows])
            assert violation_at(part, multipliers[rows], residual, [b]) <= 2e-4


def test_the_tangent_is_the_change_with_the_intercept():
    X, y = moons(700)
    problem = problem_of(X, y, C=2.0)
    machines = CellMachines(problem, cells_of(problem), 1e-8, TimeLimit(None), 1, 10**9, None)
    machines.dtype = np.float64
    sums = [machines.solve(b, np.zeros(problem.n)).beta.sum() for b in (-0.1, 0.0, 0.1)]
    slope = machines.solve(0.0, np.zeros(problem.n)).tangent.sum()
    assert sums[0] > sums[1] > sums[2]
    assert sums[2] - sums[0] == pytest.approx(0.2 * slope, rel=0.3)


# ---------------------------------------------------------------- the joined machine


@pytest.mark.parametrize("storage", [np.asarray, lambda X: X.astype(np.float32), sp.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_that_do_not_reach_each_other_are_the_exact_machine(small_cells, storage, weighted):
    rng = np.random.default_rng(1)
    X, y, _ = islands(rng)
    weights = rng.choice([0.2, 1.0, 4.0], len(y)) if weighted else None
    model = LargeSVC(gamma=1.0, C=3.0, method="cells", gap_tol=1e-3).fit(storage(X), y, sample_weight=weights)
    assert "12 cells" in model.method_reason_[0]
    assert model.certificate_.status is Status.CONVERGED
    exact = SVC(gamma=1.0, C=3.0, gap_tol=1e-7).fit(storage(X), y, sample_weight=weights)
    assert model.certificate_.dual <= exact.certificate_.primal
    assert model.certificate_.primal >= exact.certificate_.dual
    assert model.intercept_ == pytest.approx(exact.intercept_, abs=0.02)


def test_cells_of_a_regressor_have_one_intercept(small_cells):
    rng = np.random.default_rng(2)
    X, _, place = islands(rng)
    y = 5.0 + 0.5 * place + np.sin(X[:, 1]) + 0.1 * rng.normal(size=len(place))
    model = LargeSVR(gamma=1.0, C=2.0, method="cells", gap_tol=1e-3).fit(X, y)
    exact = SVR(gamma=1.0, C=2.0, gap_tol=1e-7).fit(X, y).certificate_
    assert "cells of" in model.method_reason_[0]
    assert model.certificate_.dual <= exact.primal and model.certificate_.primal >= exact.dual
    # a row has two variables, so that cells have half the rows, and some boundaries cut through a cloud
    assert model.certificate_.relative_gap <= 0.1


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_cells_of_a_kernel_that_reaches_far_still_bound_the_optimum(small_cells, kernel):
    X, y = moons(900)
    model = LargeSVC(kernel=kernel, gamma=0.1, C=10.0, method="cells", gap_tol=10.0).fit(X, y)
    exact = SVC(kernel=kernel, gamma=0.1, C=10.0, gap_tol=1e-6).fit(X, y).certificate_
    found = model.certificate_
    assert 0 < found.dual <= exact.primal and found.primal >= exact.dual
    assert found.relative_gap <= 1
    constant = 10.0 * 2 * min(np.bincount(y))  # the objective of the machine that says the larger class
    assert found.primal <= constant * (1 + 1e-12)
    assert found.verify(X, y).status is Status.CONVERGED


@pytest.mark.parametrize("seed", range(8))
def test_random_machines_in_several_cells_hold_the_exact_optimum(small_cells, monkeypatch, seed):
    monkeypatch.setattr(fuzz_large, "METHODS", ("cells",))
    wrong, what = fuzz_large.faults(np.random.default_rng([11, seed]), 900)
    assert not wrong, what


def test_exact_steps_go_on_from_cells(monkeypatch, small_cells):
    monkeypatch.setattr("maxmargin.svm._large_solve._EXACT_AT_ONCE", 100)
    X, y = moons(1500)
    model = LargeSVC(gamma=300.0, memory=0.3, gap_tol=1e-6).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED and "Exact steps from there" in model.method_reason_[0]
    exact = SVC(gamma=300.0, gap_tol=1e-8).fit(X, y).certificate_
    assert model.certificate_.dual <= exact.primal and model.certificate_.primal >= exact.dual


# ---------------------------------------------------------------- what ends it early


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("reports", [1, 2, 5, 9])
def test_what_a_callback_leaves_is_feasible(threads, reports):
    X, y = moons(900)
    problem = problem_of(X, y, C=5.0, gamma=30.0)
    left = [reports]

    def stop(state):
        left[0] -= 1
        return left[0] <= 0

    found = solve_in_cells(problem, cells_of(problem), 1e-3, TimeLimit(None), threads, 10**9, Monitor(callback=stop))
    assert is_feasible(problem, found.beta) and not found.finished


def test_time_that_is_over_leaves_zeros():
    X, y = moons(900)
    problem = problem_of(X, y)
    found = solve_in_cells(problem, cells_of(problem), 1e-3, TimeLimit(0.0))
    assert not found.beta.any() and not found.finished


class EndsAfter(TimeLimit):
    """Time that is over at a look at the clock, counted from 1."""

    looks = 0

    def __init__(self, last):
        super().__init__(None)
        self.last = last

    @property
    def over(self):
        self.looks += 1
        return self.looks >= self.last


@pytest.mark.parametrize("last", [1, 2, 4])
def test_a_cell_looks_at_the_clock_while_its_matrix_is_computed(monkeypatch, last):
    """It took seconds to the end of a matrix, its steps and its tangent."""
    X, y = moons(2000)
    problem = problem_of(X, y)
    blocks, known = [], TiledGram.block
    monkeypatch.setattr(TiledGram, "block", lambda self, *a: blocks.append(len(a[0])) or known(self, *a))
    machines = CellMachines(problem, [np.arange(2000)], 1e-3, EndsAfter(last), 1, 10**9, None)
    found = machines.solve(0.0, np.zeros(2000))
    assert not found.finished and not found.beta.any() and not found.tangent.any()
    assert sum(blocks) <= 256 * (last - 1)


def test_the_steps_of_a_large_cell_are_fewer_between_two_looks_at_the_clock(monkeypatch):
    X, y = moons(3000)
    steps, known = [], _cell_machines.smo
    monkeypatch.setattr(_cell_machines, "_VALUES_A_CALL", 3_600_000)
    monkeypatch.setattr(_cell_machines, "smo", lambda *a: steps.append(a[7]) or known(*a))
    machines = CellMachines(problem_of(X, y, C=10.0), [np.arange(3000)], 1e-3, EndsAfter(14), 1, 10**9, None)
    found = machines.solve(0.0, np.zeros(3000))  # a look before the cell, 12 in its matrix
    assert steps == [1200]
    assert not found.finished and found.beta.any() and not found.tangent.any()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("at", [1, 3, 7])
def test_ctrl_c_leaves_a_machine_with_bounds(small_cells, at, n_jobs):
    X, y, _ = islands(np.random.default_rng(3))
    model = LargeSVC(gamma=1.0, method="cells", callback=InterruptAt(at), gap_tol=1e-3, n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    exact = SVC(gamma=1.0, gap_tol=1e-7).fit(X, y).certificate_
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.certificate_.dual <= exact.primal and model.certificate_.primal >= exact.dual
    assert model.predict(X).shape == y.shape
    assert model.certificate_.verify(X, y).status is not Status.REFUTED


def test_a_callback_ends_the_fit(small_cells):
    X, y, _ = islands(np.random.default_rng(3))
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = LargeSVC(gamma=1.0, method="cells", callback=lambda state: True, gap_tol=1e-3).fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
