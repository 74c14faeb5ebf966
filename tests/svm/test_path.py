"""SVC.path: machines along C."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale

from maxmargin.svm import SVC

CS = [10.0, 0.01, 1.0, 100.0]


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("cache_size", [200, 0.5])
@pytest.mark.parametrize("data", [breast_cancer(), load_iris(return_X_y=True)], ids=["binary", "iris"])
def test_each_machine_is_the_one_that_a_fit_gives(data, cache_size):
    X, y = data
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    machine = SVC(cache_size=cache_size, tol=1e-6, class_weight="balanced")
    path = machine.path(X, y, CS, weight)
    np.testing.assert_array_equal(path.Cs, CS)
    for C, model, certificate in zip(CS, path.models, path.certificates, strict=True):
        alone = SVC(C=C, tol=1e-6, class_weight="balanced").fit(X, y, weight)
        assert model.C == C
        np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-4)
        ours, theirs = (sum(c.dual for c in proof.problems) for proof in (certificate, alone.certificate_))
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        assert str(certificate.verify(X, y, weight).status) == "converged"
    assert not hasattr(machine, "support_")


def test_the_objective_grows_with_c():
    X, y = breast_cancer()
    Cs = np.logspace(-3, 3, 13)
    path = SVC(gamma=0.01).path(X, y, Cs)
    duals = np.array([c.dual for c in path.certificates])
    assert (np.diff(duals) > 0).all()
    assert path.n_support[0] > path.n_support[-1]


def test_warm_starts_save_steps():
    X, y = breast_cancer()
    Cs = np.logspace(-1, 3, 20)
    path = SVC(gamma=0.01, tol=1e-6).path(X, y, Cs)
    alone = sum(SVC(gamma=0.01, C=C, tol=1e-6).path(X, y, [C]).certificates[0].iterations for C in Cs)
    assert sum(c.iterations for c in path.certificates) < 0.8 * alone


@pytest.mark.parametrize("Cs", [[], [1.0, 0.0], [np.inf], [[1.0]], [np.nan]])
def test_bad_values(Cs):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="Cs must be"):
        SVC().path(X, y, Cs)


def test_one_vs_rest_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="multi_class='ovo'"):
        SVC(multi_class="ovr").path(X, y, [1.0])


def test_a_flat_kernel_keeps_the_sum_of_the_multipliers():
    """Thirty features, hundreds of free multipliers: the matrix of those is singular, and Newton's steps are huge."""
    X, y = breast_cancer()
    for Cs in ([0.1, 1, 10, 100], [1e-3, 0.1, 10], [0.01, 10]):
        path = SVC(kernel="linear").path(X, y, Cs)
        assert [str(c.status) for c in path.certificates] == ["converged"] * len(Cs)
        assert max(c.relative_gap for c in path.certificates) < 1e-3
