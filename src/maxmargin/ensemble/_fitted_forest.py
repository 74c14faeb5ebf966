"""What a grown forest is asked: the sums of what its trees say, the ways of rows through them, bags and importances."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..estimators import Reported
from ..tree import Tree, checked_columns
from ._forest_bags import Bags
from ._forest_votes import sum_of_values
from .summed import SummedBags


class FittedForest(Reported):
    """Mixed into a forest: all that needs no more than its trees, and the seeds of their bags."""

    _arguments = {
        "X": "X : array-like, sparse matrix or data frame of shape (n_samples, n_features)\n    NaN means missing.",
        "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n"
        "    Weights of the rows in the trees; every row is drawn into a bag with the same odds. Whole numbers of up\n"
        "    to 4, times any factor, are numbers of repetitions, but for disjoint bags. Not negative.",
    }

    estimators_: list
    bootstrap: bool | str
    n_jobs: int | None
    n_features_in_: int
    _bags: Bags | SummedBags
    _dealt: np.ndarray  # with disjoint bags alone: the number of the tree that has each row
    _n_samples: int
    _rows: np.ndarray | None

    @abstractmethod
    def _leaf_values(self, trees: Sequence[Tree]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """What the leaves of each tree add to the sums, and the class that alone has a share in each (else -1)."""

    def _sums(self, X: Any) -> np.ndarray:
        """Sum over the trees of what they say of each row."""
        check_is_fitted(self)
        X = self._seen(X)
        trees = [member.tree_ for member in self.estimators_]
        return sum_of_values(trees, *self._leaf_values(trees), X, self.n_jobs)

    def _seen(self, X: Any) -> Any:
        """Checked rows as the nodes see them; trees of other columns would read beyond them."""
        X = checked_columns(self, X, reset=False)
        for member in self.estimators_:
            member.tree_.check_width(X)
        return X

    def _staged_sums(self, X: Any) -> Iterator[np.ndarray]:
        """Sums over the first 1, 2, ... trees of what they say of each row."""
        check_is_fitted(self)
        X = self._seen(X)
        sums: Any = 0.0
        for member in self.estimators_:
            sums = sums + sum_of_values([member.tree_], *self._leaf_values([member.tree_]), X, self.n_jobs)
            yield sums

    def apply(self, X: Any) -> np.ndarray:
        """The number of the leaf that each row ends in, for each tree.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)

        """
        check_is_fitted(self)
        X = checked_columns(self, X, reset=False)
        return np.column_stack([member.tree_.apply(X, self.n_jobs) for member in self.estimators_])

    def decision_path(self, X: Any) -> tuple[sp.csr_matrix, np.ndarray]:
        """The nodes that each row passes, for all trees side by side.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, number of nodes of all trees)
            Ones.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The columns of tree t are ``n_nodes_ptr[t]`` to ``n_nodes_ptr[t + 1]``.

        """
        check_is_fitted(self)
        X = checked_columns(self, X, reset=False)
        paths = [member.tree_.decision_path(X) for member in self.estimators_]
        ends = np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])])
        return sp.hstack(paths).tocsr(), ends

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows in the bag of each tree, drawn again from its seed."""
        check_is_fitted(self)
        if hasattr(self, "_dealt"):
            bags = [np.flatnonzero(self._dealt == t).astype(np.int32) for t in range(len(self.estimators_))]
        elif not self.bootstrap:
            bags = [np.arange(self._n_samples, dtype=np.int32) for _ in self.estimators_]
        else:
            bags = [self._bags.rows(member.random_state) for member in self.estimators_]
        return bags if self._rows is None else [self._rows[bag] for bag in bags]

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each column in the sum of all gains, averaged over the trees."""
        check_is_fitted(self)
        shares = [m.feature_importances_ for m in self.estimators_ if m.tree_.node_count > 1]
        mean = np.mean(shares, axis=0) if shares else np.zeros(self.n_features_in_)
        return mean / mean.sum() if mean.sum() > 0 else mean
