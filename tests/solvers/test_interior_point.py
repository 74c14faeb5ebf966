"""The interior point: exact on small problems, the same machine as the kernel's solver, truthful on hard data."""

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.data import Rows
from maxmargin.losses import make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import Monitor, solve_risk
from maxmargin.svm import SVC


def _risk(X, y, C=1.0, loss="hinge", penalty="l2", weights=None):
    c = C * (np.ones(len(y)) if weights is None else weights)
    return Risk(Rows(X), y, c, make_loss(loss, 0.1), make_penalty(penalty), True, 1)


@pytest.fixture
def samples(clouds):
    X, y = clouds(n=200, d=4)
    return X, np.where(y == 1, 1.0, -1.0)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_same_machine_as_the_kernel_solver(samples, C):
    X, y = samples
    ours = solve_risk(_risk(X, y, C), "interior_point", tolerance=1e-10)
    svc = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    assert ours.status is Status.CONVERGED
    assert ours.evidence.primal == pytest.approx(svc.certificate_.primal, rel=1e-9)
    assert ours.variables[:-1] == pytest.approx(svc.coef_[0], rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("penalty", ["l2", "l1", "elastic_net"])
@pytest.mark.parametrize("loss", ["hinge", "epsilon_insensitive"])
def test_small_problems_are_exact(samples, loss, penalty):
    X, y = samples
    solution = solve_risk(_risk(X, y, loss=loss, penalty=penalty), "interior_point")
    assert solution.evidence.relative_gap <= 1e-12
    if penalty == "l1":
        assert (solution.variables[:-1][np.abs(solution.variables[:-1]) < 1e-6] == 0).all()  # zeros are zeros


def test_a_weight_of_two_is_the_row_twice(samples):
    X, y = samples
    weights = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    weights[:5] = 0.0
    weighted = solve_risk(_risk(X, y, weights=weights), "interior_point").variables
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    repeated = solve_risk(_risk(X[again], y[again]), "interior_point").variables
    assert weighted == pytest.approx(repeated, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_unscaled_columns_end_truthfully(samples, scale):
    X, y = samples
    solution = solve_risk(_risk(X * [scale, 1, 1, 1], y), "interior_point", tolerance=1e-4)
    assert np.isfinite(solution.variables).all()
    assert (solution.status is Status.CONVERGED) == (solution.evidence.relative_gap <= 1e-4)


@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.ones((6, 2)), np.arange(12.0).reshape(6, 2)])
def test_degenerate_rows(X):
    y = np.array([1.0, -1, 1, -1, 1, 1])
    solution = solve_risk(_risk(X, y), "interior_point", tolerance=1e-6)
    assert solution.status is Status.CONVERGED


def test_stops_when_it_is_told(samples):
    X, y = samples
    monitor = Monitor(callback=lambda state: state["iteration"] >= 2)
    solution = solve_risk(_risk(X, y), "interior_point", tolerance=1e-12, monitor=monitor)
    assert solution.status is Status.INTERRUPTED
    assert solution.iterations == 2
    assert np.isfinite(solution.evidence.primal)
