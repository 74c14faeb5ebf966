"""Every loss with every penalty by every solver that takes the two, over dense and CSR rows in float32 and float64.

What is asserted is the certificate's gap. A new loss, penalty or solver is picked up from its registry.
"""

import numpy as np
import pytest

from maxmargin.certificates import Status, evaluate_risk
from maxmargin.data import Rows
from maxmargin.losses import LOSSES, make_loss
from maxmargin.penalties import PENALTIES, make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import RISK_SOLVERS, check_solver, solve_risk, solvers_for

from .risks import STORAGE

CONVEX = [name for name, facts in LOSSES.items() if facts.convex]
# A stochastic method is asked for less than two digits; coordinate ascent, whose steps an L1 part shortens, for five;
# all others for six.
TOLERANCE = {"sgd": 3e-2, "dual_coordinate": 1e-5}


def _minimising(loss, penalty):
    """Solvers that minimise; sgd takes the perceptron's own steps for its loss without penalty, which 0 minimises."""
    names = solvers_for(make_loss(loss, 0.1), make_penalty(penalty))
    return [name for name in names if (loss, penalty, name) != ("perceptron", "none", "sgd")]


ACCEPTED = [
    (loss, penalty, solver) for loss in CONVEX for penalty in PENALTIES for solver in _minimising(loss, penalty)
]


def _samples(kind, n=120, d=4):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, d)) + [0.5, 0.0, -0.3, 0.0]
    X[rng.uniform(size=X.shape) < 0.3] = 0.0
    f = X @ [1.0, -2.0, 0.0, 0.5] + 0.4
    noise = rng.normal(size=n)
    return X, f + 0.5 * noise if kind == "regression" else np.where(f + 2 * noise > 0, 1.0, -1.0)


def _problem(loss, penalty, storage="dense64", fit_intercept=True):
    loss = make_loss(loss, 0.1)
    X, y = _samples(loss.kind)
    X = STORAGE[storage](X.astype(np.float32).astype(np.float64))  # the same numbers in both precisions
    c = np.random.default_rng(1).uniform(0.5, 1.5, len(y))
    return Risk(Rows(X), y, c, loss, make_penalty(penalty), fit_intercept, 1)


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize(("loss", "penalty", "solver"), ACCEPTED)
def test_gap_is_proven(loss, penalty, solver, storage):
    tolerance = TOLERANCE.get(solver, 1e-6)
    solution = solve_risk(_problem(loss, penalty, storage), solver, tolerance=tolerance)
    again = evaluate_risk(_problem(loss, penalty), solution.variables, solution.evidence.u)  # from dense float64 rows
    assert again.dual <= again.primal * (1 + 1e-12)
    assert again.relative_gap <= tolerance
    assert solution.status is Status.CONVERGED


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", CONVEX)
def test_solvers_agree(loss, penalty, fit_intercept):
    problem = _problem(loss, penalty, fit_intercept=fit_intercept)
    found = {}
    for solver in _minimising(loss, penalty):
        solution = solve_risk(problem, solver, tolerance=TOLERANCE.get(solver, 1e-6))
        found[solver] = solution.evidence
        assert fit_intercept or solution.variables[-1] == 0
    lowest = min(evidence.primal for evidence in found.values())
    for solver, evidence in found.items():  # weak duality across solvers: no bound exceeds any objective
        assert evidence.dual <= lowest * (1 + 1e-12) + 1e-12, solver
        assert evidence.primal <= lowest * (1 + 1.01 * TOLERANCE.get(solver, 1e-6)) + 1e-9, solver


@pytest.mark.parametrize(
    ("loss", "penalty", "solver"),
    [
        (loss, penalty, solver)
        for loss in LOSSES
        for penalty in PENALTIES
        for solver in RISK_SOLVERS
        if (loss, penalty, solver) not in [*ACCEPTED, ("perceptron", "none", "sgd")]
    ],
)
def test_refusal_names_what_is_missing_and_who_can(loss, penalty, solver):
    loss, penalty = make_loss(loss, 0.1), make_penalty(penalty)
    with pytest.raises(ValueError, match=rf"solver='{solver}' needs .*(loss|penalty)") as raised:
        check_solver(solver, loss, penalty)
    for able in solvers_for(loss, penalty):
        assert repr(able) in str(raised.value)


def test_every_convex_combination_has_a_solver():
    for loss in CONVEX:
        for penalty in PENALTIES:
            assert solvers_for(make_loss(loss, 0.1), make_penalty(penalty))


def test_unknown_solver_is_named():
    with pytest.raises(ValueError, match=r"solver must be 'auto' or one of .*'newton'.*; got 'magic'"):
        solve_risk(_problem("hinge", "l2"), "magic")
