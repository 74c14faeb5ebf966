"""Parameters that are refused: in scikit-learn's words, whatever was checked before."""

from numbers import Real

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Hidden, Interval, InvalidParameterError, StrOptions

from maxmargin.estimators import Reported
from maxmargin.linear_model import ElasticNet, Lasso


class Theirs(BaseEstimator):
    """Checked by scikit-learn."""

    _parameter_constraints = {
        "size": [Interval(Real, 0, 1, closed="both"), None],
        "kind": [StrOptions({"a", "b"}), Hidden(StrOptions({"c"})), callable],
        "wrong": ["boolean"],
        "anything": "no_validation",
    }

    def __init__(self, size=0.5, kind="a", wrong="yes", anything=None, unnamed=None):
        self.size, self.kind, self.wrong, self.anything, self.unnamed = size, kind, wrong, anything, unnamed


class Ours(Reported, Theirs):
    """Checked here."""


def _said(estimator):
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        return str(error).replace("Theirs", "Ours")
    return None


@pytest.mark.parametrize(
    "values",
    [
        {"wrong": True},
        {"wrong": np.True_, "size": None, "kind": len, "anything": object()},
        {"wrong": 1},
        {},  # a default that is not allowed
        {"wrong": False, "size": 2},
        {"wrong": False, "size": "0.5"},
        {"wrong": False, "kind": "c"},
        {"wrong": False, "kind": "d"},
    ],
)
def test_as_scikit_learn(values):
    for _ in range(2):  # constraints are made, and are known
        assert _said(Ours(**values)) == _said(Theirs(**values))


def test_constraints_of_a_derived_class_are_its_own():
    class Narrow(Ours):
        """Takes less."""

        _parameter_constraints = {**Theirs._parameter_constraints, "size": [Interval(Real, 0, 0.1, closed="both")]}

    assert _said(Ours(wrong=True)) is None
    assert "'size' parameter of Narrow" in _said(Narrow(wrong=True))


def test_values_set_after_a_fit_are_checked():
    X, y = np.eye(4), np.arange(4.0)
    for model in (Lasso(0.1).fit(X, y), ElasticNet(0.1).fit(X, y)):
        with pytest.raises(InvalidParameterError, match="'tol' parameter"):
            model.set_params(tol=-1.0).fit(X, y)
