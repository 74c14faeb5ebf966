"""What the tree for classes and the tree for values share: checked input, growing, the ways through it, the proof."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch, check_random_state, column_or_1d
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_y, check_is_fitted

from ..certificates import Guarantee
from ..data import check_array, csr_rows, validate_data
from ..engine import Stopwatch, warn
from ..estimators import Reported, TakesMissing, encode_known_labels, encode_labels, weights_or_ones
from ._binning import Bins
from ._build import grow_tree
from ._columns import Categories
from ._proof import tree_guarantee
from ._prune import prune, weakest_links
from ._refit import confirm_or_refute, first_difference
from ._settings import CONSTRAINTS, TreeParameters, limits_of, refuse_monotonic
from ._tree import Tree
from ._weak_nodes import WeakLearners, learners_of, seen_columns
from ._weighted_bins import bins_of_weighted

# Of the largest weight, up to which weights are used as they are.
_EXPONENT = 300


def checked_columns(model: Any, X: Any, *, reset: bool) -> np.ndarray:
    """X as numbers, NaN where missing; at fitting, the categories of a data frame are kept in ``_categories``."""
    if reset:
        model._categories = Categories.found(X)
        model.__dict__.pop("_learners", None)  # of the last fit
    if model.node != "axis" if reset else learners_of(model) is not None:  # as it was at the fit
        if model._categories is not None:
            named = model._categories.names[next(iter(model._categories.of))]
            raise ValueError(
                f'node="{model.node}" takes numbers; column {named!r} of X holds categories, which node="axis" splits.'
            )
        return seen_columns(model, validate_data(model, X, reset=reset, dtype=[np.float64, np.float32], order="C"))
    if model._categories is None:
        options: dict = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan", "order": "C"}
        options["accept_sparse"] = "csr"
        return validate_data(model, X, reset=reset, **options)
    model._categories.require_frame(X)
    validate_data(model, X, reset=reset, skip_check_array=True)
    return check_array(model._categories.encode(X), ensure_all_finite="allow-nan", estimator=model, input_name="X")


def checked_target(model: Any, X: np.ndarray, y: Any, *, reset: bool) -> np.ndarray:
    """The target of a tree or forest, one for each row of X, as numbers."""
    if y is None:
        raise ValueError(f"This {type(model).__name__} estimator requires y to be passed, but the target y is None.")
    target = model._encode_target(y, reset=reset)
    if len(target) != X.shape[0]:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {X.shape[0]} rows, y has {len(target)}."
        )
    return target


def checked_weights(sample_weight: Any, X: np.ndarray) -> np.ndarray:
    """The weights as float64, ones if None.

    If the largest is beyond 2^300 or below 2^-300, they come multiplied by a power of 2 that brings it to about 1. What
    is then too small for a float is 0.
    """
    weight = weights_or_ones(sample_weight, X)
    exponent = int(np.frexp(weight.max())[1])
    if abs(exponent) > _EXPONENT:  # sums of squares would overflow, or vanish
        weight = np.ldexp(weight, -exponent)
    return weight


class ClassTrees(ClassifierMixin, Reported):
    """What trees and forests do that predict classes."""

    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        y = _check_y(y) if reset else column_or_1d(y)
        if reset:
            self.classes_, target = encode_labels(y, least=1)
            self.n_classes_ = self._classes_count = len(self.classes_)
        else:
            target = encode_known_labels(y, self.classes_)
        return target.astype(np.int32)

    def predict_log_proba(self: Any, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`; -inf for a class without a share."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class TreeEstimator(TreeParameters, TakesMissing, Reported, BaseEstimator, metaclass=ABCMeta):
    """Base of the trees; not for direct use."""

    _parameter_constraints: ClassVar[dict] = {"splitter": [StrOptions({"best"})], **CONSTRAINTS}

    _arguments = {
        "X": "X : array-like, sparse matrix or data frame of shape (n_samples, n_features)\n    NaN means missing.",
        "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n    Not negative.",
        "check_input": "check_input : bool, default=True\n    False: X is a checked float32 or float64 array.",
    }

    criterion: str
    tree_: Tree
    _categories: Categories | None
    certificate_: Guarantee
    _classes_count: int
    _seed: int = 0

    # ---------------------------------------------------------------- fitting

    @abstractmethod
    def _encode_target(self, y: Any, *, reset: bool) -> np.ndarray:
        """The target as numbers of classes (int32) or as float64 values."""

    def _all_weights(self, y: Any, weight: np.ndarray) -> np.ndarray:
        """The weights of the rows with those of their classes, if there are classes."""
        return weight

    def _fit(self, X: Any, y: Any, sample_weight: Any, seed: int | None = None) -> None:
        """Grow the tree; `seed` is that of the draws of columns, drawn itself if None."""
        watch = Stopwatch()
        self._validate_params()
        refuse_monotonic(self.monotonic_cst)
        X, target, weight = self._checked_all(X, y, sample_weight, reset=True)
        if seed is None:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self._seed = seed
        width = X.shape[1] + (0 if self.node == "axis" else self.n_candidates)
        limits = limits_of(self, X.shape[0], width, weight, self._classes_count)
        self.max_features_, self.n_outputs_ = limits.max_features, 1
        mask = None if self._categories is None else self._categories.mask()
        present = weight > 0  # rows without weight must not even have a say in the bins
        if not present.all():
            X, target, weight = X[present], target[present], weight[present]
        if self.node != "axis":
            self._learners = WeakLearners.drawn(self.node, self.n_candidates, X, target, seed)
            X = self._learners.columns(X)
        bins = bins_of_weighted(Bins.of(X, mask), X, weight)
        self.tree_ = prune(grow_tree(bins, target, weight, limits, seed), self.ccp_alpha)
        proof = tree_guarantee(self.tree_, X, target, weight, self.criterion, self._classes_count)
        self.certificate_ = replace(proof, seconds=watch.seconds(), _recompute=self._recertify)
        if not proof.holds:
            warn(
                f"{type(self).__name__} ended as 'stalled': rounding errors hide the gains of its splits "
                f"(they deviate by {proof.figures['deviation of gains']:.2e}). Scale or centre y.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _checked_all(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> tuple[np.ndarray, np.ndarray, Any]:
        X = checked_columns(self, X, reset=reset)
        target = checked_target(self, X, y, reset=reset)
        weight = checked_weights(sample_weight, X)
        return X, target, self._all_weights(y, weight)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        watch = Stopwatch()
        again = clone(self)
        again._fit(X, y, sample_weight, self._seed)
        proof = confirm_or_refute(self.certificate_, again.certificate_, first_difference(self, again))
        return replace(proof, seconds=watch.seconds())

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Prices of a leaf at which the tree shrinks, and the impurity of its leaves then.

        Returns
        -------
        Bunch with ``ccp_alphas`` and ``impurities``
            Of the trees from the full one to the root.

        """
        prices, remaining, _ = weakest_links(clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight).tree_)
        return Bunch(ccp_alphas=np.array(prices), impurities=np.array(remaining))

    # ---------------------------------------------------------------- ways through the tree

    def _checked_rows(self, X: Any, check_input: bool) -> np.ndarray:
        check_is_fitted(self)
        if check_input:
            return checked_columns(self, X, reset=False)
        return csr_rows(X) if sp.issparse(X) else seen_columns(self, X)

    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The number of the leaf that each row ends in.

        Returns
        -------
        ndarray of shape (n_samples,)

        """
        X = self._checked_rows(X, check_input)
        return self.tree_.apply(X)

    def decision_path(self, X: Any, check_input: bool = True) -> sp.csr_matrix:
        """The nodes that each row passes.

        Returns
        -------
        csr_matrix of shape (n_samples, node_count)
            Ones.

        """
        X = self._checked_rows(X, check_input)
        return self.tree_.decision_path(X)

    def get_depth(self) -> int:
        """The largest number of splits from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each column in the sum of all gains."""
        check_is_fitted(self)
        shares, learners = self.tree_.compute_feature_importances(), learners_of(self)
        return shares if learners is None else shares @ learners.shares()
