"""The comparison of indefinite kernels with LIBSVM."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import command_line, indefinite
from benchmarks.options import Options


def test_is_a_benchmark():
    assert "indefinite" in command_line.BENCHMARKS
    assert len(indefinite.SETTINGS) == 20


@pytest.mark.parametrize("place", [11, 18])
def test_ours_is_at_least_as_good(place):
    setting = indefinite.SETTINGS[place]
    X, y, name = indefinite.load(setting.rows, Options())
    ours, theirs, smallest = indefinite.measure(setting, X, y)
    assert name == "iris 2, 3"
    assert smallest < -1e-6
    assert (ours.dual >= theirs.dual - 1e-12 * np.abs(theirs.dual)).all()
    assert ours.accuracy.mean() >= theirs.accuracy.mean()


def test_sets_that_are_missing_are_replaced():
    X, y, name = indefinite.load("sonar", Options())
    assert name == "wine 1, 2"
    assert len(X) == len(y) == 130
