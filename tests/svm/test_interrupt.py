"""Stopping a fit: by a callback, by Ctrl-C, and going on afterwards."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.solvers.kernel import _certified
from maxmargin.svm import SVC


class InterruptAt:
    """Ctrl-C at the k-th report."""

    def __init__(self, k):
        self.left = k

    def __call__(self, state):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("at", [1, 3])
def test_keyboard_interrupt_leaves_a_model_to_go_on_from(clouds, at):
    X, y = clouds(3000, 5, distance=0.5)
    model = SVC(C=10.0, callback=InterruptAt(at), warm_start=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.fit_status_ == 1
    assert model.predict(X).shape == (3000,)
    assert model.certificate_.verify(X, y).status is Status.INTERRUPTED
    model.fit(X, y)
    fresh = SVC(C=10.0).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.dual == pytest.approx(fresh.certificate_.dual, rel=1e-4)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("at", [1, 5])
def test_keyboard_interrupt_among_many_classes(load, n_jobs, at):
    """Pairs that were solved are kept, the one that was interrupted and those to come go on later."""
    X, y = load("digits")
    model = SVC(C=10.0, callback=InterruptAt(at), warm_start=True, n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    statuses = [c.status for c in model.certificate_.problems]
    assert set(statuses) <= {Status.CONVERGED, Status.INTERRUPTED}
    assert Status.INTERRUPTED in statuses
    assert model.predict(X[:5]).shape == (5,)
    model.fit(X, y)
    fresh = SVC(C=10.0).fit(X, y)
    for again, cold in zip(model.certificate_.problems, fresh.certificate_.problems, strict=True):
        assert again.dual == pytest.approx(cold.dual, rel=1e-6)


@pytest.mark.parametrize("C", [10.0, np.inf])
@pytest.mark.parametrize("quick", [True, False])
def test_keyboard_interrupt_of_soft_and_hard_margins(circles, monkeypatch, C, quick):
    """Where certifying would take long after Ctrl-C, nothing is claimed; the state is there all the same."""
    if not quick:
        monkeypatch.setattr(_certified, "_QUICK", -1)
    X, y = circles(80)
    model = SVC(C=C, gamma=0.3, callback=InterruptAt(1), warm_start=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    assert np.isfinite(model.decision_function(X)).all()
    model.set_params(callback=None).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.dual == pytest.approx(SVC(C=C, gamma=0.3).fit(X, y).certificate_.dual, rel=1e-4)


def test_callback_that_returns_true(clouds):
    X, y = clouds(3000, 5, distance=0.5)
    model = SVC(C=10.0, callback=lambda state: state["iteration"] > 0)
    with pytest.warns(ConvergenceWarning, match=r"interrupted.*warm_start=True"):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.certificate_.kkt_violation > model.tol
    assert model.predict(X).shape == (3000,)


def test_callback_that_returns_true_among_many_classes(load):
    X, y = load("digits")
    model = SVC(callback=lambda state: True)
    with pytest.warns(ConvergenceWarning, match=r"interrupted' \(\d against \d\)"):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED


def test_other_exceptions_of_a_callback_come_out(clouds):
    def broken(state):
        raise ZeroDivisionError

    X, y = clouds(60)
    with pytest.raises(ZeroDivisionError):
        SVC(callback=broken).fit(X, y)


def test_callback_hears_names_and_rising_counts(load, clouds):
    heard = []
    X, y = load("iris")
    SVC(C=100.0, callback=heard.append).fit(X, y)
    assert {state["problem"] for state in heard} == {"0 against 1", "0 against 2", "1 against 2"}
    heard.clear()
    X, y = clouds(3000, 5, distance=0.5)
    SVC(C=10.0, gap_tol=1e-6, callback=heard.append).fit(X, y)
    counts = [state["iteration"] for state in heard]
    assert counts == sorted(counts)  # also where the fit goes on in float64
    assert all(state["gap"] >= 0 for state in heard)
    assert {state["problem"] for state in heard} == {""}


def test_verbose_shows_progress_and_the_end(clouds, capfd):
    X, y = clouds(200)
    SVC(verbose=True).fit(X, y)
    out, err = capfd.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert lines[0].startswith("maxmargin: iteration 0, violation 2.00e+00")
    assert lines[-1].startswith("maxmargin: converged, relative gap")
    SVC().fit(X, y)
    assert capfd.readouterr() == ("", "")


_SCRIPT = """
    import time

    import numpy as np
    from maxmargin.svm import SVC

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 10))
    y = X[:, 0] + 2 * rng.normal(size=2500) > 0
    seen = 0

    def report(state):
        global seen
        seen += 1
        if seen == 3:
            print("in the middle", flush=True)
        if seen >= 3:
            time.sleep(0.5)  # the signal is to find the fit at work, however quick the machine

    model = SVC(kernel="linear", C=100.0, callback=report)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print(model.certificate_.status, model.predict(X[:3]).shape, flush=True)
    else:
        print("was not interrupted", flush=True)
    model.set_params(warm_start=True, callback=None).fit(X, y)
    print(model.certificate_.status, model.certificate_.dual, flush=True)
    print(SVC(kernel="linear", C=100.0).fit(X, y).certificate_.dual, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal are sent otherwise here")
def test_a_real_sigint():
    """The script stops within a report or two, keeps its state, goes on, and ends where it would have ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_SCRIPT)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "in the middle\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)  # only against hanging
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, err
    interrupted, resumed, fresh = out.splitlines()
    assert interrupted == "interrupted (3,)"
    status, dual = resumed.rsplit(" ", 1)
    assert status == "converged"
    assert float(dual) == pytest.approx(float(fresh), rel=1e-5)
