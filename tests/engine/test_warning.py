"""Warnings name the line of the user's program."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin.engine import interruptible, warn
from maxmargin.linear_model import Perceptron
from maxmargin.svm import SVC


def _advise():
    warn("text", UserWarning, stacklevel=3)


def _plain():
    _advise()


@pytest.mark.parametrize("call", [_plain, interruptible(_plain)])
def test_what_makes_a_function_interruptible_is_no_level(call):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        call()
    assert [w.filename for w in given] == [__file__]


@pytest.mark.parametrize("model", [SVC(max_iter=1), Perceptron(max_iter=2)])
def test_a_fit_that_did_not_converge(model):
    rng = np.random.default_rng(0)
    with pytest.warns(ConvergenceWarning) as given:
        model.fit(rng.normal(size=(200, 3)), rng.integers(2, size=200))
    assert [w.filename for w in given] == [__file__]
