"""A user's own loss, penalty and solver in `LinearClassifier`: proofs, refusals, and what must not be proven."""

import copy
import pickle
import signal
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, xlogy
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from maxmargin.certificates import Status
from maxmargin.linear_model import LinearClassifier
from maxmargin.losses import make_loss
from maxmargin.penalties import BoundedWeights, GroupLasso, make_penalty
from maxmargin.persistence import ModelFileError, load, save
from maxmargin.report import report
from maxmargin.solvers import IterativeSolver, Needs


class Logistic:
    def value(self, f, y):
        return np.logaddexp(0.0, -y * f)

    def derivative(self, f, y):
        return -y * expit(-y * f)

    def conjugate(self, u, y):
        t = -u * y
        return np.where((t >= 0) & (t <= 1), xlogy(t, t) + xlogy(1 - t, 1 - t), np.inf)


class SquaredHinge:
    def value(self, f, y):
        return np.maximum(0.0, 1 - y * f) ** 2

    def derivative(self, f, y):
        return -2 * y * np.maximum(0.0, 1 - y * f)

    def conjugate(self, u, y):
        return np.where(u * y <= 0, u * y + u**2 / 4, np.inf)


class Hinge:
    def value(self, f, y):
        return np.maximum(0.0, 1 - y * f)

    def derivative(self, f, y):
        return np.where(y * f >= 1, 0.0, -y)

    def conjugate(self, u, y):
        return np.where((u * y >= -1) & (u * y <= 0), u * y, np.inf)

    def prox(self, v, y, step):
        z = y * v
        return y * np.where(z >= 1, z, np.minimum(z + step, 1.0))


class L1:
    def value(self, w):
        return np.abs(w).sum()

    def dual_norm(self, v):
        return np.abs(v).max()

    def prox(self, w, step):
        return np.sign(w) * np.maximum(np.abs(w) - step, 0.0)


class HalfSquares:
    def value(self, w):
        return 0.5 * w @ w

    def conjugate(self, v):
        return 0.5 * v @ v

    def prox(self, w, step):
        return w / (1 + step)


LOSSES = {"logistic": Logistic, "squared_hinge": SquaredHinge, "hinge": Hinge}
PENALTIES = {"l1": L1, "l2": HalfSquares}


def _fit(X, y, **parameters):
    model = LinearClassifier(C=0.3, tol=1e-6, **parameters).fit(X, y)
    proof, again = model.certificate_, model.certificate_.verify(X, y)
    assert proof.status is again.status is Status.CONVERGED
    assert proof.dual <= proof.primal
    assert proof.relative_gap <= 1e-6
    return model


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_own_functions_have_the_optimum_of_the_named_ones(loss, penalty, fit_intercept, sparse, load):
    X, y = load("breast_cancer")
    X, y = X[:300, :8] * (np.abs(X[:300, :8]) > 0.3), y[:300]
    named = LinearClassifier(loss=loss, penalty=penalty, C=0.3, fit_intercept=fit_intercept, tol=1e-8).fit(X, y)
    optimum = named.certificate_
    rows = sp.csr_array(X) if sparse else X
    for own in ((LOSSES[loss](), penalty), (loss, PENALTIES[penalty]()), (LOSSES[loss](), PENALTIES[penalty]())):
        model = _fit(rows, y, loss=own[0], penalty=own[1], fit_intercept=fit_intercept)
        # two intervals about the same optimum meet: no bound is above any objective
        assert model.certificate_.dual <= optimum.primal
        assert optimum.dual <= model.certificate_.primal
        assert_allclose(model.coef_, named.coef_, atol=2e-2)
        assert fit_intercept or model.intercept_ == 0


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge", "squared"])
def test_bounds_on_the_weights_against_another_minimiser(loss, load):
    X, y = load("breast_cancer")
    X, y = X[:200, :6], y[:200]
    low, high = np.array([-0.3, -0.3, 0, 0, -1, -0.1]), np.array([0.3, 0, 0.5, 0.1, 1, 0.1])
    model = _fit(X, y, loss=loss, penalty=BoundedWeights(low, high))
    functions, signs = make_loss(loss), 2.0 * y - 1

    def objective(theta):
        f = X @ theta[:-1] + theta[-1]
        gradient = np.append(theta[:-1], 0.0) + 0.3 * np.append(X, np.ones((len(X), 1)), axis=1).T @ (
            functions.derivative(f, signs)
        )
        return 0.3 * functions.value(f, signs).sum() + 0.5 * theta[:-1] @ theta[:-1], gradient

    bounds = [*zip(low, high, strict=True), (None, None)]
    found = minimize(objective, np.append(np.clip(np.zeros(6), low, high), 0.0), jac=True, bounds=bounds)
    proof = model.certificate_
    assert proof.dual <= found.fun * (1 + 1e-12)
    if loss != "hinge":  # whose kinks stop the other one early
        assert found.fun <= proof.primal * (1 + 1e-5)
    w = model.coef_[0]
    assert ((w >= low) & (w <= high)).all()
    assert (np.isclose(w, low) | np.isclose(w, high)).any()


