"""The solver of a kernel machine by name: each reaches the same optimum, and is certified by what is recomputed."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from maxmargin.certificates import IndefiniteKernelWarning
from maxmargin.solvers import KERNEL_SOLVER_NAMES
from maxmargin.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

NAMES = sorted(KERNEL_SOLVER_NAMES)
X, Y = make_moons(150, noise=0.3, random_state=0)
T = np.sin(3 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * np.random.default_rng(0).normal(size=len(X))
MACHINES = {
    "SVC": (SVC(C=10), Y),
    "SVC, linear": (SVC(C=1, kernel="linear"), Y),
    "SVC, poly": (SVC(C=1, kernel="poly", coef0=1), Y),
    "SVC, class weights": (SVC(C=1, class_weight={0: 5.0, 1: 0.2}), Y),
    "SVC, three classes": (SVC(C=1), np.where(X[:, 0] > 1, 2, Y)),
    "SVR": (SVR(C=5), T),
    "NuSVC": (NuSVC(nu=0.3), Y),
    "NuSVR": (NuSVR(C=2, nu=0.4), T),
    "OneClassSVM": (OneClassSVM(nu=0.2), None),
}


def test_there_are_four_by_name():
    assert NAMES == ["active_set", "decomposition", "projected_gradient", "smo"]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("solver", NAMES)
def test_each_reaches_the_optimum_and_proves_it(solver, machine):
    model, y = MACHINES[machine]
    best = clone(model).fit(X, y).certificate_
    found = clone(model).set_params(solver=solver, tol=1e-5, gap_tol=1e-5).fit(X, y)
    proof = found.certificate_
    assert str(proof.status) == "converged"
    assert proof.relative_gap <= 1e-5 and proof.kkt_violation <= 1e-5
    for mine, other in zip(proof.problems, best.problems, strict=True):
        size = abs(other.primal)
        assert mine.primal >= other.dual - 1e-9 * size and mine.dual <= other.primal + 1e-9 * size
        assert mine.primal <= other.primal + 2e-5 * size
    assert str(found.certificate_.verify(X, y).status) == "converged"


@pytest.mark.parametrize("solver", NAMES)
def test_eight_points_by_brute_force(solver):
    """All 3^8 sets of multipliers at zero, at C or free, each by its linear system: the best is the optimum."""
    rng = np.random.default_rng(3)
    x, sign, C = rng.normal(size=(8, 2)), np.array([1.0, -1, 1, -1, 1, -1, 1, -1]), 1.5
    K = np.exp(-0.7 * ((x[:, None] - x) ** 2).sum(axis=2))
    Q = sign[:, None] * K * sign
    best = -np.inf
    for code in range(3**8):
        state = np.array([code // 3**k % 3 for k in range(8)])
        a, F = np.where(state == 1, C, 0.0), np.flatnonzero(state == 2)
        if len(F):
            system = np.zeros((len(F) + 1, len(F) + 1))
            system[:-1, :-1], system[:-1, -1], system[-1, :-1] = Q[np.ix_(F, F)], sign[F], sign[F]
            right = np.append(1 - Q[F] @ a, -sign @ a)
            a[F] = np.linalg.solve(system, right)[:-1]
        if abs(sign @ a) < 1e-9 and (a >= -1e-12).all() and (a <= C + 1e-12).all():
            best = max(best, a.sum() - 0.5 * a @ Q @ a)
    model = SVC(C=C, gamma=0.7, solver=solver, gap_tol=1e-8, tol=1e-6).fit(x, sign)
    assert model.certificate_.dual <= best + 1e-9 <= model.certificate_.primal + 1e-8
    assert model.certificate_.dual == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("solver", NAMES)
def test_regression_by_another_method(solver):
    """The epsilon-insensitive dual of 12 points by SciPy's sequential least squares."""
    x, t, C, eps = X[:12], T[:12], 2.0, 0.05
    K = np.exp(-((x[:, None] - x) ** 2).sum(axis=2))

    def dual(b):
        u, v = b[:12], b[12:]
        d = u - v
        return 0.5 * d @ K @ d - t @ d + eps * b.sum()

    constraint = {"type": "eq", "fun": lambda b: b[:12].sum() - b[12:].sum()}
    best = minimize(dual, np.zeros(24), bounds=[(0, C)] * 24, constraints=constraint, options={"ftol": 1e-12}).fun
    model = SVR(C=C, epsilon=eps, gamma=1.0, solver=solver, gap_tol=1e-8, tol=1e-6).fit(x, t)
    assert model.certificate_.dual == pytest.approx(-best, rel=1e-6)


@pytest.mark.parametrize("solver", NAMES)
def test_duplicates_and_more_samples_than_features(solver):
    """A linear kernel of rank 2 on 150 rows, each twice: faces without curvature."""
    x, y = np.vstack([X, X]), np.append(Y, Y)
    model = SVC(kernel="linear", C=3, solver=solver).fit(x, y)
    best = SVC(kernel="linear", C=3).fit(x, y).certificate_
    assert str(model.certificate_.status) == "converged"
    assert model.certificate_.primal == pytest.approx(best.primal, rel=1e-3)


@pytest.mark.parametrize("solver", NAMES)
def test_a_budget_is_kept_and_said(solver):
    with pytest.warns(ConvergenceWarning, match="budget exhausted"):
        model = SVC(C=100, solver=solver, max_iter=3).fit(X, Y)
    assert model.n_iter_[0] <= 3
    better = clone(model).set_params(max_iter=-1).fit(X, Y)
    assert model.certificate_.dual <= better.certificate_.dual + 1e-9


