"""Optimality cases against exact references: rational arithmetic, brute force, linear programs, bounded least squares.

That cases are those of the optimum can be checked without a solver. They say which multipliers are 0 and which are C;
the others follow from linear equations, since their samples have the margin 1. If the multipliers that solve them are
between their bounds and all other margins are on their sides, the conditions of optimality hold, and the cases are
right.
"""

from __future__ import annotations

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog, lsq_linear
from sklearn.exceptions import ConvergenceWarning

from maxmargin.linear_model import LinearClassifier
from maxmargin.svm import SVC, SVR, LargeSVC, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

OUTSIDE, ON, RIGHT, WRONG, ZERO, UNDECIDED = range(6)
STRENGTHS = [1e-3, 1e-1, 1.0, 30.0, 1e3]


def made(seed, n=60, d=4, scaled=True):
    """Rows of two classes that overlap; unscaled, in columns of quite different sizes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    y = np.where(x @ rng.normal(size=d) + 0.8 * rng.normal(size=n) > 0.3, 1, 0)
    y[:2] = 0, 1
    return (x if scaled else x * 10.0 ** rng.uniform(-2, 3, size=d) + rng.normal(size=d)), y


# ---------------------------------------------------------------- rational arithmetic


def solved(rows, right):
    """The solution of linear equations in rational numbers; None if they are singular."""
    rows = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for k in range(len(rows)):
        pivot = next((r for r in range(k, len(rows)) if rows[r][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for r in range(len(rows)):
            if r != k and rows[r][k] != 0:
                rows[r] = [a - rows[r][k] * b for a, b in zip(rows[r], rows[k], strict=True)]
    return [row[-1] for row in rows]


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def is_optimal(x, sign, c, case, intercept=True):
    """Whether cases meet the conditions of optimality of the hinge with 1/2 ||w||^2, strictly, without any rounding."""
    x = [[Fraction(float(v)) for v in row] for row in x]
    sign, c = [Fraction(int(s)) for s in sign], [Fraction(float(v)) for v in c]
    inside = [i for i, k in enumerate(case) if k > ON]
    on = [i for i, k in enumerate(case) if k == ON]
    start = [sum((c[i] * sign[i] * x[i][j] for i in inside), Fraction(0)) for j in range(len(x[0]))]
    rows = [[sign[k] * dot(x[k], x[j]) for k in on] + [Fraction(1)] * intercept for j in on]
    right = [sign[j] - dot(start, x[j]) for j in on]
    if intercept:
        rows.append([sign[k] for k in on] + [Fraction(0)])
        right.append(-sum((c[i] * sign[i] for i in inside), Fraction(0)))
    if intercept and not on:  # any intercept of an interval is best
        least, most = [-(Fraction(10) ** 30)], [Fraction(10) ** 30]
        for row, s, k in zip(x, sign, case, strict=True):
            (least if (k == OUTSIDE) == (s > 0) else most).append(s - dot(row, start))
        return right == [0] and max(least) < min(most)
    found = solved(rows, right)
    if found is None:
        return False
    alpha, b = found[: len(on)], found[-1] if intercept else Fraction(0)
    w = [
        v + sum((a * sign[k] * x[k][j] for a, k in zip(alpha, on, strict=True)), Fraction(0))
        for j, v in enumerate(start)
    ]
    z = [s * (dot(row, w) + b) for row, s in zip(x, sign, strict=True)]
    return (
        all(0 < a < c[k] for a, k in zip(alpha, on, strict=True))
        and all(z[i] < 1 for i in inside)
        and all(z[i] > 1 for i, k in enumerate(case) if k == OUTSIDE)
    )


def check_hinge(model, x, y, C, weight=None, intercept=True):
    cases = model.kkt_cases(x, y, weight)
    classes = np.unique(y)
    dense = x.toarray() if sp.issparse(x) else x
    for k in range(1 if len(classes) == 2 else len(classes)):
        mine = cases.problem == k
        used, case = cases.sample[mine], cases.case[mine]
        positive = classes[1] if len(classes) == 2 else classes[k]
        sign = np.where(y == positive, 1, -1)[used]
        bound = (C * (np.ones(len(y)) if weight is None else weight))[used]
        assert (case != UNDECIDED).all()
        assert is_optimal(dense[used], sign, bound, case, intercept)
        f = model.decision_function(x) if len(classes) == 2 else model.decision_function(x)[:, k]
        np.testing.assert_array_equal(case[case > ON] == WRONG, (sign * f[used] < 0)[case > ON])
    return cases


def test_the_referee_refuses_every_other_case():
    x, y = made(0, n=25, d=2)
    case = SVC(kernel="linear", C=1.0).fit(x, y).kkt_cases(x, y).case
    sign, c = 2 * y - 1, np.ones(25)
    assert is_optimal(x, sign, c, case)
    for i in range(25):
        for other in {OUTSIDE, ON, RIGHT} - {min(case[i], RIGHT)}:
            assert not is_optimal(x, sign, c, np.where(np.arange(25) == i, other, case))


@pytest.mark.parametrize("scaled", [True, False], ids=["scaled", "unscaled"])
@pytest.mark.parametrize("C", STRENGTHS)
@pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "origin"])
def test_hinge(C, scaled, intercept):
    """As they are after a fit of default settings, with multipliers of all samples between their bounds."""
    decided = 0
    for seed in range(6):
        x, y = made(seed, d=1 + seed, scaled=scaled)
        if not intercept and not scaled:
            x = x - x.mean(axis=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LinearSVC(loss="hinge", C=C, fit_intercept=intercept).fit(x, y)
        if model.fit_status_ == 0:
            check_hinge(model, x, y, C, intercept=intercept)
            decided += 1
    assert decided >= 4


@pytest.mark.parametrize("seed", range(4))
def test_hinge_of_sparse_rows_weights_float32_and_several_classes(seed):
    rng = np.random.default_rng(seed)
    x, y = made(seed, n=80, d=6)
    x = np.where(rng.uniform(size=x.shape) < 0.5, 0.0, x)
    check_hinge(LinearSVC(loss="hinge").fit(sp.csr_array(x), y), sp.csr_array(x), y, 1.0)
    weight = rng.choice([0.0, 0.5, 1.0, 2.0], size=80)
    check_hinge(LinearSVC(loss="hinge", C=0.5).fit(x, y, weight), x, y, 0.5, weight)
    check_hinge(LinearSVC(loss="hinge").fit(x.astype(np.float32), y), x.astype(np.float32), y, 1.0)
    three = y + (x[:, 0] > 0.5)
    check_hinge(LinearSVC(loss="hinge", C=0.3).fit(x, three), x, three, 0.3)


@pytest.mark.parametrize("solver", ["interior_point", "dual_coordinate", "sgd", "primal_dual"])
def test_hinge_by_every_solver_that_converges(solver):
    for seed in range(3):
        x, y = made(seed)
        model = LinearClassifier("hinge", solver=solver, tol=1e-2, max_iter=20_000).fit(x, y)
        assert model.certificate_.status.value == "converged"
        check_hinge(model, x, y, 1.0)


@pytest.mark.parametrize("C", STRENGTHS)
def test_the_kernel_machine(C):
    for seed in range(4):
        x, y = made(seed, d=2 + seed)
        check_hinge(SVC(kernel="linear", C=C).fit(x, y), x, y, C)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            rough = SVC(kernel="linear", C=C, solver="smo", tol=1e-2).fit(x, y)
        if rough.fit_status_ == 0:
            check_hinge(rough, x, y, C)


def test_brute_force():
    """Of all 3^6 ways to give six samples cases, the one that is optimal."""
    tried = 0
    for seed in range(12):
        x, y = made(seed, n=6, d=1 + seed % 2)
        sign, c = 2 * y - 1, np.full(6, 0.7)
        best = [case for case in itertools.product((OUTSIDE, ON, RIGHT), repeat=6) if is_optimal(x, sign, c, case)]
        if not best:  # all samples at their bounds: more than one intercept is best
            continue
        assert len(best) == 1
        tried += 1
        for model in (LinearSVC(loss="hinge", C=0.7), SVC(kernel="linear", C=0.7)):
            case = model.fit(x, y).kkt_cases(x, y).case
            np.testing.assert_array_equal(np.minimum(case, RIGHT), best[0])
    assert tried >= 6


# ---------------------------------------------------------------- ties


def least_violation(x, sign, c, case):
    """How far the equations of the samples on the boundary are from being solvable within the bounds, and margins."""
    on, inside = case == ON, (case > ON)
    start = (c[inside] * sign[inside]) @ x[inside]
    rows = np.vstack([(sign[on] * (x[on] @ x[on].T)).reshape(on.sum(), -1), sign[on][None]])
    rows = np.column_stack([rows, np.append(np.ones(on.sum()), 0.0)])
    right = np.append(sign[on] - x[on] @ start, -(c[inside] @ sign[inside]))
    ends = np.append(np.zeros(on.sum()), -np.inf), np.append(c[on], np.inf)
    found = lsq_linear(rows, right, bounds=ends, tol=1e-14, method="bvls", max_iter=2000).x
    w = start + (found[:-1] * sign[on]) @ x[on]
    return np.abs(rows @ found - right).max(), sign * (x @ w + found[-1])


@pytest.mark.parametrize("seed", range(8))
def test_ties_and_equal_rows(seed):
    """Equal samples have equal cases, whatever multipliers a solver has given each."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-2, 3, size=(40, 2)).astype(float)
    y = (x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=40) > 0).astype(int)
    x, y = np.vstack([x, x[:15]]), np.append(y, y[:15])
    sign, c = 2.0 * y - 1, np.full(55, 0.4)
    for model in (LinearSVC(loss="hinge", C=0.4), SVC(kernel="linear", C=0.4)):
        case = model.fit(x, y).kkt_cases(x, y).case
        assert (case != UNDECIDED).all() and (case == ON).any()
        for row in np.unique(np.column_stack([x, y]), axis=0):
            same = (np.column_stack([x, y]) == row).all(axis=1)
            assert len(set(case[same])) == 1
        off, z = least_violation(x, sign, c, case)
        assert off < 1e-9
        assert (z[case == OUTSIDE] > 1 + 1e-9).all() and (z[case > ON] < 1 - 1e-9).all()