def test_group_lasso_meets_its_conditions_of_optimality(load):
    X, y = load("breast_cancer")
    groups = np.arange(30) % 10
    model = LinearClassifier("logistic", GroupLasso(groups), C=0.05, tol=1e-10).fit(X, y)
    w, signs = model.coef_[0], 2.0 * y - 1
    v = 0.05 * X.T @ (signs * expit(-signs * model.decision_function(X)))
    used = [g for g in range(10) if w[groups == g].any()]
    assert 0 < len(used) < 10
    for g in range(10):
        part, slope = w[groups == g], v[groups == g]
        if g in used:
            assert_allclose(slope, np.sqrt(3) * part / np.linalg.norm(part), atol=1e-4)
        else:
            assert np.linalg.norm(slope) <= np.sqrt(3) + 1e-4


def test_group_lasso_has_the_optimum_of_brute_force(clouds):
    X, y = clouds(40, 2)
    model = _fit(X, y, loss="squared", penalty=GroupLasso([0, 0], strength=0.5), fit_intercept=False)
    signs, proof = 2.0 * y - 1, model.certificate_
    grid = np.linspace(-1, 1, 401)
    W = np.array(np.meshgrid(grid, grid)).reshape(2, -1)
    values = 0.15 * ((X @ W - signs[:, None]) ** 2).sum(axis=0) + 0.5 * np.sqrt(2) * np.linalg.norm(W, axis=0)
    assert proof.dual <= values.min()
    assert_allclose(values.min(), proof.primal, rtol=1e-3)
    assert_allclose(W[:, values.argmin()], model.coef_[0], atol=0.01)


def test_what_is_assumed_is_said_of_own_functions_only(clouds):
    X, y = clouds()
    own = LinearClassifier(Logistic(), L1()).fit(X, y).certificate_
    assert own.worst.assumes == "value and conjugate of the loss Logistic and of the penalty L1 are right"
    assert "assumed, not proven" in str(own)
    assert "if the assumption holds" in own._repr_html_()
    for penalty in ("l2", GroupLasso([0, 0, 1]), BoundedWeights(-1, 1)):
        known = LinearClassifier("logistic", penalty).fit(X, y).certificate_
        assert known.worst.assumes == ""
        assert "assum" not in str(known)


def test_the_report_says_it_too(clouds):
    X, y = clouds()
    own = report(LinearClassifier(Logistic()).fit(X, y), X, y).html
    assert "value and conjugate of the loss Logistic are right" in own
    assert "are right (assumed)" in own
    assert "are right" not in report(LinearClassifier("logistic").fit(X, y), X, y).html


def test_more_than_two_classes(load):
    X, y = load("iris")
    model = _fit(X, y, loss=Logistic(), penalty=GroupLasso([0, 0, 1, 1]))
    assert len(model.certificate_.problems) == 3
    assert model.score(X, y) > 0.8


