"""A pytest plugin that puts our gradient boosting in the place of scikit-learn's before its tests are imported.

The tests look at trees and categories where scikit-learn keeps them: they are told from where ours are.
"""

from types import SimpleNamespace

import numpy as np

_NODE = [("value", "f8"), ("count", "i8"), ("feature", "i8"), ("threshold", "f8"), ("left", "i8"), ("gain", "f8")]


class _Predictor:
    """A tree, seen as scikit-learn's."""

    def __init__(self, tree):
        self.nodes = np.zeros(len(tree.left), dtype=_NODE)
        for name in self.nodes.dtype.names:
            self.nodes[name] = tree.threshold if name == "threshold" else getattr(tree, name)
        self.nodes["threshold"][np.isnan(tree.threshold)] = 0.0
        self.raw_left_cat_bitsets = tree.subsets.view(np.uint32)
        self._depth, self._leaves = int(tree.depths[0]), int((tree.left < 0).sum())

    def get_max_depth(self):
        return self._depth

    def get_n_leaf_nodes(self):
        return self._leaves


def _predictors(model):
    K = model.n_trees_per_iteration_
    trees = [_Predictor(model._series.part(t, t + 1)) for t in range(model._series.n_trees)]
    return [trees[t : t + K] for t in range(0, len(trees), K)]


def _preprocessor(model):
    of = model._categories.of
    encoder = SimpleNamespace(categories_=[of[j] for j in sorted(of)])
    return SimpleNamespace(named_transformers_={"encoder": encoder})


def pytest_configure(config):
    import sklearn.ensemble

    import maxmargin.ensemble

    for name in ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"):
        ours = getattr(maxmargin.ensemble, name)
        ours._predictors, ours._preprocessor = property(_predictors), property(_preprocessor)
        setattr(sklearn.ensemble, name, ours)
