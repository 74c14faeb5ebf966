"""The course of a fit: every iterative estimator records it on request, and nothing without."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons
from sklearn.preprocessing import scale

from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.ensemble import AdaBoostClassifier, AdaBoostRegressor, CascadeClassifier
from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron
from maxmargin.linear_model import (
    ElasticNet,
    Lasso,
    LassoCV,
    LinearClassifier,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    Ridge,
)
from maxmargin.neighbors import CondensedNearestNeighbors
from maxmargin.persistence import load, save
from maxmargin.solvers import Trace
from maxmargin.svm import SVC, SVCCV, SVR, SVRCV, LinearSVC, LinearSVCCV, LinearSVR, NuSVC, NuSVR, OneClassSVM

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
    "SVCCV": (SVCCV([0.1, 1.0], [0.1], cv=2), SPECIES),
    "SVRCV": (SVRCV([1.0], [0.1, 1.0], cv=2), TARGET),
    "LinearSVCCV": (LinearSVCCV([0.1, 1.0], cv=2), SPECIES),
    "LogisticRegressionCV": (LogisticRegressionCV([0.1, 1.0], cv=2), TWO),
    "LassoCV": (LassoCV(alphas=5, cv=2), TARGET),
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
    "CascadeClassifier": (CascadeClassifier(), TWO, {"detection", "false_positive_rate", "learners"}),
    "CondensedNearestNeighbors": (CondensedNearestNeighbors(), SPECIES, {"prototypes"}),
    "CondensedNearestNeighbors, reduced": (CondensedNearestNeighbors(reduce=True), SPECIES, {"prototypes"}),
    "Ridge, conjugate gradients": (Ridge(solver="sparse_cg"), TARGET, {"violation"}),
    "Ridge, two targets": (Ridge(solver="sparse_cg"), np.column_stack([TARGET, TWO]), {"violation"}),
    "Ridge, factorised": (Ridge(), TARGET, {"residual"}),
    "SpectralClustering": (SpectralClustering(3, random_state=0), None, {"inertia", "ncut"}),
    "SpectralClustering, signs": (SpectralClustering(2, assign_labels="sign"), None, {"ncut"}),
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


def test_a_cascade_passes_fewer_rows_with_each_stage():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 3))
    y = (np.abs(x) > 1.0).all(axis=1)
    model = CascadeClassifier(max_stages=4, trace=True).fit(x, y)
    trace, passed = model.trace_, np.ones(len(y), dtype=bool)
    assert len(trace) == len(model.stages_) > 1
    for stage, threshold, detection, alarm, learners in zip(
        model.stages_,
        model.thresholds_,
        trace["detection"],
        trace["false_positive_rate"],
        trace["learners"],
        strict=True,
    ):
        votes = stage.decision_function(x) * stage.estimator_weights_.sum() / 2
        passed &= votes > threshold
        assert passed[y].mean() == pytest.approx(detection, abs=1e-12)
        assert passed[~y].mean() == pytest.approx(alarm, abs=1e-12)
        learners -= len(stage)
    assert learners == trace["learners"][-2]
    assert (np.diff(trace["seconds"]) >= 0).all()


def test_prototypes_by_pass():
    x, y = make_moons(300, noise=0.3, random_state=0)
    model = CondensedNearestNeighbors(trace=True).fit(x, y)
    counts = model.trace_["prototypes"]
    assert len(counts) == model.n_iter_ and counts[-1] == len(model.prototypes_)
    assert (np.diff(counts) >= 0).all() and counts[-1] == counts[-2]  # the last pass adds none
    model = CondensedNearestNeighbors(reduce=True, trace=True).fit(x, y)
    assert model.trace_.problems == ["condensing", "reduction"]
    fewer = model.trace_.part("reduction")["prototypes"]
    assert model.trace_.part("condensing")["prototypes"][-1] >= fewer[0] >= fewer[-1] == len(model.prototypes_)


def test_conjugate_gradients_end_with_the_slope_of_their_weights():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 8)), rng.normal(size=60)
    model = Ridge(alpha=0.5, solver="sparse_cg", trace=True).fit(x, y)
    centred, target = x - x.mean(axis=0), y - y.mean()
    right = centred.T @ target
    slope = right - centred.T @ (centred @ model.coef_) - 0.5 * model.coef_
    violation = model.trace_["violation"]
    assert violation[0] == pytest.approx(1.0, rel=1e-12)  # from w = 0
    # both are rounding errors, of sums of 60 products and more
    assert violation[-1] <= 1e-13 and np.linalg.norm(slope) / np.linalg.norm(right) <= 1e-13
    assert model.trace_["iteration"][-1] == model.n_iter_[0] <= 8 * 13  # eight steps would do without rounding
    two = Ridge(solver="lsqr", trace=True).fit(x, np.column_stack([y, -y]))
    assert two.trace_.problems == ["target 0", "target 1"]
    direct = Ridge(trace=True).fit(x, y)
    assert direct.trace_["residual"].tolist() == [direct.certificate_.figures["relative residual"]]


def test_starts_of_a_normalised_cut():
    x, _ = make_blobs(120, centers=4, random_state=1)
    model = SpectralClustering(4, gamma="median", n_init=3, random_state=0, trace=True).fit(x)
    trace = model.trace_
    assert trace.problems == ["start 1", "start 2", "start 3", ""]
    assert trace.part("")["ncut"].tolist() == [model.ncut_]
    for name in trace.problems[:3]:
        part = trace.part(name)
        inertia = part["inertia"][:-1]
        assert (np.diff(inertia) <= 1e-12 * abs(inertia[0])).all()
        assert part["ncut"][-1] >= model.ncut_ - 1e-12  # the best one is kept
    x, _ = make_circles(100, factor=0.4, noise=0.04, random_state=0)
    signs = SpectralClustering(2, assign_labels="sign", trace=True).fit(x)
    assert len(signs.trace_) == 1 and signs.trace_["ncut"][0] == signs.ncut_


def test_the_trace_of_a_search_is_that_of_its_winner():
    search = SVCCV([0.1, 1.0], [0.1, 1.0], cv=2, trace=True).fit(X, SPECIES)
    assert search.trace_ is search.best_estimator_.trace_
    alone = SVCCV([0.1, 1.0], [0.1, 1.0], cv=2, refit=False, trace=True).fit(X, SPECIES)
    assert not hasattr(alone, "trace_")


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


@pytest.mark.parametrize(
    "name",
    ["SVC", "LogisticRegression", "Perceptron", "KMeans, starts", "AdaBoostClassifier", "SVCCV", "LassoCV"]
    + ["CascadeClassifier", "CondensedNearestNeighbors, reduced", "Ridge, two targets", "SpectralClustering"],
)
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


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("make", [partial(SVR, epsilon=0.0), NuSVR], ids=["SVR", "NuSVR"])
def test_the_last_point_is_the_certificate_of_what_the_model_keeps(make, C):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    model = make(C=C, trace=True).fit(x, x[:, 0] + rng.normal(size=40))
    last, proof = model.trace_.points[-1].figures, model.certificate_
    assert (last.primal, last.dual, last.gap) == (proof.primal, proof.dual, proof.relative_gap)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_no_traced_dual_of_newtons_steps_is_above_a_primal(C):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    trace = KernelLogisticRegression(C=C, trace=True).fit(x, x[:, 0] + 0.4 * rng.normal(size=40) > 0).trace_
    assert np.max(trace["dual"]) <= np.min(trace["primal"]) * (1 + 1e-12)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0, 1e4])
def test_steps_of_a_joint_machine_are_counted_through_its_rounds(C):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    seen = []
    machine = SVC(C=C, multi_class="crammer_singer", trace=True, callback=lambda state: seen.append(state["iteration"]))
    trace = machine.fit(x, y).trace_
    assert (np.diff(trace["iteration"]) >= 0).all()
    assert seen == sorted(seen)
