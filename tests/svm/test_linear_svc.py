"""The linear support vector classifier: hinge and squared hinge, soft and hard margins."""

import numpy as np
import pytest
import sklearn.svm

from maxmargin.certificates import NotSeparableError, Status
from maxmargin.svm import SVC, LinearSVC


@pytest.mark.parametrize("name", ["breast_cancer", "iris"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_without_an_intercept_as_scikit_learn(load, name, loss, C):
    X, y = load(name)
    ours = LinearSVC(loss=loss, C=C, fit_intercept=False).fit(X, y)
    parameters = {"loss": loss, "C": C, "fit_intercept": False, "dual": True, "tol": 1e-9, "max_iter": 3_000_000}
    theirs = sklearn.svm.LinearSVC(**parameters).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_intercept_as_scikit_learn_where_it_is_zero(load):
    """Each sample and its opposite: the intercept is zero by symmetry, penalised or not."""
    X, y = load("breast_cancer")
    X, y = np.vstack([X, -X]), np.append(y, 1 - y)
    theirs = sklearn.svm.LinearSVC(C=0.1, dual=False, tol=1e-10).fit(X, y)
    ours = LinearSVC(C=0.1).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, 0, atol=1e-9)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_hinge_is_svc_with_a_linear_kernel(load, C):
    X, y = load("breast_cancer")
    ours, theirs = LinearSVC(loss="hinge", C=C).fit(X, y), sklearn.svm.SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


def test_the_answer_moves_with_the_data(load):
    """An intercept that is not penalised: shifted features change nothing else."""
    X, y = load("breast_cancer")
    here, there = LinearSVC().fit(X, y), LinearSVC().fit(X + 100, y)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-6)


def test_l1(load):
    X, y = load("breast_cancer")
    model = LinearSVC(penalty="l1", C=0.01).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert 0 < (model.coef_ != 0).sum() < 15
    free = LinearSVC(penalty="l1", C=0.05, fit_intercept=False, tol=1e-8).fit(X, y)
    theirs = sklearn.svm.LinearSVC(penalty="l1", C=0.05, fit_intercept=False, dual=False, tol=1e-10, max_iter=100_000)
    np.testing.assert_allclose(free.coef_, theirs.fit(X, y).coef_, atol=1e-4)


@pytest.mark.parametrize("dual", ["auto", True, False])
def test_dual_changes_nothing(load, dual):
    X, y = load("iris")
    np.testing.assert_array_equal(LinearSVC(dual=dual).fit(X, y).coef_, LinearSVC().fit(X, y).coef_)


def test_forms_of_the_fitted_attributes(load):
    X, y = load("iris")
    model = LinearSVC().fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == (3,)
    assert isinstance(model.n_iter_, int)
    assert model.solver_ == "newton"
    assert LinearSVC(fit_intercept=False).fit(X, y).intercept_.tolist() == [0, 0, 0]


# ---------------------------------------------------------------- the hard margin


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_hard_margin_is_that_of_the_kernel_machine(load, loss):
    X, y = load("iris")
    model = LinearSVC(loss=loss, C=np.inf).fit(X, y == 0)
    kernel = SVC(kernel="linear", C=np.inf, tol=1e-8).fit(X, y == 0)
    np.testing.assert_allclose(model.coef_, kernel.coef_, atol=1e-6)
    margins = np.where(y == 0, 1, -1) * model.decision_function(X)
    assert margins.min() == pytest.approx(1, abs=1e-4)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(X, y == 0).status is Status.CONVERGED
    assert model.certificate_.primal == pytest.approx(model.coef_[0] @ model.coef_[0] / 2, rel=1e-4)


def test_an_altered_hard_margin_is_refuted(load):
    X, y = load("iris")
    model = LinearSVC(C=np.inf).fit(X, y == 0)
    model.coef_[0, 0] += 0.05
    assert model.certificate_.verify(X, y == 0).status is Status.REFUTED


def test_hard_margin_of_overlapping_classes_is_an_error_with_a_proof(load):
    X, y = load("iris")
    weight = np.where(np.arange(150) == 3, 0.0, 1.0)  # rows of the proof are those of X all the same
    with pytest.raises(NotSeparableError, match="not separable by a hyperplane") as error:
        LinearSVC(C=np.inf).fit(X, y == 1, sample_weight=weight)
    proof = error.value.proof
    assert set(y[proof.positive]) == {1}
    assert 1 not in set(y[proof.negative])
    apart = proof.positive_weights @ X[proof.positive] - proof.negative_weights @ X[proof.negative]
    assert np.linalg.norm(apart) < 1e-6


