"""A pytest plugin that puts this project's trees and forests in the place of scikit-learn's before its tests are.

Tests that are given one of scikit-learn's other trees or forests are left out: none of ours is in them.
"""

import inspect

import sklearn.ensemble
import sklearn.tree

import maxmargin.ensemble
import maxmargin.tree

for _name in ("DecisionTreeClassifier", "DecisionTreeRegressor", "export_text"):
    setattr(sklearn.tree, _name, getattr(maxmargin.tree, _name))
for _name in ("RandomForestClassifier", "RandomForestRegressor"):
    setattr(sklearn.ensemble, _name, getattr(maxmargin.ensemble, _name))

_OURS = ("DecisionTree", "RandomForest")
_THEIRS = {
    "ExtraTreeClassifier", "ExtraTreeRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor", "RandomTreesEmbedding",
}  # fmt: skip


def _is_theirs(value):
    """Whether a parameter of a test is one of their classes, the name of one, or an estimator of one."""
    names = (value,) if isinstance(value, str) else (getattr(value, "__name__", ""), type(value).__name__)
    return not _THEIRS.isdisjoint(names)


def _concerns_us(item):
    """Whether a test is not given one of theirs, or names one of ours nevertheless."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    source = inspect.getsource(item.function)
    return not any(map(_is_theirs, given)) or any(name in source[source.index("def ") :] for name in _OURS)


def pytest_collection_modifyitems(items, config):
    kept = [item for item in items if _concerns_us(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
