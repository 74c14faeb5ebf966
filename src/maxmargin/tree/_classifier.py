"""A decision tree for classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import column_or_1d, compute_sample_weight
from sklearn.utils._param_validation import StrOptions

from ._base import ClassTrees, TreeEstimator


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeClassifier(ClassTrees, TreeEstimator):
    """A tree of splits ``x[j] <= t``, with the shares of the classes in its leaves.

    A drop-in for :class:`sklearn.tree.DecisionTreeClassifier`, grown from columns that are binned once: columns of at
    most 255 distinct values are searched exactly, others at 254 thresholds that part the rows evenly. Missing values
    (NaN) go to the side that gains more. Columns of a pandas data frame that are categorical or hold text are split by
    subsets of their categories.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity of a node: sum p(1-p), or -sum p log2 p under either of the other names.
    splitter : {"best"}, default="best"
        scikit-learn's "random" is refused.
    max_depth : int or None, default=None
        Largest number of splits above a leaf.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split, or their share of all rows.
    min_samples_leaf : int or float, default=1
        Rows that a leaf needs, or their share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Share of all weight that a leaf needs.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        How many columns, drawn at random from those that are not constant in the node, are searched at each split; a
        share of all if a float; all if None.
    random_state : int, RandomState or None, default=None
        Of the draws of columns. Without draws the tree is the same whatever this is.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves: the leaf with the largest gain is split first.
    min_impurity_decrease : float, default=0.0
        What a split has to lower the impurity of the whole tree by.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply those of the rows.
    ccp_alpha : float, default=0.0
        Price of a leaf: subtrees whose gain is lower are cut off.
    monotonic_cst : None
        Constraints of monotonicity are refused.
    node : {"axis", "oblique", "box"}, default="axis"
        The weak learner of a node: a threshold on a column, a half-space, or a box. For the last two, parameters are
        drawn from the training rows, and each node takes the learner that gains most among them and the columns; rows
        are numbers without missing values then.
    n_candidates : int, default=100
        How many half-spaces or boxes are drawn; of no effect with ``node="axis"``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    tree_ : Tree
        The nodes as arrays, under scikit-learn's names. The right child follows the left one.
    certificate_ : Guarantee
        The gain of each split and the contents of each node, recomputed from the raw rows.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the sum of the gains.
    max_features_, n_classes_, n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Notes
    -----
    Categories that were not seen in training, and missing values where there were none, go to the side of most
    training rows of the node. A single output is supported.

    Examples
    --------
    >>> from maxmargin.tree import DecisionTreeClassifier, export_text
    >>> X, y = [[1.0], [2.0], [4.0], [5.0], [6.0]], ["low", "low", "high", "high", "low"]
    >>> model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    >>> print(export_text(model, feature_names=["size"]))
    |--- size <= 3.00
    |   |--- class: low
    |--- size >  3.00
    |   |--- class: high
    <BLANKLINE>
    >>> model.predict_proba([[7.0]]).round(2)
    array([[0.67, 0.33]])
    >>> model.certificate_.verify(X, y).holds
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **TreeEstimator._parameter_constraints,
        "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    criterion: str = "gini"
    splitter: str = "best"
    class_weight: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeClassifier:
        """Grow the tree."""
        self._fit(X, y, sample_weight)
        return self

    def _all_weights(self, y: Any, weight: np.ndarray) -> np.ndarray:
        if self.class_weight is None:
            return weight
        return weight * compute_sample_weight(self.class_weight, column_or_1d(y))

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The most frequent class of each row's leaf, the first of equally frequent ones."""
        X = self._checked_rows(X, check_input)
        best = np.argmax(self.tree_.value[:, 0], axis=1)
        return self.classes_[best[self.tree_.apply(X)]]

    def predict_proba(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Shares of the classes in each row's leaf."""
        X = self._checked_rows(X, check_input)
        return self.tree_.predict(X)