# ---------------------------------------------------------------- squares, tubes, other penalties


@pytest.mark.parametrize("C", STRENGTHS)
@pytest.mark.parametrize("scaled", [True, False], ids=["scaled", "unscaled"])
def test_squared_hinge(C, scaled):
    """Given who pays, the weights are those of least squares; the others must not want to pay."""
    for seed in range(4):
        x, y = made(seed, scaled=scaled)
        sign, ones = 2.0 * y - 1, np.column_stack([x, np.ones(len(x))])
        case = LinearSVC(C=C).fit(x, y).kkt_cases(x, y).case
        assert (case != UNDECIDED).all() and (case != ON).all()
        pays = case > ON
        penalty = np.diag(np.append(np.ones(x.shape[1]), 0.0))
        A = np.vstack([np.sqrt(2 * C) * ones[pays], penalty])
        theta = np.linalg.lstsq(A, np.append(np.sqrt(2 * C) * sign[pays], np.zeros(len(penalty))), rcond=1e-15)[0]
        z = sign * (ones @ theta)
        assert (z[pays] < 1).all() and (z[~pays] > 1).all()


@pytest.mark.parametrize("loss", ["hinge", "tube"])
@pytest.mark.parametrize("C", [0.05, 0.3, 1.0, 30.0])
def test_l1_penalty_by_a_linear_program(C, loss):
    for seed in range(4):
        x, y = made(seed)
        n, d = x.shape
        rng = np.random.default_rng(seed)
        target = x @ np.arange(d) + rng.normal(size=n)
        cost = np.concatenate([np.ones(2 * d), [0.0], np.full(n, C)])
        limits = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n
        both = np.hstack([x, -x, np.ones((n, 1))])
        sign = 2.0 * y - 1
        if loss == "hinge":
            A, b = np.hstack([-sign[:, None] * both, -np.eye(n)]), -np.ones(n)
            cases = LinearSVC("l1", "hinge", C=C).fit(x, y).kkt_cases(x, y)
        else:
            A = np.vstack([np.hstack([-both, -np.eye(n)]), np.hstack([both, -np.eye(n)])])
            b = np.concatenate([0.3 - target, 0.3 + target])
            cases = LinearSVR(penalty="l1", C=C, epsilon=0.3).fit(x, target).kkt_cases(x, target)
        best = linprog(cost, A, b, bounds=limits, method="highs")
        f = both @ best.x[: 2 * d + 1]
        assert (cases.names() != "undecided at this gap").all()
        if loss == "hinge":
            z = sign * f
            expected = np.where(np.abs(z - 1) < 1e-8, ON, np.where(z > 1, OUTSIDE, RIGHT))
            np.testing.assert_array_equal(np.minimum(cases.case, RIGHT), expected)
        else:
            r = target - f
            edge = np.abs(np.abs(r) - 0.3) < 1e-8
            np.testing.assert_array_equal(
                cases.case, np.where(edge, 1, np.where(np.abs(r) < 0.3, 0, np.where(r > 0, 2, 3)))
            )
        assert (cases.case == ON).any()


