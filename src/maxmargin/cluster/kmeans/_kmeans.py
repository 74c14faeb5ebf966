"""k-means with the proof that it has come to rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ...certificates import Guarantee, Status, figures_reproduced
from ...data import naming_columns, validate_data
from ...engine import Stopwatch, one_blas_thread, warn
from ...estimators import Reported, check_same_rows, keep_trace, weights_or_ones
from ...solvers import Trace
from .._verify import answers_by_centres, centres_are_whole, refuted
from ._assignment import nearest
from ._fixed_point import Course, fixed_point, nothing_proven
from ._lloyd import LloydRun, inertia, lloyd
from ._mini_batch import mini_batch_step
from ._points import Points
from ._seeding import starting_centres


@dataclass(kw_only=True, eq=False, repr=False)
class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Reported, BaseEstimator):
    """k-means: centres such that each is the mean of the points nearest to it.

    A drop-in for :class:`sklearn.cluster.KMeans` (and, by `partial_fit`, for its ``MiniBatchKMeans``). From the same
    start it takes the same steps; distances are computed only for points that bounds cannot decide. `certificate_`
    states whether the result is a fixed point: no point would change its cluster, no centre would move.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters.
    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), default="k-means++"
        Centres to start from: rows far apart, rows at random, what ``init(X, n_clusters, random_state=...)`` returns,
        or these.
    n_init : int or "auto", default="auto"
        Number of starts; the result with the smallest inertia is kept. "auto": 1 for k-means++ and given centres,
        else 10.
    max_iter : int, default=300
        Largest number of steps from one start.
    tol : float, default=1e-4
        A start ends when the squared moves of the centres add up to at most `tol` times the mean variance of the
        columns, or when no point changes its cluster. 0: only then.
    verbose : int, default=0
        Print each step.
    random_state : int, RandomState or None, default=None
        Seed for the starting centres.
    copy_x : bool, default=True
        Accepted and without effect: X is never changed.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Both are one method here, with the result of Lloyd's and bounds on distances in the spirit of Elkan's.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: inertia and seconds by step, for each start.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    labels_ : ndarray of shape (n_samples,)
        Number of the nearest centre of each row.
    inertia_ : float
        Weighted sum of the squared distances of the rows from their centres.
    inertia_history_ : ndarray of shape (n_steps,)
        The inertia after each step; it never rises.
    n_iter_ : int
        Steps of the start that was kept.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    certificate_ : Guarantee
        What is proven of the result, recomputed in float64; ``certificate_.verify(X)`` does so again.
    n_distances_ : int
        Distances that were computed from the start that was kept, or as many products of a row with another vector;
        without bounds it would be ``n_samples * n_clusters`` a step.
    n_features_in_, feature_names_in_, n_steps_
        As in scikit-learn; `n_steps_` counts the batches of `partial_fit`.

    Notes
    -----
    A centre that no point is nearest to moves to the point farthest from its own centre.

    Three things spare distances, and change nothing in the steps: bounds carried over from step to step; for many
    centres, a look at those near a row's own only; for rows longer than four times the number of centres, coordinates
    in the span of the centres, which take at most a quarter of the memory of X.

    Examples
    --------
    >>> from maxmargin.cluster import KMeans
    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.cluster_centers_
    array([[10.,  2.],
           [ 1.,  2.]])
    >>> model.predict([[0.0, 0.0], [12.0, 3.0]])
    array([1, 0], dtype=int32)
    >>> print(model.certificate_.statement)
    No point would change its cluster and no centre moves: a fixed point of both steps.

    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "copy_x": ["boolean"],
        "algorithm": [StrOptions({"lloyd", "elkan"})],
        "trace": ["boolean"],
    }

    _arguments = {
        "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n    How often each row counts."
    }

    cluster_centers_: np.ndarray = field(init=False)
    _streamed: bool = field(init=False)
    n_clusters: int = field(default=8, kw_only=False)
    init: Any = "k-means++"
    n_init: int | str = "auto"
    max_iter: int = 300
    tol: float = 1e-4
    verbose: int = 0
    random_state: Any = None
    copy_x: bool = True
    algorithm: str = "lloyd"
    trace: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMeans:
        """Find the clusters of X."""
        watch = Stopwatch()
        self._validate_params()
        X = self._validate(X, reset=True)
        weights = self._weights(X, sample_weight)
        starts = self._starts(X.shape[0])
        random_state = check_random_state(self.random_state)
        with one_blas_thread():
            points = Points(X, weights)
            tolerance = self.tol * points.variance()
            best: LloydRun | None = None
            trace = Trace() if self.trace else None
            for number in range(starts):
                start = starting_centres(points, X, self.init, self.n_clusters, random_state)
                if self.verbose:
                    print("Initialization complete")
                times = _Times(watch)
                run = lloyd(points, start, self.max_iter, tolerance, bool(self.verbose), times if self.trace else None)
                if trace is not None:
                    name = f"start {number + 1}" if starts > 1 else ""
                    trace.extend(name, times.seconds[1:], {"inertia": run.history})
                if best is None or (run.inertia < best.inertia and not same_clusters(run.labels, best.labels)):
                    best = run
            assert best is not None
            centres = (best.centres + points.origin).astype(points.dtype)
            course = Course(self.tol, best.history, best.status, best.steps)
            guarantee = fixed_point(X, weights, centres, best.labels, course)
        self._keep(points.origin, points.masses(best.labels, self.n_clusters), best, centres)
        keep_trace(self, trace)
        self.certificate_ = replace(guarantee, seconds=watch.seconds(), _recompute=self._recertify)
        self._warn(best)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMeans:
        """Go on with one mini-batch: each centre stays the mean of all points that it was given so far.

        The first batch has at least `n_clusters` rows.
        """
        watch = Stopwatch()
        self._validate_params()
        first = not hasattr(self, "cluster_centers_")
        X = self._validate(X, reset=first)
        weights = self._weights(X, sample_weight)
        with one_blas_thread():
            batch = Points(X, weights)
            if first or not self._streamed:
                self._generator = check_random_state(self.random_state)
                self._streamed, self._waiting, self.n_steps_ = True, 0, 0
            if first:
                self._starts(batch.n)
                centres = starting_centres(batch, X, self.init, self.n_clusters, self._generator)
                self._masses = np.zeros(self.n_clusters)
            else:  # after fit, too: the centres are the means of so much that they have seen
                centres = self.cluster_centers_.astype(np.float64) - batch.origin
            self._waiting += batch.n
            reassign = bool((self._masses == 0).any()) or self._waiting >= 10 * self.n_clusters
            self._waiting = 0 if reassign else self._waiting
            centres, self._masses = mini_batch_step(batch, centres, self._masses, self._generator, reassign)
            self.cluster_centers_ = (centres + batch.origin).astype(X.dtype)
            self._origin = batch.origin
            self.labels_ = nearest(batch, centres)
            self.inertia_ = inertia(batch, centres, self.labels_)
        self.n_steps_ += 1
        self.certificate_ = replace(
            nothing_proven(self.n_steps_, self.inertia_),
            seconds=watch.seconds(),
            _recompute=self._recertify,
        )
        return self

    def _validate(self, X: Any, reset: bool) -> Any:
        rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}
        with naming_columns(X):
            return validate_data(self, X, reset=reset, **rules)

    def _weights(self, X: Any, sample_weight: Any) -> np.ndarray:
        return weights_or_ones(sample_weight, X)

    def _starts(self, n: int) -> int:
        """Number of starts, after a look at whether the parameters suit n rows."""
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
                RuntimeWarning,
                stacklevel=3,
            )
        drawn = callable(self.init) or (isinstance(self.init, str) and self.init == "random")
        starts = (10 if drawn else 1) if self.n_init == "auto" else int(self.n_init)
        if starts > 1 and not callable(self.init) and not isinstance(self.init, str):
            warn(
                f"Explicit initial center position passed: performing only one init in {type(self).__name__} instead "
                f"of n_init={starts}.",
                RuntimeWarning,
                stacklevel=3,
            )
            return 1
        return starts

    def _keep(self, origin: np.ndarray, masses: np.ndarray, run: LloydRun, centres: np.ndarray) -> None:
        """At the very end, so that an interrupt leaves the model as it was."""
        self._origin, self._streamed, self._masses = origin, False, masses
        self.cluster_centers_ = centres
        self.labels_, self.inertia_, self.n_iter_ = run.labels, run.inertia, run.steps
        self.inertia_history_ = run.history
        self.n_distances_ = run.distances
        self._tolerance = self.tol

    def _warn(self, run: LloydRun) -> None:
        found = len(np.unique(run.labels))
        if found < self.n_clusters:
            warn(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). Possibly "
                f"due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=3,
            )

    # ---------------------------------------------------------------- the proof

    def _recertify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        check_is_fitted(self)
        watch = Stopwatch()
        claim = self.certificate_
        if not centres_are_whole(self):
            return refuted(claim, "centres, labels and columns do not fit together")
        X = self._validate(X, reset=False)
        if self._streamed:  # nothing was claimed, and nothing else may be
            return replace(claim) if not claim.holds else refuted(claim, "nothing is proven of mini-batches")
        check_same_rows(len(self.labels_), X.shape[0])
        with one_blas_thread():
            weights = self._weights(X, sample_weight)
            found = fixed_point(X, weights, self.cluster_centers_, self.labels_, self._course())
            answers = answers_by_centres(self, X)
        return replace(self._confirmed(found, answers, float(np.sum(weights))), seconds=watch.seconds())

    def _course(self) -> Course:
        """What the fit says of itself."""
        claim = self.certificate_
        return Course(self._tolerance, self.inertia_history_, claim.status, claim.iterations)

    def _confirmed(self, found: Guarantee, answers: bool, mass: float) -> Guarantee:
        """A recomputed guarantee beside the claimed one; `answers` says whether the model answers by its centres."""
        claim = self.certificate_
        # centres that are rounded when they are kept are off by that much from those whose inertia was kept
        rounding = mass * found.figures["rounding"] ** 2
        same = figures_reproduced(claim.figures, found.figures)
        same = same and (
            figures_reproduced({"inertia": float(self.inertia_)}, found.figures)
            or abs(float(self.inertia_) - found.figures["inertia"]) <= rounding
        )
        if not (answers and same):
            return replace(refuted(found, "the claimed figures are not reproduced"), figures=found.figures)
        return replace(found, status=Status.REFUTED if claim.holds and not found.holds else claim.status)

    # ---------------------------------------------------------------- use

    def _against(self, X: Any, weights: np.ndarray | None = None) -> tuple[Points, np.ndarray]:
        """Points and centres about the origin of the fit."""
        points = Points(X, weights, origin=self._origin)
        return points, self.cluster_centers_.astype(np.float64) - points.origin

    def predict(self, X: Any) -> np.ndarray:
        """Number of the nearest centre of each row."""
        check_is_fitted(self)
        return self._nearest(self._validate(X, reset=False))

    def _nearest(self, X: Any) -> np.ndarray:
        with one_blas_thread():
            return nearest(*self._against(X))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find the clusters of X and return its labels."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def transform(self, X: Any) -> np.ndarray:
        """Distances of the rows from all centres.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)

        """
        check_is_fitted(self)
        return self._distances(self._validate(X, reset=False))

    def _distances(self, X: Any) -> np.ndarray:
        with one_blas_thread():
            points, centres = self._against(X)
            return points.distances(centres).astype(X.dtype, copy=False)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find the clusters of X and return the distances of its rows from all centres.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)

        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The inertia of X with these centres, negative so that more is better."""
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        with one_blas_thread():
            points, centres = self._against(X, self._weights(X, sample_weight))
            return -inertia(points, centres, nearest(points, centres))


def same_clusters(labels: np.ndarray, others: np.ndarray) -> bool:
    """Whether two clusterings differ in the numbers of the clusters only."""
    pairs = len(np.unique(labels.astype(np.int64) * (int(others.max()) + 1) + others))
    return pairs == len(np.unique(labels)) == len(np.unique(others))


class _Times:
    """Notes when each step was made."""

    def __init__(self, watch: Stopwatch) -> None:
        self.watch, self.seconds = watch, list[float]()

    def __call__(self, centres: np.ndarray) -> None:
        self.seconds.append(self.watch.seconds())