def test_the_certificate_is_not_the_solvers(monkeypatch):
    """A solver that claims to have converged where it began is found out."""
    from maxmargin.certificates import Status
    from maxmargin.solvers import ActiveSet

    monkeypatch.setattr(ActiveSet, "finished", lambda self, last: Status.CONVERGED)
    with pytest.warns(ConvergenceWarning, match="stalled"):
        model = SVC(solver="active_set").fit(X, Y)
    assert str(model.certificate_.status) == "stalled" and model.certificate_.relative_gap > 0.5


@pytest.mark.parametrize("solver", ["projected_gradient", "active_set"])
def test_a_matrix_beyond_the_memory_is_refused(solver):
    with pytest.raises(ValueError, match=f"solver='{solver}' holds the whole kernel matrix"):
        SVC(solver=solver, cache_size=0.1).fit(X, Y)


def test_rows_are_fetched_where_the_matrix_does_not_fit():
    x, y = load_breast_cancer(return_X_y=True)
    small = SVC(solver="smo", cache_size=0.05).fit(scale(x), y)
    assert small.certificate_.primal == pytest.approx(SVC().fit(scale(x), y).certificate_.primal, rel=1e-6)


def test_what_cannot_be_done_is_refused():
    with pytest.raises(ValueError, match="solver"):
        SVC(solver="simplex").fit(X, Y)
    with pytest.raises(ValueError, match=r"hard margin.*needs solver='auto'"):
        SVC(C=np.inf, solver="smo").fit(X[Y == 0], np.arange((Y == 0).sum()) % 2)
    with pytest.raises(ValueError, match="path needs solver='auto'"):
        SVC(solver="smo").path(X, Y, [1.0])
    for solver in ("active_set", "projected_gradient", "decomposition"):
        with pytest.raises(ValueError, match="positive semi-definite"):
            SVC(kernel="sigmoid", gamma=2.0, solver=solver).fit(X, Y)
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel="sigmoid", gamma=2.0, solver="smo").fit(X, Y)
    assert str(model.certificate_.status) == "stationary"


@pytest.mark.parametrize("solver", NAMES)
def test_warm_starts_and_weights(solver):
    weight = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    model = SVC(solver=solver, warm_start=True).fit(X, Y, weight)
    again = model.fit(X, Y, weight)
    assert again.n_iter_[0] == 0 or str(again.certificate_.status) == "converged"
    repeated = SVC(solver=solver).fit(np.repeat(X, weight.astype(int), axis=0), np.repeat(Y, weight.astype(int)))
    assert again.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-3)


@pytest.mark.parametrize("solver", NAMES)
@pytest.mark.parametrize("n", [40, 100])
@pytest.mark.parametrize("share", [0.5, 0.25])
@pytest.mark.parametrize("size", [0.0, 1e-200, 1e-20])
def test_kernel_values_that_are_zero_or_nearly(solver, n, share, size):
    """The gradient is that of the linear term alone, and all multipliers of the smaller class are at their bound."""
    rows, sign = size * np.random.default_rng(0).normal(size=(n, 2)), np.where(np.arange(n) < share * n, 1, -1)
    model = SVC(kernel="linear", C=2.0, solver=solver).fit(rows - rows.mean(axis=0), sign)
    assert str(model.certificate_.status) == "converged"
    assert model.certificate_.relative_gap < 1e-9
    assert model.certificate_.primal == pytest.approx(2 * 2.0 * share * n)


def test_smo_is_not_misled_by_float32():
    """Kernel values of float32 hide violations where C is large; steps over them never ended."""
    rng = np.random.default_rng(0)
    x, sign = rng.normal(size=(100, 5)), rng.integers(0, 2, 100)
    found = SVC(kernel="linear", C=1e4, solver="smo").fit(x, sign)
    best = SVC(kernel="linear", C=1e4).fit(x, sign)
    assert str(found.certificate_.status) == "converged"
    assert found.certificate_.primal == pytest.approx(best.certificate_.primal, rel=1e-6)
    assert found.n_iter_[0] < 10**7


def test_steps_when_no_number_is_named():
    from maxmargin.solvers.kernel._named import _steps_for

    assert _steps_for(200) == 20_000_000  # each looks at 200 variables
    assert 200 * _steps_for(200) < 1000 * _steps_for(1000) < 12e9
    assert _steps_for(10**6) == 100 * 10**6


def test_smo_on_columns_of_different_units_ends_with_advice(monkeypatch):
    """Millions of steps change nothing there: it says why, and which solver would do."""
    monkeypatch.setattr("maxmargin.solvers.kernel._named._LOOKS", 120_000_000)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4)) * [1.0, 1.0, 1e3, 1e3]
    y = x[:, 0] + x[:, 2] / 1e3 + 0.5 * rng.normal(size=200) > 0
    with pytest.warns(ConvergenceWarning, match=r"Scale the features .*solver='auto'.*warm_start=True") as caught:
        model = SVC(kernel="linear", C=10.0, solver="smo").fit(x, y)
    assert len(caught) == 1
    assert str(model.certificate_.status) == "budget exhausted"
    assert model.n_iter_[0] == 200_000
    assert str(SVC(kernel="linear", C=10.0).fit(x, y).certificate_.status) == "converged"
