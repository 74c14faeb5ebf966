"""What classifier and regressor share: parameters, checked input, the search and its proof."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MultiOutputMixin, clone
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import VALID_METRICS, BallTree, KDTree
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, figures_reproduced
from ..data import naming_columns, validate_data
from ..engine import Stopwatch, thread_count, warn
from ..estimators import Reported, check_same_rows
from ._proof import search_guarantee
from ._verify import alike, answers_alike, nothing_found, refuted, same_rows
from .search import Index, OtherMetricIndex, TileIndex, TreeIndex, choose_algorithm


@dataclass(kw_only=True, eq=False, repr=False)
class NeighborsEstimator(MultiOutputMixin, Reported, BaseEstimator, metaclass=ABCMeta):
    """Base of the estimators that look up nearest neighbours; not for direct use."""

    _parameter_constraints: ClassVar[dict] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0, None, closed="right"), None],
        "metric": [StrOptions({name for names in VALID_METRICS.values() for name in names}), callable, DistanceMetric],
        "metric_params": [dict, None],
        "n_jobs": [Integral, None],
    }

    _arguments = {
        "X": "X : array-like or sparse matrix of shape (n_queries, n_features), or None\n"
        "    None: the training rows, each without a say in its own prediction.",
        "y": "y : array-like of shape (n_queries,) or (n_queries, n_outputs)\n    True labels or values.",
        "sample_weight": "sample_weight : array-like of shape (n_queries,), optional",
    }

    n_neighbors: int = field(default=5, kw_only=False)
    weights: Any = "uniform"
    algorithm: str = "auto"
    leaf_size: int = 30
    p: float | None = 2
    metric: Any = "minkowski"
    metric_params: dict | None = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.positive_only = self._precomputed
        tags.input_tags.allow_nan = isinstance(self.metric, str) and self.metric == "nan_euclidean"
        return tags

    # ---------------------------------------------------------------- fitting

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _euclidean(self) -> bool:
        """Whether the metric is the Euclidean one under any of its names."""
        if not isinstance(self.metric, str):
            return False
        if self.metric in ("euclidean", "l2"):
            return not self.metric_params
        return self.metric == "minkowski" and not self.metric_params and self.p == 2

    def _checked(self, X: Any, **options: Any) -> Any:
        """Validated X, or X and y; for other metrics than ours any numbers (a Jaccard distance wants booleans)."""
        if isinstance(X, (BallTree, KDTree, BaseEstimator)):
            raise TypeError(
                f"X is a {type(X).__name__}, which has a metric of its own; give the rows themselves (of a tree, "
                f"np.asarray(tree.data)). fit builds a tree where algorithm asks for one."
            )
        if self._precomputed and sp.issparse(X) and X.format not in ("csr", "csc", "coo", "lil"):
            raise TypeError(
                f"a sparse matrix of distances in {X.format!r} format is not supported due to its handling of explicit "
                f"zeros, which are distances here; use CSR."
            )
        # scikit-learn divides Bray and Curtis's distance of other than floating point numbers by sum |x + z|
        floating = self._euclidean or (isinstance(self.metric, str) and self.metric == "braycurtis")
        dtype: Any = [np.float64, np.float32] if floating else "numeric"
        missing = self.__sklearn_tags__().input_tags.allow_nan
        finite = "allow-nan" if missing else True
        rules = {"accept_sparse": "csr", "order": "C", "dtype": dtype, "ensure_all_finite": finite}
        with naming_columns(X, missing):
            return validate_data(self, X, **rules, **options)

    def _build(self, X: Any) -> None:
        """Keep the training rows in a form that can be searched."""
        threads = thread_count(self.n_jobs)
        self._index: Index
        if self._euclidean:
            self.effective_metric_: Any = "euclidean"
            self.effective_metric_params_: dict[str, Any] = {}
            method = self._method(X)
            if method == "brute":
                self._index = TileIndex(X, threads)
            else:
                self._index = TreeIndex(X, threads, method, self.leaf_size)
        else:
            self._index = other = OtherMetricIndex(
                X,
                threads,
                n_neighbors=self.n_neighbors,
                algorithm=self.algorithm,
                leaf_size=self.leaf_size,
                p=self.p,
                metric=self.metric,
                metric_params=self.metric_params,
            )
            self.effective_metric_, self.effective_metric_params_ = other.effective_metric
        self._fit_X, self._fit_method = X, self._index.method
        self.n_samples_fit_ = X.shape[0]
        self._proof: Guarantee | None = None

    def _method(self, X: Any) -> str:
        if sp.issparse(X):
            if self.algorithm not in ("auto", "brute"):
                warn(
                    f"algorithm={self.algorithm!r} cannot use tree with sparse input: using brute force",
                    stacklevel=4,
                )
            return "brute"
        return (
            choose_algorithm(X.shape[0], X.shape[1], self.n_neighbors) if self.algorithm == "auto" else self.algorithm
        )

    # ---------------------------------------------------------------- the proof

    @property
    def certificate_(self) -> Guarantee:
        """That the search is exact; computed when it is first asked for."""
        check_is_fitted(self)
        if self._proof is None:
            self._proof = self._prove(self._fit_X, None)
        return self._proof

    def _prove(self, X: Any, left_out: tuple[str, float] | None) -> Guarantee:
        watch = Stopwatch()
        proof = search_guarantee(
            self._index,
            X,
            self.n_neighbors,
            self.effective_metric_,
            self.effective_metric_params_,
            left_out,
        )
        return replace(proof, seconds=watch.seconds(), _recompute=self._recertify)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        check_is_fitted(self)
        if sample_weight is not None:
            raise ValueError("sample_weight must be None: neighbours are found without weights.")
        claim = self.certificate_
        if not self._is_whole():
            return nothing_found(claim, "the fitted attributes do not fit together")
        X = self._checked(X, reset=False)
        check_same_rows(self.n_samples_fit_, X.shape[0], None if y is None else len(y))
        try:
            if not self._is_of(X, y):
                return nothing_found(claim, "it does not predict by these rows and targets")
            enough = y is not None and self.n_neighbors < self.n_samples_fit_
            found = self._prove(X, self._left_out_error(y) if enough else None)
        except Exception:  # what a model was made to hold fails in ways that cannot be foreseen
            return nothing_found(claim, "the fitted attributes do not fit together")
        if not figures_reproduced(claim.figures, found.figures):
            return refuted(found, "the claimed figures are not reproduced")
        return found

    def _is_whole(self) -> bool:
        """Whether the numbers of rows and columns are those of the rows that are kept."""
        try:
            return (self.n_samples_fit_, self.n_features_in_) == self._fit_X.shape
        except Exception:  # attributes of a strange kind fail in ways that cannot be foreseen
            return False

    def _is_of(self, X: Any, y: Any) -> bool:
        """Whether everything that predictions read is what a fit to these rows and targets keeps."""
        if not same_rows(self._fit_X, X):
            return False
        fresh = clone(self)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fresh.fit(X, np.zeros(X.shape[0]) if y is None else y)
        kept = ("effective_metric_", "effective_metric_params_", *(() if y is None else self._targets))
        same = all(alike(getattr(self, name), getattr(fresh, name)) for name in kept)
        return same and self._index.method == fresh._index.method and answers_alike(self, fresh, X)

    # fitted attributes that hold targets
    _targets: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _left_out_error(self, y: Any) -> tuple[str, float]:
        """Name and value of the error of the training rows, each left out."""

    # ---------------------------------------------------------------- the search

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Nearest training rows of each row of X.

        Nearest first; of equal distances the smaller index first, also at the last place (the Euclidean metric; of
        others, among those that scikit-learn returns).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), optional
            By default the training rows, none of which is then its own neighbour. For ``metric="precomputed"``,
            distances of shape (n_queries, n_samples_fit).
        n_neighbors : int, optional
            How many; by default that of the constructor.
        return_distance : bool, default=True
            Whether to return distances, too.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            In float64; only if `return_distance`.
        indices : ndarray of shape (n_queries, n_neighbors)

        """
        check_is_fitted(self)
        k = self._checked_count(n_neighbors)
        if X is not None:
            X = self._checked(X, reset=False)
        available = self.n_samples_fit_ - (X is None)
        if k > available:
            relation = "<" if X is None else "<="
            raise ValueError(
                f"Expected n_neighbors {relation} n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{self.n_samples_fit_}, n_samples = {self.n_samples_fit_ if X is None else X.shape[0]}"
                f"{' (a training row is not its own neighbour)' if X is None else ''}. Use n_neighbors of at most "
                f"{available}, or more training rows."
            )
        distances, indices = self._index.kneighbors(X, k)
        return (distances, indices) if return_distance else indices

    def _checked_count(self, n_neighbors: Any) -> int:
        if n_neighbors is None:
            return self.n_neighbors
        if not isinstance(n_neighbors, Integral):
            raise TypeError(f"n_neighbors does not take {type(n_neighbors)} value, enter integer value")
        if n_neighbors <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {n_neighbors}")
        return int(n_neighbors)

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The graph of the neighbours as a CSR matrix.

        Parameters
        ----------
        X, n_neighbors
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or distances.

        Returns
        -------
        csr_matrix of shape (n_queries, n_samples_fit)

        """
        check_is_fitted(self)
        if mode not in ("connectivity", "distance"):
            raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')
        distances, indices = self.kneighbors(X, n_neighbors)
        m, k = indices.shape
        data = distances.ravel() if mode == "distance" else np.ones(m * k)
        return sp.csr_matrix((data, indices.ravel(), np.arange(0, m * k + 1, k)), shape=(m, self.n_samples_fit_))