def test_weights_of_samples_and_classes(clouds):
    X, y = clouds(40)
    twice = np.where(np.arange(40) < 10, 2.0, 1.0)
    weighted = LinearClassifier(Logistic(), L1(), tol=1e-9).fit(X, y, sample_weight=twice)
    repeated = LinearClassifier(Logistic(), L1(), tol=1e-9).fit(np.r_[X, X[:10]], np.r_[y, y[:10]])
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)
    assert_allclose(weighted.certificate_.primal, repeated.certificate_.primal, rtol=1e-8)


def test_objects_of_the_package_are_their_names(clouds):
    X, y = clouds()
    named = LinearClassifier("logistic", "l1", C=0.5).fit(X, y)
    given = LinearClassifier(make_loss("logistic"), make_penalty("l1"), C=0.5).fit(X, y)
    assert_array_equal(named.coef_, given.coef_)
    assert named.solver_ == given.solver_
    assert_array_equal(named.predict_proba(X), given.predict_proba(X))


def test_warm_start_and_path(clouds):
    X, y = clouds()
    model = LinearClassifier(Logistic(), L1(), tol=1e-8, warm_start=True).fit(X, y)
    assert model.fit(X, y).n_iter_[0] == 0
    path = LinearClassifier(Logistic(), GroupLasso([0, 0, 1])).path(X, y, Cs=[0.01, 0.1, 1.0])
    assert all(proof.status is Status.CONVERGED for proof in path.certificates)


# A solver of the first order answers to the tolerance, not to the last bit: the check compares to 1e-7.
_TO_TOLERANCE = {
    f"check_sample_weight_equivalence_on_{kind}_data": "equal to the tolerance" for kind in ("dense", "sparse")
}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (LinearClassifier(Logistic(), HalfSquares()), {}),
        (LinearClassifier(Hinge()), _TO_TOLERANCE),
        (LinearClassifier("logistic", BoundedWeights(-1, 1)), {}),
    ],
    ids=["own loss and penalty", "own loss with kinks", "bounds"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of the few iterations that it allows
def test_scikit_learn_conformance(model, expected):
    check_estimator(model, on_skip=None, expected_failed_checks=expected)


def test_estimators_are_cloned_pickled_and_composed(clouds):
    X, y = clouds()
    loss, penalty = Logistic(), GroupLasso([0, 0, 1])
    model = LinearClassifier(loss, penalty)
    assert model.get_params()["loss"] is loss
    assert clone(model).penalty.strength == 1.0
    model.fit(X, y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_array_equal(again.predict(X), model.predict(X))
        assert again.certificate_.verify(X, y).status is Status.CONVERGED
    pipeline = make_pipeline(StandardScaler(), LinearClassifier("logistic")).set_params(linearclassifier__loss=loss)
    assert pipeline.fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize("parameters", [{"loss": Logistic()}, {"penalty": L1()}, {"solver": lambda p, s, t, b: s}])
def test_files_hold_no_code(parameters, clouds, tmp_path):
    X, y = clouds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearClassifier(**{"loss": "logistic", **parameters}).fit(X, y)
    with pytest.raises(ModelFileError, match=r"cannot be saved: a file holds no code"):
        save(model, tmp_path / "model")


@pytest.mark.parametrize("penalty", [GroupLasso(np.array([0, 0, 1]), 0.5), BoundedWeights([-1, 0, -1], np.inf)])
def test_penalties_of_the_package_are_saved(penalty, clouds, tmp_path):
    X, y = clouds()
    model = LinearClassifier("logistic", penalty).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(X, y).status is Status.CONVERGED


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "huber"}, "The 'loss' parameter of LinearClassifier must be"),
        ({"loss": 3}, "The 'loss' parameter of LinearClassifier must be"),
        ({"penalty": object()}, "The 'penalty' parameter of LinearClassifier must be"),
        ({"loss": make_loss("epsilon_insensitive", 0.1)}, "is a loss for regression"),
        ({"loss": make_loss("zero_one")}, "needs a convex loss"),
        ({"loss": type("Half", (), {"value": Hinge.value, "derivative": Hinge.derivative})()}, "no method conjugate"),
        ({"penalty": type("Half", (), {"value": L1.value, "prox": L1.prox})()}, "no method conjugate"),
        (
            {"loss": type("Kinks", (Hinge,), {"prox": None})()},
            r"a proximal step \('Kinks' has no method prox",
        ),
        ({"penalty": GroupLasso([0, 1])}, "groups of 2 features; X has 3"),
        (
            {"loss": Logistic(), "solver": "newton"},
            r"'newton' needs a loss in compiled code .*'proximal_gradient'",
        ),
        ({"penalty": L1(), "loss": "squared", "solver": "sgd"}, r"needs a penalty of L1 and L2 parts .*'primal_dual'"),
        ({"loss": Hinge(), "solver": "proximal_gradient"}, "needs a loss with a derivative"),
        ({"loss": "logistic", "solver": "magic"}, "solver must be 'auto' or one of"),
        ({"loss": Hinge}, "loss must be an object with the methods of a loss; got the class Hinge itself"),
        ({"penalty": L1}, "penalty must be an object with the methods of a penalty; got the class L1 itself"),
        ({"penalty": GroupLasso}, "penalty must be an object .* got the class GroupLasso itself"),
        ({"solver": Logistic}, r"solver must be a name, a class derived from maxmargin\.solvers\.Solver, .* Logistic"),
        ({"solver": IterativeSolver}, "solver must be a class that can solve; IterativeSolver does not say what"),
        (
            {"solver": lambda problem, start: start},
            r"solver must be a function of \(problem, start, tolerance, budget\)",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(parameters, message, clouds):
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**parameters).fit(*clouds())


