"""A pytest plugin that puts our neighbours and clusters in the place of scikit-learn's before its tests are imported.

Tests that have to do with none of them are left out: most of scikit-learn's tests of neighbours are about searches
by radius.
"""

import inspect

import sklearn.cluster
import sklearn.neighbors
import sklearn.neighbors._base

import maxmargin.cluster
import maxmargin.neighbors
from maxmargin.neighbors._base import NeighborsEstimator

_SWAPPED = {
    sklearn.neighbors: ("KNeighborsClassifier", "KNeighborsRegressor"),
    sklearn.cluster: ("KMeans", "SpectralClustering"),
}
_OURS = []
_THEIRS = (sklearn.cluster.MiniBatchKMeans, sklearn.cluster.BisectingKMeans)

for _room, _names in _SWAPPED.items():
    for _name in _names:
        _class = getattr(getattr(maxmargin, _room.__name__.split(".")[1]), _name)
        setattr(_room, _name, _class)
        _OURS.append(_class)

# A test tells a number of neighbours from a radius by this base of scikit-learn's own.
sklearn.neighbors._base.KNeighborsMixin = (sklearn.neighbors._base.KNeighborsMixin, NeighborsEstimator)


def _concerns_us(item):
    """Whether a test names one of ours, or is given one."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    classes = [value if inspect.isclass(value) else type(value) for value in given]
    if any(value in _OURS for value in classes):
        return True
    if any(value in _THEIRS for value in classes):
        return False
    source = inspect.getsource(item.function)
    body = source[source.index("def ") :]
    return any(ours.__name__ in body.replace("MiniBatchKMeans", "").replace("BisectingKMeans", "") for ours in _OURS)


def pytest_collection_modifyitems(items, config):
    kept = [item for item in items if _concerns_us(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
