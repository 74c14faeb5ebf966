"""Stopping a linear fit, going on afterwards, and starting from an earlier solution."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status


class InterruptAt:
    """Ctrl-C at the k-th report."""

    def __init__(self, k):
        self.left = k

    def __call__(self, state):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_ctrl_c_leaves_a_model_to_go_on_from(machine, two_classes):
    X, y = two_classes
    model = machine(callback=InterruptAt(1), warm_start=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.fit_status_ == 1
    assert model.predict(X).shape == y.shape
    assert model.certificate_.verify(X, y).status is Status.INTERRUPTED
    model.fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.primal == pytest.approx(machine().fit(X, y).certificate_.primal, rel=1e-4)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_among_classes(classifier, three_classes, n_jobs):
    X, y = np.tile(three_classes[0], (40, 1)), np.tile(three_classes[1], 40)
    model = classifier(callback=InterruptAt(2), warm_start=True, n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    statuses = {c.status for c in model.certificate_.problems}
    assert Status.INTERRUPTED in statuses
    assert statuses <= {Status.CONVERGED, Status.INTERRUPTED}
    assert model.predict(X[:5]).shape == (5,)
    model.fit(X, y)
    assert model.certificate_.status is Status.CONVERGED


def test_a_callback_that_returns_true(machine, two_classes):
    X, y = two_classes
    heard = []
    model = machine(callback=lambda state: heard.append(state) or True)
    with pytest.warns(ConvergenceWarning, match=r"ended as 'interrupted'.*warm_start=True"):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    assert set(heard[0]) == {"problem", "iteration", "violation", "gap", "seconds"}


def test_other_exceptions_of_a_callback_come_out(machine, two_classes):
    def broken(state):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        machine(callback=broken).fit(*two_classes)


def test_warm_start_from_the_solution_takes_no_step(machine, two_classes):
    X, y = two_classes
    model = machine(warm_start=True).fit(X, y)
    before = model.coef_.copy()
    model.fit(X, y)
    assert np.all(model.n_iter_ == 0)
    np.testing.assert_array_equal(model.coef_, before)
    assert model.certificate_.status is Status.CONVERGED


def test_warm_start_with_another_c_and_other_rows(machine, two_classes):
    X, y = two_classes
    model = machine(warm_start=True).fit(X, y).set_params(C=3.0).fit(X[:60], y[:60])
    cold = machine(C=3.0).fit(X[:60], y[:60])
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=1e-4)


def test_warm_start_with_other_features_is_refused(machine, two_classes):
    X, y = two_classes
    model = machine(warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"warm_start=True needs the features.*4.*got 3"):
        model.fit(X[:, :3], y)


def test_warm_start_with_other_classes_is_refused(classifier, two_classes, three_classes):
    model = classifier(warm_start=True).fit(*two_classes)
    with pytest.raises(ValueError, match=r"warm_start=True needs the features and classes"):
        model.fit(three_classes[0][:, :4], three_classes[1])


def test_verbose_ends_with_the_proof(machine, two_classes, capfd):
    machine(verbose=1).fit(*two_classes)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("maxmargin: converged, relative gap")
