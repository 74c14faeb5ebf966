"""Everything that a kernel machine's predictions read is checked by `verify`; what is honest is not refuted."""

import copy
import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import ModelCertificate, Status
from maxmargin.persistence import load as load_model, save
from maxmargin.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

IRIS, SPECIES = load_iris(return_X_y=True)
A, a = make_moons(40, noise=0.3, random_state=0)
B, b = make_moons(80, noise=0.25, random_state=0)
TWO = SPECIES != 2
MACHINES = {
    "SVC": (SVC(), IRIS, SPECIES),
    "linear": (SVC(kernel="linear"), IRIS, SPECIES),
    "one-vs-rest": (SVC(multi_class="ovr"), IRIS, SPECIES),
    "hard margin": (SVC(C=np.inf, kernel="linear"), IRIS[TWO], SPECIES[TWO]),
    "sparse": (SVC(class_weight="balanced"), sp.csr_array(IRIS), SPECIES),
    "callable": (SVC(kernel=lambda X, Z: X @ Z.T), IRIS, SPECIES),
    "precomputed": (SVC(kernel="precomputed"), IRIS @ IRIS.T, SPECIES),
    "float32": (SVC(C=100.0), IRIS.astype(np.float32), SPECIES),
    "NuSVC": (NuSVC(nu=0.1), IRIS, SPECIES),
    "SVR": (SVR(), IRIS[:, 1:], IRIS[:, 0]),
    "NuSVR": (NuSVR(), IRIS[:, 1:], IRIS[:, 0]),
    "one class": (OneClassSVM(), IRIS, None),
}


def reverse(name):
    def tamper(model):
        setattr(model, name, getattr(model, name)[::-1].copy())

    return tamper


def replace(name, change):
    def tamper(model):
        setattr(model, name, change(getattr(model, name)))

    return tamper


def entry(name, value):
    def tamper(model):
        array = getattr(model, name).copy()
        (array.data if sp.issparse(array) else array.reshape(-1))[1 % array.size] = value
        setattr(model, name, array)

    return tamper


TAMPER = {
    "intercept is NaN": entry("intercept_", np.nan),
    "intercept is infinite": entry("intercept_", np.inf),
    "intercept is gone": replace("intercept_", lambda v: v[:0]),
    "multiplier is NaN": entry("dual_coef_", np.nan),
    "multipliers reversed": replace("dual_coef_", lambda v: v[:, ::-1]),
    "multipliers cut": replace("dual_coef_", lambda v: v[:, :-1]),
    "support reversed": reverse("support_"),
    "support of another kind": replace("support_", lambda v: v.astype(str)),
    "other columns": replace("n_features_in_", lambda v: v + 1),
    "gamma doubled": replace("_gamma", lambda v: 2 * v),
    "gamma is NaN": replace("_gamma", lambda v: np.nan),
    "format changed": replace("_sparse", lambda v: not v),
}


@pytest.fixture(scope="module", params=MACHINES)
def fitted(request):
    model, X, y = MACHINES[request.param]
    return request.param, model.fit(X, y), X, y


def test_an_honest_model_is_confirmed(fitted):
    _, model, X, y = fitted
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


@pytest.mark.parametrize("tamper", TAMPER)
def test_what_predictions_read_is_checked(fitted, tamper):
    name, model, X, y = fitted
    if "gamma" in tamper and getattr(model, "_gamma", 0.0) == 0.0:
        pytest.skip("this kernel has no gamma")
    if "doubled" in tamper and model.kernel == "linear":
        pytest.skip("the linear kernel does not read it")
    other = copy.deepcopy(model)
    if tamper == "other columns" and name == "callable":
        pytest.skip("what the rows are is the function's affair")
    TAMPER[tamper](other)
    assert other.certificate_.verify(X, y).status is Status.REFUTED


CLASSIFIERS = {
    "sizes reversed": reverse("n_support_"),
    "classes reversed": reverse("classes_"),
    "classes renamed": replace("classes_", lambda v: v + 1),
    "classes repeated": replace("classes_", lambda v: np.zeros_like(v)),
    "class weights": replace("class_weight_", lambda v: v * 1.5),
    "class weights NaN": entry("class_weight_", np.nan),
}


@pytest.mark.parametrize("tamper", CLASSIFIERS)
@pytest.mark.parametrize("name", ["SVC", "one-vs-rest", "NuSVC", "sparse", "callable", "precomputed"])
def test_names_and_sizes_of_classes_are_checked(name, tamper):
    model, X, y = MACHINES[name]
    model = copy.deepcopy(model).fit(X, y)
    if tamper == "sizes reversed" and np.array_equal(model.n_support_, model.n_support_[::-1]):
        model.n_support_ = np.roll(model.n_support_, 1)
    CLASSIFIERS[tamper](model)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_support_vectors_of_any_kind_are_those_of_the_rows():
    model = SVC(kernel=lambda X, Z: X @ Z.T).fit(IRIS, SPECIES)
    model._callable_support = model._callable_support * 1.01
    assert model.certificate_.verify(IRIS, SPECIES).status is Status.REFUTED


def test_the_offset_of_one_class_is_its_intercept():
    model = OneClassSVM().fit(IRIS)
    model.offset_ = model.offset_ + 5
    assert model.certificate_.verify(IRIS, None).status is Status.REFUTED


def test_a_file_does_not_bring_its_own_tolerance(tmp_path):
    model = SVC().fit(B, b)
    model.intercept_ = model.intercept_ - 50
    model.set_params(tol=1e9)
    save(model, tmp_path / "model.mm")
    assert load_model(tmp_path / "model.mm").certificate_.verify(B, b).status is Status.REFUTED


def test_no_tolerance_exceeds_the_margin():
    model = SVC().fit(B, b)
    model.set_params(tol=1e9)
    model.intercept_ = model.intercept_ - 50
    # a forger who computes the figures of what was forged
    told = dataclasses.replace(model.certificate_.verify(B, b).problems[0], status=Status.CONVERGED)
    model.certificate_ = ModelCertificate((told,), model._recertify)
    assert model.certificate_.verify(B, b).status is Status.REFUTED
    loose = SVC(tol=50.0, C=1e3).fit(B, b)
    assert loose.certificate_.status is Status.CONVERGED
    assert loose.certificate_.kkt_violation <= 1
    assert loose.certificate_.verify(B, b).status is Status.CONVERGED


@pytest.mark.parametrize("figure", ["primal", "dual", "gap", "relative_gap", "kkt_violation"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -1e3, 0.7])
def test_claimed_figures_are_reproduced(figure, value):
    model = SVC().fit(B, b)
    part = dataclasses.replace(model.certificate_.problems[0], **{figure: value})
    model.certificate_ = ModelCertificate((part,), model._recertify)
    assert model.certificate_.verify(B, b).status is Status.REFUTED


def test_a_tight_gap_is_confirmed():
    model = SVC(C=100, gap_tol=1e-13).fit(B, b)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(B, b).status is Status.CONVERGED


def test_a_gap_below_rounding_is_not_refuted():
    """The multipliers themselves are rounded: what a fit cannot reach it does not claim, after a few steps."""
    model = SVC(C=100, gap_tol=1e-15)
    with pytest.warns(ConvergenceWarning, match="stalled"):
        model.fit(B, b)
    proof = model.certificate_
    assert proof.relative_gap < 1e-13
    assert proof.iterations < 100_000
    assert proof.verify(B, b).status is Status.STALLED