def test_chunks_need_a_compiled_loss(clouds):
    X, y = clouds()
    with pytest.raises(ValueError, match="needs a loss in compiled code"):
        LinearClassifier(Logistic(), solver="sgd").partial_fit(X, y, classes=[0, 1])


def test_probabilities_are_of_the_logistic_loss_itself(clouds):
    named = type("Named", (SquaredHinge,), {"name": "logistic"})()
    model = LinearClassifier(named).fit(*clouds())
    assert not hasattr(model, "predict_proba")


class LiesFarOut(Logistic):
    """Right wherever it is probed; beyond, where only data go, the value is too small."""

    def value(self, f, y):
        return np.where(np.abs(f) > 2e4, 0.0, super().value(f, y))


def test_a_contradiction_that_only_the_data_reach_is_refused_too():
    X = np.array([[1e6], [-1e6], [1e6], [-1e6]])
    with pytest.raises(ValueError, match=r"contradict each other at y=.* There is no certificate"):
        LinearClassifier(LiesFarOut(), solver=lambda p, s, t, b: np.array([-1.0, 0.0])).fit(X, [0, 1, 1, 0])


class TurnsBad:
    """The functions of a loss that returns what is not a number after so many calls."""

    def __init__(self, method, calls):
        self.method, self.calls, self.seen = method, calls, 0

    def __getattr__(self, name):
        if name not in ("value", "derivative", "conjugate"):
            raise AttributeError(name)

        def call(a, y):
            if name == self.method:
                self.seen += 1
                if self.seen > self.calls:
                    return np.full(a.shape, np.nan)
            return getattr(Logistic(), name)(a, y)

        return call


@pytest.mark.parametrize("method", ["value", "derivative", "conjugate"])
def test_functions_that_turn_bad_end_without_a_claim(method, clouds):
    X, y = clouds()
    probing = TurnsBad(method, np.inf)
    LinearClassifier(probing, max_iter=1, tol=1.0).fit(X, y)
    hostile = TurnsBad(method, probing.seen + 3)
    with pytest.warns(ConvergenceWarning, match="ended as"):
        model = LinearClassifier(hostile, tol=1e-9).fit(X, y)
    assert model.certificate_.status in (Status.STALLED, Status.BUDGET_EXHAUSTED)
    assert np.isfinite(model.coef_).all()


