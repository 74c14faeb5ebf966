"""A random forest for classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import StrOptions

from ..engine import warn
from ..tree import ClassTrees, DecisionTreeClassifier, Tree
from ._forest import Forest, warn_unjudged
from ._forest_votes import OutOfBagState


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestClassifier(ClassTrees, Forest):
    """A random forest: trees grown on bags of rows and random subsets of columns, combined by their mean or product.

    A drop-in for :class:`sklearn.ensemble.RandomForestClassifier`. Columns are binned once for all trees; see
    :class:`maxmargin.tree.DecisionTreeClassifier` for bins, missing values and categories. The out-of-bag error is
    always at hand, as a curve over the number of trees, and as the certificate.

    Parameters
    ----------
    n_estimators : int or "auto", default=100
        Number of trees. "auto": in steps of 16 until the out-of-bag error of the last half of the trees has stayed
        within one standard error of its last value, at most 1024. With `validation_fraction`, the error on the
        held-out rows takes its place.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity of a node.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, \
min_impurity_decrease, ccp_alpha, monotonic_cst
        As in :class:`maxmargin.tree.DecisionTreeClassifier`.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        How many columns are drawn at a split, from those that are not constant in the node.
    bootstrap : bool or "disjoint", default=True
        Whether each tree has a bag of rows drawn with replacement, or all rows. "disjoint": all rows are dealt out, so
        that every row is in the bag of one tree. Bags of n/n_estimators rows, with an equal share of each class, make
        trees independent of one another; a row is judged out of bag by all the others.
    oob_score : bool or callable, default=False
        Whether to keep the out-of-bag accuracy, or what a function makes of labels and predictions, and the shares.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. The forest does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for the bags and the columns.
    verbose : int, default=0
        Print a line for each tree.
    warm_start : bool, default=False
        Keep the trees of the last fit and add to them.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes, of all rows or, for the third, of each bag. They count in the trees and have no part
        in the draws: each class is left out of bags as often as any other.
    max_samples : int, float or None, default=None
        Draws of a bag, or their share of the rows; None: as many as there are rows.
    validation_fraction : float, default=0.0
        Share of the rows of each class that no tree is grown from; ``validation_error_curve_`` is the error on them.
    node, n_candidates
        As in :class:`maxmargin.tree.DecisionTreeClassifier`: with "oblique" or "box" the forest draws its weak learners
        once, and each split chooses among `max_features` of them and the columns.
    combine : {"mean", "product"}, default="mean"
        The mean of the shares in the leaves; or exp of the mean of their logarithms, normalised, where leaves are
        smoothed with one row that is of all classes in equal parts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of DecisionTreeClassifier
        The trees; their labels are the numbers of the classes.
    certificate_ : Guarantee
        The out-of-bag error with its standard error, of all rows and by class: an estimate for new rows, which is no
        proof and never holds. There is none where a class is hardly judged (see :doc:`/trees`).
    oob_error_curve_ : ndarray of shape (n_estimators,)
        The out-of-bag error of the first 1, 2, ... trees.
    validation_error_curve_ : ndarray of shape (n_estimators,)
        With `validation_fraction`: the error of the first 1, 2, ... trees on the rows that were held out.
    oob_score_, oob_decision_function_
        With `oob_score`: the score, and the shares of the classes of each row out of bag (NaN where no tree left it
        out).
    estimators_samples_, feature_importances_, max_features_, n_classes_, n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from maxmargin.ensemble import RandomForestClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> model.certificate_.figures["out-of-bag error"] < 0.05
    True
    >>> model.certificate_.verify(X, y).figures == model.certificate_.figures
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **Forest._parameter_constraints,
        "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
        "class_weight": [StrOptions({"balanced", "balanced_subsample"}), dict, None],
        "combine": [StrOptions({"mean", "product"})],
    }

    _loss, _member_type = "error", DecisionTreeClassifier

    criterion: str = "gini"
    max_features: Any = "sqrt"
    class_weight: Any = None
    combine: str = "mean"

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest of `predict_proba`, the first of equal ones."""
        best = np.argmax(self._sums(X), axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes: the mean of those of the trees, or their normalised product."""
        sums = self._sums(X)
        return self._shares(sums, len(self.estimators_))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The classes that the first 1, 2, ... trees predict."""
        for sums in self._staged_sums(X):
            yield self.classes_[np.argmax(sums, axis=1)]

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Shares of the classes by the first 1, 2, ... trees."""
        for trees, sums in enumerate(self._staged_sums(X), 1):
            yield self._shares(sums, trees)

    def _shares(self, sums: np.ndarray, trees: Any) -> np.ndarray:
        means = sums / trees
        if self.combine == "mean":
            return means
        powers = np.exp(means - means.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    # ---------------------------------------------------------------- for the base

    def _class_weights(self, target: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray | None:
        chosen = self.class_weight
        if chosen is not None and isinstance(chosen, str) and self.warm_start:
            warn(
                f'class_weight="{chosen}" is not recommended with warm_start: the weights are those of the rows given '
                "last. Give the weights of the classes as a dict.",
                stacklevel=4,
            )
        if chosen is None or (self.bootstrap and isinstance(chosen, str) and chosen == "balanced_subsample"):
            return None
        rule = chosen if isinstance(chosen, dict) else "balanced"
        options: dict = {} if sample_weight is None or rule != "balanced" else {"sample_weight": sample_weight}
        of_class = compute_class_weight(rule, classes=self.classes_, y=self.classes_[target], **options)
        return of_class[target]

    def _balance(self, weight: np.ndarray, target: np.ndarray) -> np.ndarray:
        if not self.bootstrap or self.class_weight != "balanced_subsample":
            return weight
        inside = np.bincount(target, weight, minlength=self._classes_count)
        present = np.count_nonzero(inside)
        return weight * (weight.sum() / (present * np.where(inside > 0, inside, 1.0)))[target]

    def _leaf_values(self, trees: Sequence[Tree]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        if self.combine == "mean":
            return [tree.value[:, 0] for tree in trees], [tree.only_class for tree in trees]
        values = []
        for tree in trees:
            weight = tree.weighted_n_node_samples[:, None]
            values.append(np.log((tree.value[:, 0] * weight + 1 / self._classes_count) / (weight + 1)))
        return values, [np.full(tree.node_count, -1, dtype=np.int32) for tree in trees]

    def _set_out_of_bag(self, target: np.ndarray, state: OutOfBagState) -> None:
        judged = state.counts > 0
        warn_unjudged(judged)
        shares = self._shares(state.sums, np.maximum(state.counts, 1)[:, None])
        self.oob_decision_function_ = np.where(judged[:, None], shares, np.nan)
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        best = np.argmax(state.sums, axis=1)[judged]
        self.oob_score_ = score(self.classes_[target[judged]], self.classes_[best]) if judged.any() else np.nan
