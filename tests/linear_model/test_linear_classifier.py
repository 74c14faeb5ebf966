"""The general linear classifier: every loss with every penalty, paths, and what it refuses."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.linear_model import LinearClassifier
from maxmargin.svm import SVC

LOSSES = ["hinge", "squared_hinge", "logistic", "squared", "perceptron"]
PENALTIES = ["l2", "l1", "elastic_net", "none"]


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    return X, (X[:, 0] - X[:, 1] + rng.normal(size=120) > 0).astype(int)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_every_loss_with_every_penalty(samples, loss, penalty, fit_intercept):
    X, y = samples
    model = LinearClassifier(loss, penalty, fit_intercept=fit_intercept).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.relative_gap <= model.tol
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    assert fit_intercept or model.intercept_[0] == 0
    assert model.coef_.shape == (1, 6)
    assert model.intercept_.shape == model.n_iter_.shape == (1,)
    assert loss == "perceptron" or model.score(X, y) > 0.7


def test_hinge_is_the_linear_svc(samples):
    X, y = samples
    ours, kernel = LinearClassifier(C=0.5).fit(X, y), SVC(kernel="linear", C=0.5, tol=1e-8).fit(X, y)
    theirs = sklearn.svm.SVC(kernel="linear", C=0.5, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    assert ours.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-8)


def test_squared_loss_is_least_squares(samples):
    X, y = samples
    model = LinearClassifier("squared", "none").fit(X, y)
    A = np.column_stack([X, np.ones(len(X))])
    exact = np.linalg.lstsq(A, 2.0 * y - 1, rcond=None)[0]
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), exact, atol=1e-10)


def test_perceptron_loss_with_a_penalty_is_least_at_zero(samples):
    model = LinearClassifier("perceptron").fit(*samples)
    assert model.certificate_.primal <= 1e-12
    np.testing.assert_allclose(model.coef_, 0, atol=1e-6)


def test_l1_leaves_features_out_and_elastic_net_is_between(samples):
    X, y = samples
    X = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 20))])
    zeros = {}
    for penalty in ("l1", "elastic_net", "l2"):
        model = LinearClassifier("logistic", penalty, C=0.15).fit(X, y)
        zeros[penalty] = int((model.coef_ == 0).sum())
    assert zeros["l1"] > zeros["elastic_net"] > zeros["l2"] == 0
    l1 = LinearClassifier("logistic", "l1", C=0.15).fit(X, y)
    ends = [LinearClassifier("logistic", "elastic_net", C=0.15, l1_ratio=r).fit(X, y) for r in (1.0, 0.0)]
    np.testing.assert_allclose(ends[0].coef_, l1.coef_, atol=1e-4)
    l2 = LinearClassifier("logistic", "l2", C=0.15).fit(X, y)
    np.testing.assert_allclose(ends[1].coef_, l2.coef_, atol=1e-4)
    before = l1.decision_function(X)
    np.testing.assert_allclose(l1.sparsify().decision_function(X), before)
    assert sp.issparse(l1.coef_)
    assert l1.certificate_.verify(X, y).status is Status.CONVERGED
    assert l1.densify().coef_.shape == (1, 26)


def test_probabilities_belong_to_the_logistic_loss(samples, load):
    X, y = samples
    assert not hasattr(LinearClassifier(), "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        LinearClassifier().fit(X, y).predict_proba(X)
    for data in (samples, load("iris")):
        model = LinearClassifier("logistic").fit(*data)
        proba = model.predict_proba(data[0])
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(data[0]))
        np.testing.assert_allclose(model.predict_log_proba(data[0]), np.log(proba))


def test_one_against_the_rest(load):
    X, y = load("iris")
    model = LinearClassifier("squared_hinge").fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == (3,)
    assert model.decision_function(X).shape == (150, 3)
    for k in range(3):
        alone = LinearClassifier("squared_hinge").fit(X, y == k)
        np.testing.assert_allclose(model.coef_[k], alone.coef_[0], atol=1e-8)


@pytest.mark.parametrize(
    ("loss", "penalty", "solver"),
    [
        ("hinge", "l2", "newton"),
        ("logistic", "l1", "newton"),
        ("hinge", "l2", "gradient_descent"),
        ("logistic", "none", "dual_coordinate"),
    ],
)
def test_a_solver_that_cannot_says_which_can(samples, loss, penalty, solver):
    with pytest.raises(ValueError, match=rf"solver='{solver}' needs a .*solvers that can: '"):
        LinearClassifier(loss, penalty, solver=solver).fit(*samples)


@pytest.mark.parametrize("solver", ["newton", "newton_cg", "conjugate_gradient", "gradient_descent", "dual_coordinate"])
def test_every_solver_finds_the_same(samples, solver):
    X, y = samples
    model = LinearClassifier("logistic", solver=solver, tol=1e-8).fit(X, y)
    assert model.solver_ == solver
    assert model.certificate_.relative_gap <= 1e-8
    np.testing.assert_allclose(model.coef_, LinearClassifier("logistic").fit(X, y).coef_, atol=1e-3)


def test_options_of_a_solver(samples):
    with pytest.raises(
        ValueError, match=r"solver_options has \['speed'\], which solver='newton' does not take; it takes"
    ):
        LinearClassifier("logistic", solver="newton", solver_options={"speed": 11}).fit(*samples)
    with pytest.raises(ValueError, match="'solver_options' parameter"):
        LinearClassifier("logistic", solver_options=[1]).fit(*samples)


@pytest.mark.parametrize("random_state", [None, 7, np.random.RandomState(3)])
def test_random_order(samples, random_state):
    X, y = samples
    model = LinearClassifier(solver="dual_coordinate", random_state=random_state).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
@pytest.mark.parametrize("name", ["two", "three"])
def test_path(samples, load, loss, name):
    X, y = samples if name == "two" else load("iris")
    Cs = [1.0, 0.01, 10.0, 0.1]
    model = LinearClassifier(loss)
    path = model.path(X, y, Cs)
    assert not hasattr(model, "coef_")
    assert list(path.Cs) == Cs
    for C, coef, intercept, certificate in zip(path.Cs, path.coefs, path.intercepts, path.certificates, strict=True):
        alone = LinearClassifier(loss, C=C).fit(X, y)
        assert certificate.status is Status.CONVERGED
        for one, other in zip(certificate.problems, alone.certificate_.problems, strict=True):
            assert one.primal == pytest.approx(other.primal, rel=1e-4)
        assert coef.shape == alone.coef_.shape
        assert intercept.shape == alone.intercept_.shape
        np.testing.assert_allclose(coef, alone.coef_, atol=2e-2)


def test_path_of_bad_values(samples):
    with pytest.raises(ValueError, match=r"Cs must be a list of one or more positive, finite numbers; got \[1, -1\]"):
        LinearClassifier().path(*samples, [1, -1])
    assert LinearClassifier("logistic").path(*samples).coefs.shape == (10, 1, 6)


def test_logistic_without_a_penalty_on_separable_classes():
    X = np.array([[-2.0], [-1.0], [1.0], [3.0]])
    with pytest.warns(ConvergenceWarning, match=r"classes are separable.*no minimum"):
        model = LinearClassifier("logistic", "none").fit(X, [0, 0, 1, 1])
    assert model.certificate_.status is not Status.CONVERGED
    assert model.certificate_.verify(X, [0, 0, 1, 1]).status is not Status.CONVERGED
    assert model.score(X, [0, 0, 1, 1]) == 1


def test_losses_that_are_not_for_labels_are_refused(samples):
    for loss in ("zero_one", "epsilon_insensitive"):
        with pytest.raises(ValueError, match="'loss' parameter"):
            LinearClassifier(loss).fit(*samples)
    with pytest.raises(ValueError, match="'C' parameter"):
        LinearClassifier(C=np.inf).fit(*samples)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("size", [1e200, 1e300])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "squared"])
def test_rows_whose_squares_overflow_without_a_penalty(loss, size):
    """The certificate asked LAPACK to solve equations that are not finite, and failed with its words."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    model = LinearClassifier(loss, "none").fit(size * X, y)
    assert model.certificate_.verify(size * X, y).status is model.certificate_.status
    assert np.isfinite(model.coef_).all()