def test_a_penalty_that_turns_bad_ends_without_a_claim(clouds):
    class Turning(L1):
        calls = 0

        def prox(self, w, step):
            Turning.calls += 1
            return w * np.nan if Turning.calls > 60 else super().prox(w, step)

    with pytest.warns(ConvergenceWarning, match="ended as"):
        model = LinearClassifier("logistic", Turning(), tol=1e-12).fit(*clouds())
    assert model.certificate_.status in (Status.STALLED, Status.BUDGET_EXHAUSTED)


# ---------------------------------------------------------------- a solver of the user's own


def _descent(problem, start, tolerance, budget, rate=1.0):
    """Proximal gradient steps of the length that the curvature allows."""
    theta, step = start, rate / problem.lipschitz_gradient()
    for _ in range(budget):
        _, gradient = problem.loss_and_gradient(theta)
        theta = theta - step * gradient
        theta[:-1] = problem.penalty.prox(theta[:-1], step)
    return theta


@pytest.mark.parametrize(
    ("loss", "penalty"),
    [("logistic", "l2"), (Logistic(), "l1"), ("squared", GroupLasso([0, 0, 1])), (Logistic(), L1())],
)
def test_own_solver_is_proven(loss, penalty, clouds):
    X, y = clouds()
    model = LinearClassifier(loss, penalty, solver=_descent, max_iter=3000).fit(X, y)
    best = LinearClassifier(loss, penalty, tol=1e-8).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    assert model.solver_ == "_descent"
    assert_allclose(model.certificate_.primal, best.certificate_.primal, rtol=2e-4)


class Descent(IterativeSolver):
    """Steps that the driver takes: budget, Ctrl-C, progress and traces are its business."""

    needs = Needs(smooth=True, compiled=False, separable=False)

    def __init__(self, problem, start, tolerance, slopes=None):
        self.problem, self.theta, self.tolerance = problem, start, tolerance
        self.length = 1 / problem.lipschitz_gradient()

    def step(self, most):
        self.theta = _descent(self.problem, self.theta, self.tolerance, 1)
        self.iterations += 1

    def finished(self, last):
        return Status.CONVERGED if self.iterations >= 300 else None


def test_own_solver_may_be_a_class_that_is_driven(clouds):
    X, y = clouds()
    reports = []
    model = LinearClassifier(Logistic(), GroupLasso([0, 0, 1]), solver=Descent, callback=reports.append).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert (model.solver_, model.n_iter_[0] % 300) == ("Descent", 0)
    assert len(reports) >= 300
    with pytest.warns(ConvergenceWarning, match="budget exhausted"):
        LinearClassifier(Logistic(), solver=Descent, max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="solver='Descent' needs a loss with a derivative"):
        LinearClassifier("hinge", solver=Descent).fit(X, y)


def test_options_go_to_the_own_solver(clouds):
    X, y = clouds()
    options = {"rate": 1e-9}
    with pytest.warns(ConvergenceWarning, match="relative duality gap"):
        LinearClassifier("logistic", solver=_descent, solver_options=options, max_iter=10).fit(X, y)
    with pytest.raises(ValueError, match="pace"):
        LinearClassifier("logistic", solver=_descent, solver_options={"pace": 1}).fit(X, y)