@pytest.mark.parametrize("scaled", [True, False], ids=["scaled", "unscaled"])
@pytest.mark.parametrize("epsilon", [0.0, 0.4])
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0])
def test_tube(C, epsilon, scaled):
    """Coefficients of the samples on the edge follow from linear equations, as multipliers do."""
    for seed in range(4):
        x, _ = made(seed, scaled=scaled)
        rng = np.random.default_rng(seed)
        target = x @ rng.normal(size=4) / np.abs(x).max() + rng.normal(size=60)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            models = [LinearSVR(C=C, epsilon=epsilon), SVR(kernel="linear", C=C, epsilon=epsilon, cache_size=100)]
            found = [m.fit(x, target).kkt_cases(x, target) for m in models]
        for model, cases in zip(models, found, strict=True):
            if model.certificate_.status.value != "converged":
                assert cases.note
                continue
            case = cases.case
            left = case == 4  # in columns from 0.07 to 1450 a proof may miss rows near the edge, and states no case
            assert left.sum() <= (0 if scaled else 3)
            case = np.where(left, np.where(cases.margin > 0, 0, np.where(target > model.predict(x), 2, 3)), case)
            on, side = case == 1, np.where(target - model.predict(x) > 0, 1.0, -1.0)
            beyond = np.select([case == 2, case == 3], [C, -C], 0.0)
            if not on.any():
                assert beyond.sum() == pytest.approx(0, abs=1e-12 * C)
                rest = target - x @ (beyond @ x)
                ends = [
                    (rest + epsilon)[case == 3].max(initial=-np.inf),
                    (rest - epsilon)[case == 0].max(initial=-np.inf),
                ]
                other = [
                    (rest - epsilon)[case == 2].min(initial=np.inf),
                    (rest + epsilon)[case == 0].min(initial=np.inf),
                ]
                assert max(ends) < min(other)
                continue
            K = x @ x.T
            A = np.vstack([np.column_stack([K[np.ix_(on, on)], np.ones(on.sum())]), np.append(np.ones(on.sum()), 0.0)])
            right = np.append((target - epsilon * side - K @ beyond)[on], -beyond.sum())
            found_on = np.linalg.lstsq(A, right, rcond=1e-15)[0]
            beta = beyond.copy()
            beta[on] = found_on[:-1]
            r = target - (K @ beta + found_on[-1])
            near = 1e-6
            assert np.abs(A @ found_on - right).max() < near
            low = -C if epsilon == 0 else 0.0
            assert (side[on] * beta[on] > low - near).all() and (side[on] * beta[on] < C + near).all()
            assert (np.abs(r[case == 0]) < epsilon).all()
            assert (r[case == 2] > epsilon).all() and (r[case == 3] < -epsilon).all()


