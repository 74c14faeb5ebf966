"""The course of a fit: every iterative estimator records it on request, and nothing without."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.preprocessing import scale

from maxmargin.cluster import KMeans
from maxmargin.ensemble import AdaBoostClassifier, AdaBoostRegressor
from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron
from maxmargin.linear_model import ElasticNet, Lasso, LinearClassifier, LogisticRegression, Perceptron
from maxmargin.persistence import load, save
from maxmargin.solvers import Trace
from maxmargin.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

IRIS, SPECIES = load_iris(return_X_y=True)
X, TARGET = scale(IRIS[:, 1:]), IRIS[:, 0]
TWO = (SPECIES > 0).astype(int)
CERTIFIED = {
    "SVC": (SVC(), SPECIES),
    "SVC, decomposition": (SVC(solver="decomposition"), TWO),
    "SVC, smo": (SVC(solver="smo"), TWO),
    "SVC, projected gradient": (SVC(solver="projected_gradient"), TWO),
    "SVC, active set": (SVC(solver="active_set"), TWO),
    "SVC, hard margin": (SVC(C=np.inf), TWO),
    "NuSVC": (NuSVC(nu=0.1), SPECIES),
    "SVR": (SVR(), TARGET),
    "NuSVR": (NuSVR(), TARGET),
    "OneClassSVM": (OneClassSVM(), None),
    "LinearSVC": (LinearSVC(), SPECIES),
    "LinearSVC, hinge": (LinearSVC(loss="hinge"), SPECIES),
    "LinearSVC, Crammer-Singer": (LinearSVC(multi_class="crammer_singer"), SPECIES),
    "LinearSVR": (LinearSVR(), TARGET),
    "LogisticRegression": (LogisticRegression(), SPECIES),
    "LogisticRegression, l1": (LogisticRegression(l1_ratio=1.0, tol=1e-3), SPECIES),
    "Lasso": (Lasso(alpha=0.01), TARGET),
    "ElasticNet": (ElasticNet(alpha=0.01), np.column_stack([TARGET, TWO])),
    "KernelLogisticRegression": (KernelLogisticRegression(), SPECIES),
    **{
        f"LinearClassifier, {solver}": (LinearClassifier(loss=loss, solver=solver, tol=1e-2), TWO)
        for solver, loss in {
            "newton": "logistic",
            "newton_cg": "logistic",
            "gradient_descent": "logistic",
            "conjugate_gradient": "logistic",
            "proximal_newton": "logistic",
            "proximal_gradient": "logistic",
            "interior_point": "hinge",
            "dual_coordinate": "hinge",
            "primal_dual": "hinge",
            "sgd": "hinge",
        }.items()
    },
}
OTHERS = {
    "Perceptron": (Perceptron(), TWO, {"mistakes"}),
    "KernelPerceptron": (KernelPerceptron(), TWO, {"mistakes"}),
    "KMeans": (KMeans(3, random_state=0), None, {"inertia"}),
    "KMeans, starts": (KMeans(3, n_init=3, init="random", random_state=0), None, {"inertia"}),
    "AdaBoostClassifier": (AdaBoostClassifier(), SPECIES, {"error", "weighted_error", "exponential_loss"}),
    "AdaBoostRegressor": (AdaBoostRegressor(), TARGET, {"error", "weighted_error", "exponential_loss"}),
}


@pytest.mark.parametrize("name", CERTIFIED)
def test_objectives_gap_and_violation_by_iteration(name):
    model, y = CERTIFIED[name]
    model = clone(model).set_params(trace=True).fit(X, y)
    trace, proofs = model.trace_, model.certificate_.problems
    assert isinstance(trace, Trace)
    assert set(trace.columns) >= {"iteration", "seconds", "primal", "dual", "gap", "violation"}
    assert len(trace.problems) == len(proofs)
    for problem in trace.problems:
        part = trace.part(problem)
        proof = proofs[0] if len(proofs) == 1 else next(p for p in proofs if p.label == problem)
        assert len(part) >= 3 or proof.iterations <= 1
        assert (np.diff(part["iteration"]) >= 0).all() and part["iteration"][0] == 0
        assert (np.diff(part["seconds"]) >= 0).all() and part["seconds"][0] >= 0
        # the last point is the certificate
        last = part.points[-1].figures
        assert (last.primal, last.dual, last.gap) == (proof.primal, proof.dual, proof.relative_gap)
        # weak duality with the proven optimum: no point has a dual above it
        dual = part["dual"][np.isfinite(part["dual"])]
        assert (dual <= proof.primal + 1e-6 * abs(proof.primal)).all()
        # nor a primal below it: every point is about the problem of the certificate
        primal = part["primal"][np.isfinite(part["primal"])]
        assert (primal >= proof.dual - 1e-6 * abs(proof.dual)).all()


@pytest.mark.parametrize("machine", [SVC(C=np.inf), LinearSVC(C=np.inf, loss="hinge")], ids=["SVC", "LinearSVC"])
def test_a_hard_margin_is_traced_in_its_own_objectives(machine):
    """Though it is solved as the distance of two hulls: dual objectives rise to that of the certificate."""
    told = []
    model = clone(machine).set_params(trace=True, callback=told.append).fit(X, TWO)
    trace, proof = model.trace_, model.certificate_
    dual = trace["dual"][:-1]  # the last one is the certificate, rounded down
    assert len(dual) >= 3
    assert (np.diff(dual) >= -1e-6 * dual[:-1]).all()
    assert trace["dual"][0] < 0.9 * proof.dual
    np.testing.assert_allclose(dual[-1], proof.dual, rtol=1e-3)
    assert (trace["gap"] >= 0).all()
    assert {report["gap"] for report in told} <= set(trace["gap"])


@pytest.mark.parametrize("name", OTHERS)
def test_the_columns_that_apply(name):
    model, y, columns = OTHERS[name]
    model = clone(model).set_params(trace=True).fit(X, y)
    assert set(model.trace_.columns) >= columns | {"iteration", "seconds"}
    assert "gap" not in model.trace_.columns


def test_mistakes_inertia_and_errors_are_those_of_the_model():
    perceptron = Perceptron(trace=True).fit(X, TWO)
    assert perceptron.trace_["mistakes"][-1] == perceptron.n_mistakes_[0]
    assert (np.diff(perceptron.trace_["mistakes"]) >= 0).all()
    means = KMeans(3, random_state=0, trace=True).fit(X)
    np.testing.assert_array_equal(means.trace_["inertia"], means.inertia_history_)
    boosted = AdaBoostClassifier(n_estimators=20, trace=True).fit(X, TWO == 1)
    staged = [np.mean(labels != (TWO == 1)) for labels in boosted.staged_predict(X)]
    np.testing.assert_allclose(boosted.trace_["error"], staged, atol=1e-12)


def test_the_exponential_loss_is_that_of_the_vote():
    """Mean of exp(-y F), F half of the sum of the votes: Freund and Schapire's."""
    x, y = make_moons(200, noise=0.4, random_state=1)
    model = AdaBoostClassifier(n_estimators=15, trace=True).fit(x, y)
    sign, F, losses = 2.0 * y - 1, np.zeros(len(y)), []
    for vote, learner in zip(model.estimator_weights_, model.estimators_, strict=True):
        F += 0.5 * vote * (2.0 * learner.predict(x) - 1)
        losses.append(np.exp(-sign * F).mean())
    np.testing.assert_allclose(model.trace_["exponential_loss"], losses, rtol=1e-9)


