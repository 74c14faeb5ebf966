"""Parameters changed after a fit, claims that contradict themselves, and odd input that was judged wrongly once."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import ModelCertificate, NotSeparableError, Status
from maxmargin.ensemble import BaggingClassifier, RandomForestClassifier
from maxmargin.svm import SVC, SVR, LinearSVR, NuSVC, OneClassSVM
from maxmargin.tree import DecisionTreeRegressor

X, y = make_moons(40, noise=0.3, random_state=0)


@pytest.mark.parametrize("model", [SVC(gamma=50.0), SVR(gamma=50.0), SVC(kernel="poly", gamma=2.0)], ids=str)
def test_a_gamma_that_was_not_fitted_is_refuted(model):
    model.fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    model.set_params(gamma=0.01)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize("figure", ["dual", "gap", "relative_gap"])
def test_a_claim_that_contradicts_itself_is_refuted(figure):
    model = SVC(C=100).fit(X, y)
    claim = model.certificate_.problems[0]
    found = model.certificate_.verify(X, y)
    value = found.primal * (1 + 3e-10) if figure == "dual" else 0.0
    model.certificate_ = ModelCertificate((replace(claim, **{figure: value}),), model._recertify)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_gamma_of_sparse_rows_far_from_the_origin():
    """Variance as a difference of squares lost all digits; zeros that are not stored count, too."""
    far = X + 1e7
    assert SVC().fit(sp.csr_matrix(far), y)._gamma == pytest.approx(SVC().fit(far, y)._gamma, rel=1e-12)
    holes = np.where(X > 0, X, 0.0)
    weight = np.arange(40.0)
    dense, sparse = SVC().fit(holes, y, weight), SVC().fit(sp.csr_matrix(holes), y, weight)
    assert sparse._gamma == pytest.approx(dense._gamma, rel=1e-12)


@pytest.mark.parametrize("coef0", [0.0, 1.0])
def test_degree_0(coef0):
    model = SVC(kernel="poly", degree=0, coef0=coef0).fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


def test_nu_svc_that_ended_early_keeps_its_status():
    model = NuSVC(nu=0.3, kernel="poly", degree=5, gamma=1.0, coef0=1, max_iter=10)
    with pytest.warns(ConvergenceWarning):
        model.fit(X * 100, y)
    assert model.certificate_.verify(X * 100, y).status is Status.BUDGET_EXHAUSTED


def test_c_beyond_what_can_be_squared():
    with pytest.warns(ConvergenceWarning):
        model = SVC(kernel="linear", C=1e300, max_iter=1000).fit(X, y)
    assert model.certificate_.dual <= model.certificate_.primal


def test_a_constant_target():
    model = LinearSVR(epsilon=0.1).fit(X, np.full(40, 3.0))
    assert (model.certificate_.dual, model.certificate_.primal) == (0, 0)


def test_one_class_machines_are_verified_without_y():
    assert OneClassSVM(nu=0.2).fit(X).certificate_.verify(X).status is Status.CONVERGED


def test_samples_of_no_length():
    with pytest.raises(NotSeparableError, match=r"1 sample of one class and one of 1 sample .* length up to 0"):
        SVC(kernel="precomputed", C=np.inf).fit(np.zeros((40, 40)), y)


@pytest.mark.parametrize("model", [RandomForestClassifier(5), BaggingClassifier(n_estimators=5)], ids=str)
def test_weights_of_one_are_no_weights(model):
    model.set_params(random_state=0).fit(X, y)
    assert model.certificate_.verify(X, y, np.ones(40)).status is not Status.REFUTED


def test_a_tree_of_targets_far_from_zero():
    model = DecisionTreeRegressor(max_depth=3).fit(X, X[:, 1] + 1e8)
    assert model.certificate_.status is Status.CONVERGED
    with pytest.warns(ConvergenceWarning, match="Scale or centre y"):
        model.fit(X, X[:, 1] * 1e-200)
    assert model.certificate_.status is Status.STALLED
