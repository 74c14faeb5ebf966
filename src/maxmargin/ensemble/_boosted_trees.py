"""Trees for values that are grown again and again from the same rows with other weights.

What `DecisionTreeRegressor.fit` does, without what is the same in each round: the rows are checked, the columns binned
and sorted once, and no certificate is made of a tree, since that of the boosted median recomputes what each one says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from ..data import refusing_overflow
from ..tree import Bins, DecisionTreeRegressor, SortedColumns, grow_tree, limits_of, prune, refuse_monotonic, walk


class BoostedTrees:
    """Grows trees for weights, none of them zero."""

    def __init__(self, X: Any, y: np.ndarray) -> None:
        X = X.tocsr() if sp.issparse(X) else X
        with refusing_overflow(X, y):
            X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        self.y, self.shape = y.astype(np.float64), X.shape
        self.columns = SortedColumns(Bins.of(X), X)
        self.rows = np.arange(X.shape[0], dtype=np.uint64)

    def learn(self, tree: DecisionTreeRegressor, weights: np.ndarray) -> tuple[DecisionTreeRegressor, np.ndarray]:
        """The tree, grown, and what it predicts for the rows."""
        tree._validate_params()
        refuse_monotonic(tree.monotonic_cst)
        n, d = self.shape
        bins, limits = self.columns.bins_of(weights), limits_of(tree, n, d, weights, 0)
        seed = int(check_random_state(tree.random_state).randint(np.iinfo(np.int32).max))
        grown = prune(grow_tree(bins, self.y, weights, limits, seed), tree.ccp_alpha)
        tree.tree_, tree._categories, tree._seed = grown, None, seed
        tree.max_features_, tree.n_features_in_, tree.n_outputs_ = limits.max_features, d, 1
        leaves = np.empty(n, dtype=np.uint64)
        walk(grown.paths_by_code(), bins.codes_by_row, self.rows, grown.max_depth, True, leaves)
        return tree, grown.value[:, 0, 0][leaves]
