"""Kernel models on data and with parameters that their fit did not have, near the origin, far from it, tiny and huge.

A sound model is confirmed, or at worst undecided; a converged one is refuted on other data wherever that is shown.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status, evaluate_kernel_crammer_singer
from maxmargin.estimators import TrainingDataError
from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from maxmargin.kernels import definiteness
from maxmargin.problems import KernelCrammerSinger
from maxmargin.svm import SVC, SVR, LargeSVC, LargeSVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

ROWS = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, 3))
SCORE = X @ [1.0, -2.0, 0.5]
TWO = (SCORE + 0.7 * RNG.normal(size=ROWS) > 0).astype(int)
THREE = np.digitize(SCORE + 0.7 * RNG.normal(size=ROWS), [-1, 1])
TARGET = SCORE + 0.5 * RNG.normal(size=ROWS)

MODELS = {
    "SVC": (lambda **kernel: SVC(**kernel), TWO),
    "SVC of three classes": (lambda **kernel: SVC(**kernel), THREE),
    "SVC one against the rest": (lambda **kernel: SVC(multi_class="ovr", **kernel), THREE),
    "SVC of Crammer and Singer": (lambda **kernel: SVC(multi_class="crammer_singer", max_iter=300, **kernel), THREE),
    "NuSVC": (lambda **kernel: NuSVC(nu=0.3, **kernel), TWO),
    "SVR": (lambda **kernel: SVR(**kernel), TARGET),
    "NuSVR": (lambda **kernel: NuSVR(**kernel), TARGET),
    "OneClassSVM": (lambda **kernel: OneClassSVM(nu=0.3, **kernel), None),
    "LargeSVC": (lambda **kernel: LargeSVC(**kernel), TWO),
    "LargeSVR": (lambda **kernel: LargeSVR(**kernel), TARGET),
    "KernelRidge": (lambda **kernel: KernelRidge(**kernel), TARGET),
    "KernelLogisticRegression": (lambda **kernel: KernelLogisticRegression(**kernel), TWO),
    "KernelPerceptron": (lambda **kernel: KernelPerceptron(**kernel), TWO),
}
KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2},
    "rbf": {"kernel": "rbf"},
}
PLACES = {
    "near": lambda X: X,
    "offset 1e3": lambda X: X + 1e3,
    "offset 1e6": lambda X: X + 1e6,
    "offset 1e8": lambda X: X + 1e8,
    "times 1e-150": lambda X: X * 1e-150,
    "times 1e-100": lambda X: X * 1e-100,
    "times 1e10": lambda X: X * 1e10,
    "times 1e100": lambda X: X * 1e100,
}


def _fitted(model, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


def _other_data(X, y):
    """Data by name that no model of X and y with an equal weight of all rows is right for."""
    data = {"rows in another order": (np.roll(X, 1, axis=0), y, None)}
    if y is None:
        return data
    if y.dtype.kind == "i":
        some = y.copy()
        some[::4] = (some[::4] + 1) % (y.max() + 1)
        data["other labels"] = X, some, None
    else:
        data["targets moved"] = X, y + 0.5, None
        data["targets of twice the size"] = X, 2 * y, None
    data["y in another order"] = X, np.roll(y, 1), None
    data["weights"] = X, y, np.where(np.arange(ROWS) % 2, 1.0, 3.0)
    return data


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", MODELS)
def test_other_data_refute_a_converged_model_at_every_place_and_scale(name, kernel, place):
    make, y = MODELS[name]
    rows = PLACES[place](X)
    try:
        model = _fitted(make(**KERNELS[kernel]), *((rows,) if y is None else (rows, y)))
    except ValueError as error:  # kernel values that overflow
        assert "float64" in str(error) or "finite" in str(error)
        return
    claim = model.certificate_
    checked = claim.verify(rows, y)
    assert checked.status is claim.status or (claim.status, checked.status) == (Status.CONVERGED, Status.STALLED)
    for change, (other_rows, other, weight) in _other_data(rows, y).items():
        if weight is not None and name == "KernelPerceptron":  # takes none
            continue
        found = claim.verify(other_rows, other, weight)
        if claim.status is Status.CONVERGED:
            assert found.status is Status.REFUTED, change
        else:  # claims less, and may claim nothing
            assert found.status in (claim.status, Status.REFUTED), change


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("name", ["SVC", "SVR", "NuSVR", "LargeSVC", "LargeSVR"])
def test_cases_are_refused_on_other_data_far_from_the_origin(name, kernel):
    make, y = MODELS[name]
    rows = X + (1e6 if kernel == "linear" else 30.0)
    model = _fitted(make(**KERNELS[kernel]), rows, y)
    assert model.certificate_.status is Status.CONVERGED
    model.kkt_cases(rows, y)
    for other_rows, other, weight in _other_data(rows, y).values():
        with pytest.raises(TrainingDataError):
            model.kkt_cases(other_rows, other, weight)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("name", MODELS)
def test_changed_parameters_refute_every_model(name, kernel):
    """Those that its claim depends on; what a kernel does not read changes nothing."""
    make, y = MODELS[name]
    kept = {**KERNELS[kernel], "gamma": 0.4} if kernel != "linear" else KERNELS[kernel]
    if kernel == "poly":
        kept = {**kept, "coef0": 1.0}
    model = _fitted(make(**kept), *((X,) if y is None else (X, y)))
    status = model.certificate_.status
    other = {"C": 3.0, "nu": 0.2, "epsilon": 0.3, "alpha": 2.5, "class_weight": {0: 2.0}, "fit_intercept": False}
    other["kernel"] = "rbf" if kernel != "rbf" else "linear"
    other |= {"linear": {}, "rbf": {"gamma": 0.9}, "poly": {"gamma": 0.9, "coef0": 2.0, "degree": 3}}[kernel]
    was = model.get_params()
    if type(model) is NuSVR:
        assert "epsilon" not in was
    for parameter, value in other.items():
        if parameter in was and was[parameter] != value:
            model.set_params(**{parameter: value})
            assert model.certificate_.verify(X, y).status is Status.REFUTED, parameter
            model.set_params(**{parameter: was[parameter]})
            assert model.certificate_.verify(X, y).status is status, parameter


@pytest.mark.parametrize("model", [LinearSVC(), LinearSVC(multi_class="crammer_singer"), LinearSVR()], ids=repr)
def test_changed_parameters_refute_linear_machines(model):
    y = TARGET if isinstance(model, LinearSVR) else THREE
    model.fit(X, y)
    was = model.get_params()
    for parameter, value in {"C": 3.0, "class_weight": {0: 2.0}, "epsilon": 0.3, "fit_intercept": False}.items():
        if parameter in was:
            model.set_params(**{parameter: value})
            assert model.certificate_.verify(X, y).status is Status.REFUTED, parameter
            model.set_params(**{parameter: was[parameter]})


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e-30, 1.0])
def test_another_intercept_is_refuted_in_the_unit_of_the_rows(scale):
    """A score of 1e-200 had an allowance of 1e-12."""
    rows = (X + 5) * scale
    model = OneClassSVM(kernel="linear", nu=0.3).fit(rows)
    assert model.certificate_.verify(rows).status is model.certificate_.status is Status.CONVERGED
    model.intercept_ = model.intercept_ * 1.01
    model.offset_ = -model.intercept_
    assert model.certificate_.verify(rows).status is Status.REFUTED


@pytest.mark.parametrize("exponent", range(-163, -144))
@pytest.mark.parametrize("make", [lambda: OneClassSVM(kernel="linear", nu=0.3), lambda: NuSVC(kernel="linear", nu=0.3)])
def test_objectives_among_subnormal_numbers_have_the_relative_gap_of_their_own_size(make, exponent):
    """It was one of 1e-300: two bounds of which one was zero were 1e-15 apart."""
    rows = X * 10.0**exponent
    try:
        model = _fitted(make(), rows, TWO)
    except ValueError as error:  # coefficients that overflow
        assert "too large or too small" in str(error)
        return
    for found in (model.certificate_, model.certificate_.verify(rows, TWO)):
        assert found.status is model.certificate_.status
        size = max(abs(found.primal), abs(found.dual))
        assert found.relative_gap == (found.gap / size if size else 0.0)


@pytest.mark.parametrize("scale", [1e-155, 1e-158, 1e-161])
def test_squared_targets_among_subnormal_numbers(scale):
    """Objectives of linear models and of ridge regression, whose gap a fit and `verify` state alike."""
    y = TARGET * scale
    for model in (KernelRidge(), LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.0)):
        claim = _fitted(model, X, y).certificate_
        checked = claim.verify(X, y)
        assert checked.status is claim.status or (claim.status, checked.status) == (Status.CONVERGED, Status.STALLED)
        for found in (claim, checked):
            assert found.relative_gap >= 0.999 * (found.primal - found.dual) / max(found.primal, found.dual)


@pytest.mark.parametrize("offset", [1e13, 1e14, 1e15, 1e16])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_targets_without_digits_for_the_tolerance_are_not_called_solved(kind, kernel, offset):
    """Residuals are off by half an ulp of the targets: a violation of zero says nothing, and the gap was above 1."""
    model = kind(kernel=kernel)
    with pytest.warns(ConvergenceWarning, match="Rounding errors allow no better|float64 has too few digits"):
        model.fit(X, TARGET + offset)
    assert model.certificate_.status is Status.STALLED
    assert model.certificate_.verify(X, TARGET + offset).status is Status.STALLED
    model.certificate_ = replace(
        model.certificate_,
        problems=tuple(replace(c, status=Status.CONVERGED, kkt_violation=0.0) for c in model.certificate_.problems),
    )
    assert model.certificate_.verify(X, TARGET + offset).status is not Status.CONVERGED


@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_targets_far_from_zero_converge_where_float64_has_the_digits(kind):
    assert kind().fit(X, TARGET + 1e10).certificate_.status is Status.CONVERGED
    assert kind(C=1.0).fit(X, 1e20 * TARGET).certificate_.status is Status.CONVERGED  # all rows at their bounds


def test_multipliers_of_a_joint_problem_that_do_not_balance_are_no_rounding():
    """What it costs to balance them is a part of the gap, and was counted as a matter of rounding."""
    model = SVC(kernel="linear", multi_class="crammer_singer").fit(X, THREE)
    kernel = model._fitted_kernel()
    gram = kernel.audit_gram(model._rows(X))
    problem = KernelCrammerSinger(gram, THREE.astype(np.int64), 3, np.ones(ROWS))
    alpha, b = model._spread(ROWS).T.copy(), model.intercept_
    sound = evaluate_kernel_crammer_singer(problem, alpha, b, definiteness(kernel, gram))
    row = int(np.flatnonzero((np.abs(alpha).max(axis=1) > 0.1) & (np.abs(alpha).max(axis=1) < 0.9))[0])
    alpha[row] *= 1 + 2.0**-20  # its sum over the classes stays zero, those of the classes over the samples do not
    moved = evaluate_kernel_crammer_singer(problem, alpha, b, definiteness(kernel, gram))
    assert moved.gap > 100 * sound.gap
    assert moved.rounding <= 2 * sound.rounding < 0.01 * moved.gap


@pytest.mark.parametrize("seed", [2, 5, 6])
@pytest.mark.parametrize("C", [1e6, 1e7])
def test_a_large_machine_of_rows_far_from_the_origin_is_confirmed(seed, C):
    """Its intercepts were held to the rounding of the audit, which is more than that of the fit."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(120, 40))
    rows[:, 0] += 1e7
    y = np.where(rng.normal(size=120) + rows[:, 0] > 1e7, 1, -1)
    model = LargeSVC(C=C).fit(rows, y)
    assert model.certificate_.verify(rows, y).status is model.certificate_.status
    model.intercept_range_ = model.intercept_range_ * 0.9
    assert model.certificate_.verify(rows, y).status is Status.REFUTED