@pytest.mark.parametrize(
    "model",
    [LinearClassifier("hinge", "elastic_net", C=0.5), LinearClassifier("squared_hinge", "elastic_net", C=0.5)]
    + [LinearClassifier("squared_hinge", "l1", C=0.5), LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.2)],
    ids=repr,
)
def test_default_settings_say_the_same_as_the_tightest(model):
    for seed in range(5):
        x, y = made(seed)
        target = x[:, 0] + y if isinstance(model, LinearSVR) else y
        rough = model.set_params(tol=1e-2).fit(x, target)
        said = rough.kkt_cases(x, target).case
        tight = model.set_params(tol=1e-11).fit(x, target)
        f = tight.predict(x) if isinstance(model, LinearSVR) else tight.decision_function(x)
        if isinstance(model, LinearSVR):
            r = target - f
            expected = np.where(np.abs(r) < 0.2, 0, np.where(r > 0, 2, 3))
        else:
            z = (2 * y - 1) * f
            expected = np.where(np.abs(z - 1) < 1e-4, ON, np.where(z > 1, OUTSIDE, RIGHT))
            said = np.minimum(said, RIGHT)
        np.testing.assert_array_equal(said, expected)


@pytest.mark.parametrize(
    "model",
    [
        SVC(),
        SVC(C=100.0),
        SVC(solver="smo"),
        NuSVC(nu=0.4),
        SVR(epsilon=0.2),
        SVR(C=30.0),
        NuSVR(),
        OneClassSVM(nu=0.3),
    ],
    ids=repr,
)
def test_kernel_machines_say_the_same_as_the_tightest(model):
    for seed in range(4):
        x, y = made(seed, n=150)
        target = x[:, 0] ** 2 + np.random.default_rng(seed).normal(size=150) if "SVR" in type(model).__name__ else y
        said = model.set_params(tol=1e-3, gap_tol=None).fit(x, target).kkt_cases(x, target)
        tight = model.set_params(tol=1e-9, gap_tol=1e-8).fit(x, target).kkt_cases(x, target)
        np.testing.assert_array_equal(said.case, tight.case)
        assert not said.note


