"""What scikit-learn's forests take and ours do not is refused by name."""

import numpy as np
import pytest

from maxmargin.ensemble import RandomForestRegressor
from maxmargin.linear_model import LogisticRegression

X = np.random.default_rng(0).normal(size=(40, 2))


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson", "friedman_mse"])
def test_other_criteria(criterion):
    with pytest.raises(ValueError, match=f"'criterion' parameter .* Got '{criterion}'"):
        RandomForestRegressor(criterion=criterion).fit(X, X[:, 0])


def test_several_targets():
    with pytest.raises(ValueError, match="y should be a 1d array"):
        RandomForestRegressor().fit(X, X)


def test_monotone_trees():
    with pytest.raises(ValueError, match=r"monotonic_cst must be None.*HistGradientBoostingRegressor"):
        RandomForestRegressor(monotonic_cst=[1, 0]).fit(X, X[:, 0])


def test_liblinear_with_an_intercept():
    with pytest.raises(ValueError, match="solver='liblinear' penalises the intercept"):
        LogisticRegression(solver="liblinear", penalty="l1").fit(X, X[:, 0] > 0)
