"""Checks of X and y against scikit-learn's own: the same answer, and the same refusal, for whatever is given."""

import warnings

import numpy as np
import pytest
import sklearn
import sklearn.utils
import sklearn.utils.validation
from sklearn.base import BaseEstimator, RegressorMixin

from maxmargin.data import check_array, check_X_y, validate_data

_RULES = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}


class Plain(RegressorMixin, BaseEstimator):
    """Somebody who checks."""


def _tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 3))
    yield "float64", X
    yield "float32", X.astype(np.float32)
    yield "other bytes", X.astype(">f8")
    yield "half precision", X.astype(np.float16)
    yield "columns", np.asfortranarray(X)
    yield "every other row", rng.normal(size=(12, 3))[::2]
    yield "integers", np.arange(18).reshape(6, 3)
    yield "lists", X.tolist()
    yield "objects", X.astype(object)
    yield "complex", X + 1j
    yield "text", X.astype(str)
    yield "NaN", np.where(np.eye(6, 3) > 0, np.nan, X)
    yield "infinite", np.where(np.eye(6, 3) > 0, np.inf, X)
    yield "both infinities", np.array([[np.inf, 1.0], [-np.inf, 2.0]] * 3)
    yield "a sum that overflows", np.full((6, 3), 1e308)
    yield "no rows", X[:0]
    yield "no columns", X[:, :0]
    yield "one dimension", X[0]
    yield "three dimensions", X[None]
    yield "a matrix", np.ma.masked_array(X)


def _targets():
    y = np.arange(6.0)
    yield "float64", y
    yield "float32", y.astype(np.float32)
    yield "integers", np.arange(6)
    yield "short integers", np.arange(6, dtype=np.int8)
    yield "every other one", np.arange(12.0)[::2]
    yield "two columns", np.arange(12.0).reshape(6, 2)
    yield "one column", y[:, None]
    yield "other bytes", y.astype(">f8")
    yield "NaN", np.where(y == 3, np.nan, y)
    yield "infinite", np.where(y == 3, -np.inf, y)
    yield "too few", y[:5]
    yield "none", None
    yield "text", y.astype(str)
    yield "lists", y.tolist()
    yield "objects", y.astype(object)
    yield "complex", y + 1j
    yield "a number", np.float64(1.0)


def _said(check, *arguments, **options):
    """What comes of a check: the values, or the error and its words, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = check(*arguments, **options)
        except Exception as error:
            return type(error), str(error), [str(one.message) for one in heard]
    found = found if isinstance(found, tuple) else (found,)
    told = [(part.dtype, part.shape, part.flags.c_contiguous, part.tobytes()) for part in found]
    return told, [str(one.message) for one in heard]


@pytest.mark.parametrize("config", [{}, {"assume_finite": True}])
@pytest.mark.parametrize("rules", [_RULES, {}, {"dtype": np.float64}, {"dtype": None, "order": "F"}])
@pytest.mark.parametrize("X", [pytest.param(X, id=name) for name, X in _tables()])
def test_rows_as_scikit_learn(X, rules, config):
    with sklearn.config_context(**config):
        assert _said(check_array, X, **rules) == _said(sklearn.utils.check_array, X, **rules)
        ours, theirs = Plain(), Plain()
        found = _said(validate_data, ours, X, **rules)
        assert found == _said(sklearn.utils.validation.validate_data, theirs, X, **rules)
        assert vars(ours) == vars(theirs)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("y", [pytest.param(y, id=name) for name, y in _targets()])
def test_targets_as_scikit_learn(y, several):
    X, rules = np.random.default_rng(0).normal(size=(6, 3)), {**_RULES, "multi_output": several, "y_numeric": True}
    assert _said(check_X_y, X, y, **rules) == _said(sklearn.utils.check_X_y, X, y, **rules)
    ours, theirs = Plain(), Plain()
    found = _said(validate_data, ours, X, y, **rules)
    assert found == _said(sklearn.utils.validation.validate_data, theirs, X, y, **rules)
    assert vars(ours) == vars(theirs)


def test_what_passes_is_not_copied():
    X, y = np.ones((4, 2)), np.arange(4.0)
    found = validate_data(Plain(), X, y, **_RULES)
    assert found[0] is X and found[1] is y and check_array(X, **_RULES) is X


@pytest.mark.parametrize("attributes", [{"n_features_in_": 2}, {"n_features_in_": 3}, {}])
@pytest.mark.parametrize("named", [False, True])
def test_features_as_scikit_learn(attributes, named):
    names = {"feature_names_in_": np.array(["a", "b", "c"], dtype=object)} if named else {}
    ours, theirs = Plain(), Plain()
    vars(ours).update(attributes | names)
    vars(theirs).update(attributes | names)
    X = np.ones((4, 3))
    for reset in (False, True, False):
        found = _said(validate_data, ours, X, reset=reset, **_RULES)
        assert found == _said(sklearn.utils.validation.validate_data, theirs, X, reset=reset, **_RULES)
        assert vars(ours).keys() == vars(theirs).keys()
        assert getattr(ours, "n_features_in_", None) == getattr(theirs, "n_features_in_", None)