# ---------------------------------------------------------------- the decision boundary itself


@pytest.mark.parametrize(
    "model",
    [SVC(kernel="linear", C=0.1), SVC(C=0.1, gamma=0.5), LargeSVC(kernel="linear", C=0.1)]
    + [LinearSVC(C=0.1, fit_intercept=False), LinearSVC("l1", "hinge", C=0.3, fit_intercept=False)]
    + [LinearSVC(loss="hinge", C=0.1), LinearClassifier("hinge", C=0.1, fit_intercept=False)],
    ids=repr,
)
def test_a_sample_on_the_decision_boundary_is_neither(model):
    x = np.array([[-2.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    y = np.array([0, 0, 1, 1, 0, 1])
    cases = model.fit(x, y).kkt_cases(x, y)
    assert list(cases.names()[4:]) == ["inside, on the decision boundary"] * 2
    assert cases.counts()["inside, on the decision boundary"] == 2
    assert "inside, on the decision boundary" in str(cases)
    assert cases.counts()["inside, misclassified"] == 0


def test_where_no_row_holds_the_intercept_it_is_the_optimum_of_the_model():
    """Two rows at distance 1 with C = 1: w = 1, and every intercept from -1 to 0 is best."""
    x, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    model = LinearSVC(loss="hinge").fit(x, y)
    z = np.array([-1, 1]) * model.decision_function(x)
    place = np.where(np.abs(z - 1) < 1e-9, ON, np.where(z > 1, OUTSIDE, np.where(z == 0, ZERO, RIGHT)))
    np.testing.assert_array_equal(model.kkt_cases(x, y).case, place)


def test_targets_that_are_all_met():
    x, _ = made(0)
    assert (LinearSVR().fit(x, np.ones(60)).kkt_cases(x, np.ones(60)).case == 1).all()
    line = x @ np.arange(4)
    assert (LinearSVR(C=100.0).fit(x, line).kkt_cases(x, line).case == 1).all()


# ---------------------------------------------------------------- fits that have not converged


@pytest.mark.parametrize(
    "model",
    [LinearSVC(loss="hinge", max_iter=2), LinearSVC(max_iter=1), LinearClassifier("hinge", solver="sgd", max_iter=20)]
    + [LinearClassifier("hinge", solver="sgd", max_iter=2, tol=1e-9), LinearSVC("l1", max_iter=1)],
    ids=repr,
)
def test_a_linear_fit_that_has_not_converged_says_only_what_its_gap_proves(model):
    for seed in range(4):
        x, y = made(seed, n=300)
        with pytest.warns(ConvergenceWarning):
            model.fit(x, y)
        cases = model.kkt_cases(x, y)
        assert "has not converged" in cases.note and cases.note in str(cases)
        exact = model.__class__(**{**model.get_params(), "max_iter": 5000, "tol": 1e-10, "solver": "auto"}).fit(x, y)
        truth, decided = exact.kkt_cases(x, y).case, cases.case != UNDECIDED
        assert not decided.all()
        np.testing.assert_array_equal(np.minimum(cases.case, RIGHT)[decided], np.minimum(truth, RIGHT)[decided])


@pytest.mark.parametrize(
    "model", [SVC(max_iter=1), NuSVC(max_iter=1), SVR(max_iter=1), NuSVR(max_iter=1), OneClassSVM(max_iter=1)], ids=repr
)
def test_a_kernel_fit_that_has_not_converged_states_no_case_that_its_margins_contradict(model):
    x, y = made(1, n=200)
    target = x[:, 0] + y if "SVR" in type(model).__name__ else y
    with pytest.warns(ConvergenceWarning):
        model.fit(x, target)
    cases = model.kkt_cases(x, target)
    assert "has not converged" in cases.note and cases.counts()["undecided at this gap"] > 0
    stated = cases.names() != "undecided at this gap"
    assert cases.violation[stated].max(initial=0.0) <= 1.1e-3


def test_the_proof_is_recomputed_once(monkeypatch):
    x, y = made(0)
    model, calls = SVC().fit(x, y), []
    audits = SVC._audits
    monkeypatch.setattr(SVC, "_audits", lambda self, *data: calls.append(0) or audits(self, *data))
    model.kkt_cases(x, y)
    assert len(calls) == 1


def test_a_fit_without_weights_is_not_said_to_lack_them():
    x, y = made(0)
    with pytest.raises(ValueError, match="If the fit was given a sample_weight") as error:
        SVC().fit(x, y).kkt_cases(x + 1, y)
    assert "No sample_weight was given" not in str(error.value)