def test_hard_margin_without_weightless_samples():
    X = np.array([[-2.0], [-1.0], [1.0], [3.0], [-3.0]])
    y, weight = [0, 0, 1, 1, 1], [1, 1, 1, 1, 0]  # the last one is on the wrong side and takes no part
    model = LinearSVC(C=np.inf).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, [[1.0]], atol=1e-6)
    assert model.certificate_.verify(X, y, weight).status is Status.CONVERGED


@pytest.mark.parametrize("parameters", [{"penalty": "l1"}, {"solver": "newton"}])
def test_what_a_hard_margin_cannot_have(load, parameters):
    with pytest.raises(ValueError, match=r"C=inf \(the hard margin\) needs penalty='l2' and solver='auto'"):
        LinearSVC(C=np.inf, **parameters).fit(*load("iris"))


def test_intercept_scaling_is_refused(load):
    with pytest.raises(ValueError, match=r"intercept_scaling=10 has no meaning here"):
        LinearSVC(intercept_scaling=10).fit(*load("iris"))


# ---------------------------------------------------------------- all classes together


@pytest.mark.parametrize("name", ["iris", "wine"])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_crammer_singer_as_scikit_learn_without_intercepts(load, name, C):
    X, y = load(name)
    ours = LinearSVC(multi_class="crammer_singer", C=C, fit_intercept=False, tol=1e-8).fit(X, y)
    parameters = {"multi_class": "crammer_singer", "C": C, "fit_intercept": False, "tol": 1e-9, "max_iter": 10**6}
    theirs = sklearn.svm.LinearSVC(**parameters).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert ours.certificate_.status is Status.CONVERGED
    assert ours.certificate_.verify(X, y).status is Status.CONVERGED
    assert ours.solver_ == "crammer_singer"


def test_crammer_singer_with_intercepts(load):
    X, y = load("iris")
    model = LinearSVC(multi_class="crammer_singer").fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    f = model.decision_function(X)
    own = f[np.arange(150), y]
    loss = (f + (np.arange(3) != y[:, None])).max(axis=1) - own
    assert model.certificate_.primal == pytest.approx(loss.sum() + np.square(model.coef_).sum() / 2)
    moved = LinearSVC(multi_class="crammer_singer").fit(X + 0.5, y)
    assert moved.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-3)
    model.coef_[0] *= 1.05
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_crammer_singer_of_two_classes_is_the_hinge(load):
    X, y = load("breast_cancer")
    joint, hinge = LinearSVC(multi_class="crammer_singer", C=0.05).fit(X, y), LinearSVC(loss="hinge", C=0.1).fit(X, y)
    np.testing.assert_array_equal(joint.coef_, hinge.coef_)
    assert joint.certificate_.verify(X, y).status is Status.CONVERGED


def test_crammer_singer_warm_start_and_weights(load):
    X, y = load("iris")
    weight = np.arange(150) % 3
    model = LinearSVC(multi_class="crammer_singer", warm_start=True).fit(X, y)
    again = model.fit(X, y)
    assert again.certificate_.status is Status.CONVERGED
    model.fit(X, y, sample_weight=weight)
    cold = LinearSVC(multi_class="crammer_singer").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert model.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=2e-4)
    assert model.certificate_.verify(X, y, weight).status is Status.CONVERGED
    assert model.set_params(multi_class="ovr").fit(X, y).certificate_.status is Status.CONVERGED


def test_crammer_singer_interrupted(load):
    def interrupt(state):
        if state["iteration"] > 0:
            raise KeyboardInterrupt

    X, y = load("wine")
    model = LinearSVC(multi_class="crammer_singer", tol=1e-7, warm_start=True, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.score(X, y) > 0.9  # what was found is kept
    assert model.set_params(callback=None, tol=1e-4).fit(X, y).certificate_.status is Status.CONVERGED


@pytest.mark.parametrize("parameters", [{"penalty": "l1"}, {"C": np.inf}, {"solver": "newton"}])
def test_what_crammer_singer_cannot_have(load, parameters):
    with pytest.raises(ValueError, match="multi_class='crammer_singer' needs penalty='l2', a finite C"):
        LinearSVC(multi_class="crammer_singer", **parameters).fit(*load("iris"))