def test_primal_and_dual_of_a_step_are_those_of_its_variables():
    """Of projected gradient, by the plain formulas."""
    from maxmargin.data import Rows
    from maxmargin.kernels import RBF
    from maxmargin.problems import BoxQP
    from maxmargin.solvers import Monitor, ProjectedGradient

    x, y = make_moons(40, noise=0.3, random_state=0)
    sign, C = np.where(y > 0, 1.0, -1.0), 2.0
    trace = Trace(variables=True)
    problem = BoxQP.classifier(RBF(1.0).gram(Rows(x), None, 1), sign, np.full(40, C))
    ProjectedGradient.solve(problem, None, 1e-6, 200, Monitor(trace=trace))
    K = np.exp(-((x[:, None] - x) ** 2).sum(axis=2))
    for point in trace.points[1::20]:
        beta = point.variables
        f = K @ beta
        dual = np.abs(beta).sum() - 0.5 * beta @ f
        assert point.figures.dual == pytest.approx(dual, rel=1e-12)
        primal = min(0.5 * beta @ f + C * np.maximum(0, 1 - sign * (f + b)).sum() for b in sign - f)
        assert point.figures.primal >= primal - 1e-9  # the best intercept is at a kink
        assert point.figures.dual <= primal + 1e-9


@pytest.mark.parametrize("name", [*CERTIFIED, *OTHERS])
def test_without_it_nothing_is_kept_and_the_model_is_the_same(name):
    model, y = (CERTIFIED[name] if name in CERTIFIED else OTHERS[name])[:2]
    plain = clone(model).fit(X, y)
    assert not hasattr(plain, "trace_")
    traced = clone(model).set_params(trace=True).fit(X, y)
    if name in CERTIFIED:
        for mine, other in zip(traced.certificate_.problems, plain.certificate_.problems, strict=True):
            assert mine.primal == pytest.approx(other.primal, rel=1e-2)
    elif hasattr(plain, "predict"):
        np.testing.assert_array_equal(traced.predict(X), plain.predict(X))
    # a fit without it forgets the trace of an earlier one
    assert not hasattr(traced.set_params(trace=False).fit(X, y), "trace_")


@pytest.mark.parametrize("name", ["SVC", "LogisticRegression", "Perceptron", "KMeans, starts", "AdaBoostClassifier"])
def test_files_keep_it(name, tmp_path):
    model, y = (CERTIFIED[name] if name in CERTIFIED else OTHERS[name])[:2]
    model = clone(model).set_params(trace=True).fit(X, y)
    save(model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm")
    assert again.trace is True and again.trace_.problems == model.trace_.problems
    for column, values in model.trace_.to_dict().items():
        np.testing.assert_array_equal(again.trace_.to_dict()[column], values)


@pytest.mark.parametrize("name", [*CERTIFIED, *OTHERS])
def test_its_times_are_no_part_of_what_is_verified(name):
    model, y = (CERTIFIED[name] if name in CERTIFIED else OTHERS[name])[:2]
    model = clone(model).set_params(trace=True).fit(X, y)
    assert model.certificate_.verify(X, y).status is model.certificate_.status


def test_long_fits_are_thinned_out():
    model = LinearClassifier(loss="hinge", solver="primal_dual", tol=1e-3, trace=True).fit(IRIS[:, 1:], TWO)
    assert model.n_iter_ > 3000 and len(model.trace_) < 1000 + 1000 * np.log2(model.n_iter_[0] / 1000) + 10


def test_columns_that_are_not_there_are_named():
    trace = KMeans(2, random_state=0, trace=True).fit(X).trace_
    with pytest.raises(KeyError, match="iteration, seconds, inertia"):
        trace["mistakes"]
    assert "inertia" in repr(trace)
