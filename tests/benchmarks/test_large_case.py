"""The comparison of machines of many rows, and its referee."""

import numpy as np
import pytest
from benchmarks import command_line, large
from benchmarks.options import Options

from maxmargin.svm import SVC


def test_it_is_listed_and_not_among_all():
    assert "large" in command_line.BENCHMARKS and "large" in command_line.LONG
    assert len(set(large.PARTS)) == len(large.PARTS)


def test_the_referee_computes_the_exact_objective():
    case = large.Case("made", 2.0, rows=40_000, columns=6)
    X, y, new, labels = case.data(Options(quick=True))
    assert X.shape == (360, 6) and len(new) == len(labels) == 40
    model = SVC(C=2.0, gap_tol=1e-9).fit(X, y)
    function = model.support_vectors_, model.dual_coef_[0], float(model.intercept_[0])
    assert large.objective(case, X, y, function) == pytest.approx(model.certificate_.primal, rel=1e-6)
    worse = model.support_vectors_, model.dual_coef_[0] * 0.9, float(model.intercept_[0])
    assert large.objective(case, X, y, worse) > model.certificate_.primal


def test_made_rows_are_noisy_and_of_both_classes():
    X, y, *_ = large.Case("made", 1.0, rows=100_000, columns=8).data(Options(quick=True))
    assert 0.2 < y.mean() < 0.8 and X.dtype == np.float32
