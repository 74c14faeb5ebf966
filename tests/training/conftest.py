"""Small tables as they come: numbers, a category, missing values, a column of noise."""

import numpy as np
import pandas as pd
import pytest

from maxmargin.training import _boosting_family, _tree_families


def _table(task="binary", rows=160, seed=0):
    """A table with the target "y", which depends on three of its columns."""
    generator = np.random.default_rng(seed)
    a, b, noise = generator.normal(size=(3, rows))
    city = generator.choice(["Lima", "Oslo", "Rome"], size=rows)
    value = 2 * a - b + 1.5 * (city == "Rome") + 0.3 * generator.normal(size=rows)
    b = np.where(generator.random(rows) < 0.05, np.nan, b)
    if task == "regression":
        y = value
    else:
        names = np.array(["no", "yes"] if task == "binary" else ["high", "low", "middle"])
        y = names[np.searchsorted(np.quantile(value, [0.5] if task == "binary" else [0.33, 0.66]), value)]
    return pd.DataFrame({"a": a, "b": b, "city": city, "noise": noise, "y": y})


@pytest.fixture(scope="module", autouse=True)
def small_ensembles():
    """Ensembles of a few trees and rounds: what is tested here is the way to them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tree_families, "_TREES", (24, 48))
        patch.setattr(_tree_families, "_ROUNDS", (10, 30))
        patch.setattr(_tree_families, "_REGRESSION_ROUNDS", (5, 10))
        patch.setattr(_boosting_family, "_ROUNDS_OF_FEW", 60)
        patch.setattr(_boosting_family, "_OF_FEW", (0, 1))
        yield


@pytest.fixture(scope="session")
def tables():
    """A table for each task."""
    return {task: _table(task) for task in ("binary", "multiclass", "regression")}


@pytest.fixture
def make_table():
    """The function that makes them."""
    return _table
