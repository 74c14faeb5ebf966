"""What solvers say while they work."""

import warnings

import numpy as np
import pytest

from maxmargin.linear_model import LinearClassifier, LogisticRegression
from maxmargin.plotting import Recorder
from maxmargin.solvers import RISK_SOLVERS
from maxmargin.svm import LinearSVC


def _gaps(model, X, y, weight):
    recorder = Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(callback=recorder).fit(X, y, sample_weight=np.full(len(y), weight))
    return recorder.gaps[np.isfinite(recorder.gaps)]


@pytest.mark.parametrize("solver", RISK_SOLVERS)
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_gaps_are_relative(two_classes, solver, loss):
    """In units of the objective, which is about 1e7 here, the first gap would be, too."""
    X, y = two_classes
    model = LinearClassifier(loss, solver=solver, max_iter=20, tol=1e-12)
    try:
        gaps = _gaps(model, X, y, 1e6)
    except ValueError as error:
        pytest.skip(str(error))
    assert (gaps < 1e5).all()


@pytest.mark.parametrize("model", [LogisticRegression(), LogisticRegression(penalty="l1", C=0.1)])
def test_gaps_of_joint_machines_are_relative(three_classes, model):
    X, y = three_classes
    gaps = _gaps(model.set_params(tol=1e-12), X, y, 1e6)
    assert len(gaps) > 0
    assert (gaps < 1e5).all()


def test_gaps_of_the_joint_hinge_are_relative(three_classes):
    X, y = three_classes
    gaps = _gaps(LinearSVC(multi_class="crammer_singer", max_iter=50), X, y, 1e6)
    assert (gaps < 1e5).all()
