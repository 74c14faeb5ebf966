"""Fits of many rows that are gone on from: whatever ended the last one, the next comes to the end."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.svm import SVC, LargeSVC, LargeSVR, _large_solve


def ended_early(model, X, y, times):
    """The model after a fit that its callback ends."""
    left = iter(range(times))
    model.set_params(callback=lambda state: next(left, None) is None, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return model.set_params(callback=None)


@pytest.mark.parametrize("times", [0, 3])
@pytest.mark.parametrize("method", ["auto", "landmarks", "cells", "exact"])
@pytest.mark.parametrize("estimator", [LargeSVC, LargeSVR])
def test_a_fit_that_was_stopped_is_gone_on_from(estimator, method, times, monkeypatch):
    """Landmarks began with a single one, and cells with none, where the first fit had come to nothing."""
    monkeypatch.setattr("maxmargin.svm._large_choice._CELL", 250)
    monkeypatch.setattr("maxmargin.svm._large_choice._LARGEST_CELL", 250)
    X, y = make_moons(500, noise=0.2, random_state=0)
    target = y if estimator is LargeSVC else X[:, 0] * X[:, 1]
    at_once = estimator(method=method, gamma=20.0, gap_tol=0.6).fit(X, target)
    assert at_once.certificate_.status is Status.CONVERGED
    model = ended_early(estimator(method=method, gamma=20.0, gap_tol=0.6), X, target, times)
    model.fit(X, target)
    assert model.certificate_.status is Status.CONVERGED, model.method_reason_
    assert model.certificate_.verify(X, target).status is Status.CONVERGED
    assert model.method_ == at_once.method_


def test_a_fit_that_had_no_time_is_gone_on_from():
    X, y = make_moons(500, noise=0.2, random_state=0)
    for method in ("landmarks", "cells"):
        model = LargeSVC(method=method, time_limit=1e-9, gap_tol=1e-2, warm_start=True)
        with pytest.warns(ConvergenceWarning, match="budget exhausted"):
            model.fit(X, y)
        model.set_params(time_limit=None).fit(X, y)
        assert model.certificate_.relative_gap <= 1e-2 and model.method_ == [method]


@pytest.mark.parametrize("estimator", [LargeSVC, LargeSVR])
def test_exact_steps_go_on_from_those_before(estimator, monkeypatch):
    """However wide the gap is; and the distance to the exact machine is that of one set of multipliers."""
    starts, known = [], _large_solve.solve_kernel
    monkeypatch.setattr(_large_solve, "solve_kernel", lambda p, s, *a, **k: starts.append(s) or known(p, s, *a, **k))
    X, y = make_moons(3000, noise=0.2, random_state=0)
    model = ended_early(estimator(method="exact", C=10.0, gamma=5.0, gap_tol=1e-6), X, y, 1)
    gap = model.certificate_.relative_gap
    assert gap > 0.5
    radius = model.fit(X, y).radius_[0]
    assert starts[0] is None and starts[1].any()
    assert model.fit(X, y).method_ == ["exact"] and model.radius_[0] <= radius * 1.01
    assert "from the beginning" not in model.method_reason_[0]


def test_what_nothing_was_done_to_keeps_its_name():
    X, y = make_moons(500, noise=0.2, random_state=0)
    model = LargeSVC(method="landmarks", gap_tol=0.01, warm_start=True).fit(X, y)
    for method in ("auto", "exact", "cells"):
        model.set_params(method=method).fit(X, y)
        assert model.method_ == ["landmarks"] and model.method_reason_ == ["It goes on from the last fit."]
    model.set_params(method="exact", gap_tol=1e-5).fit(X, y)
    assert model.method_ == ["exact"] and "Exact steps from there" in model.method_reason_[0]


def test_cells_that_come_no_nearer_change_nothing(monkeypatch):
    monkeypatch.setattr("maxmargin.svm._large_choice._CELL", 100)
    monkeypatch.setattr("maxmargin.svm._large_choice._LARGEST_CELL", 100)
    X, y = make_moons(500, noise=0.2, random_state=0)
    model = LargeSVC(gamma=0.5, gap_tol=1e-4, warm_start=True).fit(X, y)
    gap, values = model.certificate_.gap, model.decision_function(X)
    model.set_params(method="cells", gap_tol=0.5 * model.certificate_.relative_gap)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert model.certificate_.gap == pytest.approx(gap, rel=0.05) and model.method_ == ["exact"]
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-9)
    assert model.method_reason_[0].endswith("That came no nearer.")


@pytest.mark.parametrize("estimator", [SVC, LargeSVC])
def test_another_way_with_many_classes_is_refused(estimator):
    """With three classes both ways have three problems, of other rows."""
    X, _ = make_moons(120, noise=0.2, random_state=0)
    y = np.arange(120) % 3
    model = estimator(warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="same multi_class as the last fit"):
        model.set_params(multi_class="ovr").fit(X, y)
    with pytest.raises(ValueError, match="classes"):
        model.fit(X, y + 1)
