"""The benchmark of clusters: its parts, its referee, and how a peer goes up the ladder."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from benchmarks import command_line
from benchmarks.dask import cases, model
from benchmarks.referee import binary, with_constant


def test_it_is_there_and_its_parts_are_known():
    assert "dask" in command_line.BENCHMARKS and "dask" in command_line.LONG
    parts = importlib.import_module(command_line.BENCHMARKS["dask"]).PARTS
    assert set(parts) == {*cases.CASES, "model", "dask_same", "dask_larger"} and len(model.POINTS) - model.FITTED >= 6


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=300) > 0).astype(int)
    return X, y, binary(with_constant(X), 2.0 * y - 1.0, "logistic", C=1.0)


def test_the_first_rung_that_is_equal_counts(problem):
    X, y, referee = problem
    best = np.linalg.lstsq(with_constant(X), 2.0 * y - 1.0, rcond=None)[0] * 3
    bound = referee.value(best)
    line = cases._up_the_ladder("slow", lambda k: best * min(1.0, k / 20), referee, bound)
    assert line.note == "20 iterations" and line.seconds is not None
    never = cases._up_the_ladder("never", lambda k: 0 * best, referee, bound)
    assert "not equal" in never.note

    def broken(iterations):
        raise RuntimeError("no such machine")

    assert "no such machine" in cases._up_the_ladder("broken", broken, referee, bound).note


def test_ours_on_threads_and_on_one_machine_are_equal(problem):
    import dask.array as da

    X, y, _ = problem
    Xd, yd = da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=100)
    for case in cases.CASES.values():
        referee = cases._problem(X, y, case)
        ours, one = cases._estimators(case, None)
        values = [referee.value(np.append(np.ravel(m.coef_), m.intercept_)) for m in (ours.fit(Xd, yd), one.fit(X, y))]
        bound = max(m.certificate_.dual for m in (ours.fit(Xd, yd), one.fit(X, y)))
        assert all(bound * (1 - 1e-12) <= value <= bound * (1 + cases.EQUAL) for value in values)


def test_passes_of_a_fit_are_counted(problem):
    import dask.array as da

    from maxmargin.dask import LogisticRegression

    X, y, _ = problem
    Xd, yd = da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=100)
    passes = model._passes(None, LogisticRegression(), Xd, yd)
    assert passes["SecondOrder"] >= 2 and passes["Proof"] >= 1 and set(passes) <= set(model._OPERATIONS)