@pytest.mark.parametrize("theta", [np.zeros(4), np.full(4, 1e3), np.full(4, 1e200)], ids=["origin", "far", "overflow"])
def test_a_wrong_solver_has_an_honest_gap_and_a_warning(theta, clouds):
    X, y = clouds()
    best = LinearClassifier("logistic", tol=1e-9).fit(X, y).certificate_
    with pytest.warns(ConvergenceWarning, match="ended as 'stalled'"):
        model = LinearClassifier("logistic", solver=lambda p, s, t, b: theta).fit(X, y)
    assert model.certificate_.dual <= best.primal
    assert model.certificate_.primal >= best.dual
    assert model.certificate_.relative_gap > 0.01


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_a_solver_that_changes_the_rows_is_refused(clouds, form):
    X, y = clouds()
    X = form(X)

    def easier(problem, start, tolerance, budget):
        whole = problem.rows._X
        (whole.data if sp.issparse(whole) else whole)[:] = 0
        return start

    with pytest.raises(ValueError, match="changed the rows of the problem"):
        LinearClassifier(loss="squared_hinge", solver=easier).fit(X, y)


def test_a_solver_cannot_make_the_penalty_heavier(clouds):
    X, y = clouds()

    def heavier(problem, start, tolerance, budget):
        object.__setattr__(problem.penalty, "l2", 1e9)
        start[-1] = problem.y.mean()
        return start

    model = LinearClassifier(loss="squared_hinge", solver=heavier)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    best = LinearClassifier(loss="squared_hinge").fit(X, y).certificate_
    assert model.certificate_.dual <= best.primal


def test_a_solver_cannot_make_the_problem_easier(clouds):
    def cheat(problem, start, tolerance, budget):
        problem.weights[:] = 0.0
        problem.y[:] = 1.0
        return start

    X, y = clouds()
    with pytest.warns(ConvergenceWarning, match="ended as 'stalled'"):
        model = LinearClassifier("logistic", solver=cheat).fit(X, y)
    assert_allclose(model.certificate_.primal, len(y) * np.log(2), rtol=1e-12)


def test_slopes_of_the_own_solver_are_used_and_not_trusted(clouds):
    X, y = clouds()
    good = LinearClassifier("hinge", tol=1e-8).fit(X, y)
    theta, u = np.append(good.coef_, good.intercept_), good._slopes[0]
    model = LinearClassifier("hinge", solver=lambda p, s, t, b: (theta, u)).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    with pytest.warns(ConvergenceWarning):
        wrong = LinearClassifier("hinge", solver=lambda p, s, t, b: (theta, 1e6 * u)).fit(X, y).certificate_
    assert wrong.dual <= good.certificate_.primal


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.zeros(3), r"has to return 4 weights \(the intercept is the last\); got shape \(3,\)"),
        (None, "has to return 4 weights"),
        (np.array([np.nan, 0, 0, 0]), "returned numbers that are not finite"),
        ((np.zeros(4), np.zeros(7)), "has to return 60 slopes"),
        ((np.zeros(4), np.zeros(60), 12), "the weights, or a pair of weights and slopes; got a tuple of 3"),
        ((), "got a tuple of 0"),
        (np.zeros(4, dtype=complex), "which are real numbers; got complex128"),
        (["1", "2", "3", "4"], "which are real numbers; got str"),
        ([[1.0], [2.0, 3.0]], r"got shape \(2,\)"),
    ],
)
def test_answers_that_are_none_are_refused(answer, message, clouds):
    with pytest.raises(ValueError, match=message):
        LinearClassifier("logistic", solver=lambda p, s, t, b: answer).fit(*clouds())


def test_without_an_intercept_the_last_entry_is_zero(clouds):
    with pytest.warns(ConvergenceWarning):
        model = LinearClassifier("logistic", fit_intercept=False, solver=lambda p, s, t, b: s + 1.0).fit(*clouds())
    assert model.intercept_ == 0.0


@pytest.mark.parametrize("penalty", [GroupLasso([0, 0, 1]), "l2"])
def test_ctrl_c_ends_the_solver_of_kinks(penalty, clouds):
    """The solver that own losses with kinks are given to, interrupted in the middle."""
    X, y = clouds(400)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    model = LinearClassifier(Hinge(), penalty, tol=1e-300, max_iter=10**7)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    assert model.certificate_.status is Status.INTERRUPTED
    assert np.isfinite(model.coef_).all()
