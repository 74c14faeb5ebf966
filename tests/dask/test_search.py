"""A search that is spread over a cluster: the results of one machine, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

import maxmargin.dask as on
from maxmargin import svm
from maxmargin.messages import InputError
from maxmargin.search import SearchError

from .samples import on_cluster, rows, targets

TABLE = ("mean_test_score", "std_test_score", "kkt_violation", "relative_gap", "rank_test_score")


def same(found, expected, X):
    """Whether two searches have found the same, to the last bit."""
    assert type(found) is svm.SVCCV and set(vars(found)) == set(vars(expected))
    for name in TABLE:
        np.testing.assert_array_equal(found.cv_results_[name], expected.cv_results_[name])
    assert found.best_params_ == expected.best_params_
    one, other = found.best_estimator_.dual_coef_, expected.best_estimator_.dual_coef_
    assert one.shape == other.shape and not (one != other).sum()
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize(
    "params, kind",
    [
        ({}, "two"),
        ({"n_jobs": 4, "class_weight": "balanced"}, "two"),
        ({"scoring": "f1_macro"}, "three"),
        ({"kernel": "poly", "degree": 2, "rule": "one_standard_error"}, "three"),
    ],
)
def test_results_are_those_of_one_machine(params, kind):
    X, z = rows(90)
    y, options = targets(z, kind), {"Cs": 3, "gammas": 3, "n_jobs": 2, **params}
    found, expected = on.SVCCV(**options).fit(X, y), svm.SVCCV(**options).fit(X, y)
    same(found, expected, X)
    assert str(found.certificate_.verify(X, y).status) == str(expected.certificate_.status)


def test_weights_groups_and_sparse_rows():
    import scipy.sparse as sp

    X, z = rows(80)
    y, weights, groups = targets(z, "two"), np.arange(80) % 3 + 0.5, np.arange(80) % 7
    options = {"Cs": [0.1, 1.0], "gammas": [0.1, 0.3], "cv": GroupKFold(3), "n_jobs": 2}
    data = sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0)), y, weights, groups
    same(on.SVCCV(**options).fit(*data), svm.SVCCV(**options).fit(*data), data[0])


def test_resumes_what_is_finished():
    X, z = rows(80)
    search = on.SVCCV(Cs=2, gammas=2, warm_start=True, n_jobs=2)
    first = search.fit(X, targets(z, "two")).cv_results_["mean_fit_time"]
    np.testing.assert_array_equal(search.fit(X, targets(z, "two")).cv_results_["mean_fit_time"], first)


def test_errors_of_cells_are_told_as_on_one_machine():
    X, z = rows(60)
    X[:, 0] *= 1e25

    def failing(model, X, y):
        raise ZeroDivisionError("no score today")

    y = targets(z, "two")
    with pytest.raises(ValueError, match="no score today"):
        on.SVCCV(Cs=[1.0], gammas=[0.1], scoring=failing).fit(X, y)
    with pytest.raises(SearchError, match="no score today"):
        on.SVCCV(Cs=[1.0], gammas=[0.1], scoring=failing, error_score="raise").fit(X, y)


def test_what_is_refused():
    X, z = rows(60)
    y = targets(z, "two")
    with pytest.raises(InputError, match=r"X.compute\(\)"):
        on.SVCCV().fit(on_cluster(X, 2), y)
    for params in ({"race": True}, {"n_landmarks": 20}):
        with pytest.raises(InputError, match=next(iter(params))):
            on.SVCCV(**params).fit(X, y)
    with pytest.raises(InputError, match="memory"):
        on.SVCCV(memory=0.01, n_jobs=1).fit(X, y)
