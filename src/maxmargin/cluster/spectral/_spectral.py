"""Normalised cuts, with the distance from the best one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import KERNEL_PARAMS
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ...certificates import REPRODUCED, Guarantee, Status, figures_reproduced
from ...data import naming_columns, validate_data
from ...engine import Stopwatch, warn
from ...estimators import Reported, check_same_rows, keep_trace
from .._verify import refuted
from ._cuts import RULES, grouped, ncut, recursive
from ._eigen import SOLVERS, Spectrum, components, degrees, smallest
from ._ncut_interval import RESIDUAL, eigen_residual, ncut_interval
from ._similarity import (
    checked_graph,
    distinct_rows,
    full_graph,
    graph_of_distances,
    neighbour_bandwidth,
    neighbour_graph,
)
from ._vector_labels import Course, by_kmeans, by_qr

_NEIGHBOURS = {"nearest_neighbors", "rbf_nearest_neighbors"}
_GIVEN = {"precomputed", "precomputed_nearest_neighbors"}


@dataclass(kw_only=True, eq=False, repr=False)
class SpectralClustering(ClusterMixin, Reported, BaseEstimator):
    """Clusters of any shape, by normalised cuts of a graph of similarities.

    A drop-in for :class:`sklearn.cluster.SpectralClustering`. What is minimised is the normalised cut of Shi and
    Malik, the sum over clusters of the similarity that leaves a cluster, divided by the total similarity of its
    points. Finding the best cut is NP-hard; `certificate_` has the value reached and a lower bound for all cuts, from
    the eigenvalues.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters.
    eigen_solver : {"arpack", "lobpcg", "dense"} or None, default=None
        None: "dense" for up to 800 points, else "arpack" (with shift-invert for sparse graphs where it is cheaper).
    n_components : int or None, default=None
        Eigenvectors for ``assign_labels="kmeans"``; None: `n_clusters`.
    random_state : int, RandomState or None, default=None
        Seed for the starts of k-means. Eigenvectors do not depend on it.
    n_init : int, default=10
        Starts of k-means. Of many points the starts are made with some of them; the three of the smallest inertia go on
        with all, and the one with the smallest normalised cut is kept.
    gamma : float or "median", default=1.0
        Parameter of the RBF ``exp(-gamma ||x - z||^2)`` and other kernels. "median": 1 over the squared median
        distance of the points from their `n_neighbors`-th neighbour.
    affinity : str or callable, default="rbf"
        "rbf" and other kernels of scikit-learn's names, or a function: all pairs. "nearest_neighbors": pairs of which
        one is among the `n_neighbors` nearest of the other (weight 1 if each is, else 1/2).
        "rbf_nearest_neighbors": the same pairs with the weight of the RBF. "precomputed": X is the matrix of
        similarities, dense or sparse. "precomputed_nearest_neighbors": X is a matrix of distances, which may be sparse
        with `n_neighbors` or more of them in each row, and the graph is that of "nearest_neighbors".
    n_neighbors : int, default=10
        Of the graphs of neighbours and of ``gamma="median"``. As in scikit-learn, a point is its own first neighbour.
    eigen_tol : float or "auto", default="auto"
        Tolerance of the eigenvalue solver.
    assign_labels : {"kmeans", "cluster_qr", "best_ncut", "sign", "median"}, default="kmeans"
        "kmeans" and "cluster_qr" take all eigenvectors at once. The others cut in two along the second eigenvector, at
        the threshold of the smallest normalised cut, at zero or at the median, and go on recursively with the cluster
        whose cut costs least. After "kmeans" (of two clusters: or "best_ncut", if that is better) single points are
        moved to other clusters as long as it lowers the normalised cut.
    degree, coef0, kernel_params
        Parameters of other kernels, as in scikit-learn.
    n_jobs : int or None, default=None
        Threads of the search for neighbours.
    verbose : bool, default=False
        Print what was found.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: with ``assign_labels="kmeans"`` the inertia of the
        eigenvectors' rows and seconds by step, for each start that goes on with all points, and the normalised cut
        (``ncut``) that it leads to. The last point, whatever the rule, is the normalised cut of the labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The clusters, numbered in the order of their first points.
    ncut_ : float
        The normalised cut reached.
    eigenvalues_ : ndarray
        The smallest eigenvalues of ``(D - W) v = lambda D v``.
    eigenvectors_ : ndarray of shape (n_samples, n_eigenvalues)
        Their vectors v, of length 1 in the sense of ``v' D v``.
    certificate_ : Guarantee
        Eigen-residual, the normalised cut, and the bound below which no cut can be, computed when it is first asked
        for; ``certificate_.verify(X)`` recomputes them.
    n_components_graph_ : int
        Connected parts of the graph. As many parts as clusters are a perfect cut.
    affinity_matrix_ : ndarray or csr_array of shape (n_samples, n_samples)
        The graph W, without loops.
    gamma_ : float
        The gamma used.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A point without any similarity to another is no cluster: it is counted to the largest one, with a warning.
    The similarity of a point with itself is left out of all sums, as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from maxmargin.cluster import SpectralClustering
    >>> X, circle = make_circles(200, factor=0.4, noise=0.04, random_state=0)
    >>> model = SpectralClustering(2, gamma="median", assign_labels="best_ncut").fit(X)
    >>> bool((model.labels_ == (circle != circle[0])).all())
    True
    >>> 0 <= model.certificate_.figures["best ncut at least"] <= model.ncut_
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "eigen_solver": [StrOptions(set(SOLVERS)), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"median"})],
        "affinity": [callable, StrOptions(set(KERNEL_PARAMS) | _NEIGHBOURS | _GIVEN)],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "eigen_tol": [Interval(Real, 0.0, None, closed="left"), StrOptions({"auto"})],
        "assign_labels": [StrOptions({"kmeans", "cluster_qr", *RULES})],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "trace": ["boolean"],
    }

    _arguments = {
        "X": "X : array-like or sparse matrix of shape (n_samples, n_features)\n"
        '    Or the matrix of similarities, with ``affinity="precomputed"``, or of distances, with\n'
        '    ``affinity="precomputed_nearest_neighbors"``.'
    }

    n_clusters: int = field(default=8, kw_only=False)
    eigen_solver: str | None = None
    n_components: int | None = None
    random_state: Any = None
    n_init: int = 10
    gamma: float | str = 1.0
    affinity: Any = "rbf"
    n_neighbors: int = 10
    eigen_tol: float | str = "auto"
    assign_labels: str = "kmeans"
    degree: float = 3
    coef0: float = 1
    kernel_params: dict | None = None
    n_jobs: int | None = None
    verbose: bool = False
    trace: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in _GIVEN
        return tags

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Cut the graph of the rows of X."""
        self._validate_params()
        course = Course(Stopwatch()) if self.trace else None
        X = self._validate(X, reset=True)
        self._check_against(X)
        self.gamma_ = self._bandwidth(X)
        W = self.affinity_matrix_ = self._graph(X)
        alive = self._connected_points(W)
        inside = W if len(alive) == X.shape[0] else (W[alive][:, alive] if sp.issparse(W) else W[np.ix_(alive, alive)])
        spectrum, labels = self._cut(inside, course)
        self._keep(W, alive, spectrum, labels)
        if course is not None:
            course.note("", self.ncut_)
        keep_trace(self, None if course is None else course.trace)
        self._proof: Guarantee | None = None
        if self.verbose:
            print(self.certificate_)
        residual = eigen_residual(W, self._spectrum(W), self.n_clusters)
        self._solved = residual <= RESIDUAL
        if not self._solved:
            warn(
                f"SpectralClustering: the eigenvectors have a residual of {residual:.2e}, and the bound is the weaker "
                f"for it. Try another eigen_solver, or lower eigen_tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    @property
    def certificate_(self) -> Guarantee:
        """How far from the best cut this one can be; computed when it is first asked for."""
        check_is_fitted(self)
        if self._proof is None:
            watch = Stopwatch()
            W = self.affinity_matrix_
            found = ncut_interval(W, self.labels_, self.n_clusters, self._spectrum(W))
            self._proof = replace(found, seconds=watch.seconds(), _recompute=self._recertify)
        return self._proof

    def _validate(self, X: Any, reset: bool) -> Any:
        rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "ensure_min_samples": 2}
        with naming_columns(X):
            X = validate_data(self, X, reset=reset, **rules)
        if self.affinity in _GIVEN and X.shape[0] != X.shape[1]:
            kind = "similarities" if self.affinity == "precomputed" else "distances"
            raise ValueError(f"a matrix of {kind} has to be square; got shape {X.shape}.")
        return X

    def _check_against(self, X: Any) -> None:
        """Numbers that ask for more than there is in X."""
        n = X.shape[0]
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        if self.affinity in _NEIGHBOURS and self.n_neighbors > n:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is more than the {n} points of X (a point is its own first neighbour)."
            )
        distinct = self.n_clusters if self.affinity in _GIVEN else distinct_rows(X, self.n_clusters)
        if distinct < self.n_clusters:
            warn(
                f"X has {distinct} distinct rows, fewer than n_clusters={self.n_clusters}: equal rows get different "
                f"labels.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _bandwidth(self, X: Any) -> float:
        if self.gamma == "median":
            if self.affinity in _GIVEN:
                raise ValueError(
                    f"gamma='median' needs points, and affinity={self.affinity!r} has none; leave gamma alone."
                )
            return neighbour_bandwidth(X, self.n_neighbors, self.n_jobs)
        return float(self.gamma)

    def _graph(self, X: Any) -> Any:
        if self.affinity == "precomputed":
            return checked_graph(X)
        if self.affinity == "precomputed_nearest_neighbors":
            return graph_of_distances(X, self.n_neighbors, self.n_jobs)
        if self.affinity in ("nearest_neighbors", "rbf_nearest_neighbors"):
            gamma = self.gamma_ if self.affinity == "rbf_nearest_neighbors" else None
            return neighbour_graph(X, self.n_neighbors, gamma, self.n_jobs)
        parameters = dict(self.kernel_params or {})
        if callable(self.affinity):
            return full_graph(X, self.affinity, **parameters)
        parameters |= {"gamma": self.gamma_, "degree": self.degree, "coef0": self.coef0}
        return full_graph(X, self.affinity, filter_params=True, **parameters)

    def _connected_points(self, W: Any) -> np.ndarray:
        """Points that have similarities; the others are told of."""
        n = W.shape[0]
        alive = np.flatnonzero(degrees(W) > 0)
        if len(alive) < max(2, self.n_clusters):
            raise ValueError(
                f"only {len(alive)} of {n} points have a similarity to another: nothing to cut into {self.n_clusters} "
                f"clusters. Lower gamma, or raise n_neighbors."
            )
        if len(alive) < n:
            warn(
                f"{n - len(alive)} of {n} points are isolated, with no similarity to any other: they are counted to "
                f"the largest cluster. Lower gamma, or raise n_neighbors.",
                UserWarning,
                stacklevel=3,
            )
        return alive

    def _cut(self, W: Any, course: Course | None) -> tuple[Spectrum, np.ndarray]:
        """Eigenvectors and labels of a graph in which every point has similarities."""
        k = self.n_clusters
        self.n_components_graph_, part = components(W)
        tolerance = 0.0 if isinstance(self.eigen_tol, str) else float(self.eigen_tol)
        options = self.eigen_solver, tolerance
        wanted = min(max(k, self.n_components or 0, 2), W.shape[0])
        spectrum = smallest(W, part, wanted, *options)
        degree = degrees(W)
        if self.n_components_graph_ >= k:
            if self.n_components_graph_ > k > 1:
                warn(
                    f"The graph has {self.n_components_graph_} components, more than n_clusters={k}: they are put "
                    f"together by size alone. Lower gamma, raise n_neighbors, or ask for as many clusters.",
                    UserWarning,
                    stacklevel=3,
                )
            return spectrum, grouped(np.bincount(part, weights=degree), k)[part]
        v = spectrum.vectors / np.sqrt(degree)[:, None]
        if self.assign_labels in RULES:
            return spectrum, recursive(W, part, k, v[:, 1], self.assign_labels, options)
        taken = self.n_components or k
        if self.assign_labels == "cluster_qr":
            labels = by_qr(spectrum.vectors[:, :taken], k)
        else:
            random_state = check_random_state(self.random_state)
            labels = by_kmeans(W, v[:, :taken], degree, k, self.n_init, random_state, course)
        labels = np.unique(labels, return_inverse=True)[1]
        # fewer clusters than asked for, of vectors with many equal rows: those there are get split
        return spectrum, recursive(W, labels, k, v[:, 1], "best_ncut", options)

    def _keep(self, W: Any, alive: np.ndarray, spectrum: Spectrum, labels: np.ndarray) -> None:
        n = W.shape[0]
        everywhere = np.full(n, np.bincount(labels).argmax())
        everywhere[alive] = labels
        _, first, number = np.unique(everywhere, return_index=True, return_inverse=True)
        self.labels_ = np.argsort(np.argsort(first))[number].astype(np.int32)
        self.ncut_ = ncut(W, self.labels_, self.n_clusters)
        self.eigenvalues_ = spectrum.values
        self.eigenvectors_ = np.zeros((n, len(spectrum.values)))
        self.eigenvectors_[alive] = spectrum.vectors / np.sqrt(degrees(W)[alive])[:, None]

    def _spectrum(self, W: Any) -> Spectrum:
        """The eigenvectors in the form ``u = D^{1/2} v``, with the degrees of a graph that is given."""
        scale = np.sqrt(degrees(W))
        return Spectrum(self.eigenvalues_, self.eigenvectors_ * scale[:, None])

    def _recertify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        check_is_fitted(self)
        if sample_weight is not None:
            raise ValueError("sample_weight must be None: normalised cuts have no weights of points.")
        watch = Stopwatch()
        claim = self.certificate_
        if not self._is_whole():
            return refuted(claim, "labels, graph and eigenvectors do not fit together")
        X = self._validate(X, reset=False)
        check_same_rows(len(self.labels_), X.shape[0])
        try:
            W = self._graph(X)
            found = ncut_interval(W, self.labels_, self.n_clusters, self._spectrum(W))
            figures = claim.figures, {"ncut": float(self.ncut_)}
            same = self._same_graph(W) and all(figures_reproduced(part, found.figures) for part in figures)
        except Exception:  # what a model was made to hold fails in ways that cannot be foreseen
            return refuted(claim, "labels, graph and eigenvectors do not fit together")
        if not same:
            return replace(refuted(found, "the claimed figures are not reproduced"), figures=found.figures)
        if self._solved and not found.holds:
            found = replace(found, status=Status.REFUTED)
        return replace(found, seconds=watch.seconds())

    def _is_whole(self) -> bool:
        """Whether the fitted attributes have shapes that belong together; clusters are numbered as they appear."""
        try:
            n, labels = self.affinity_matrix_.shape[0], self.labels_
            found, first = np.unique(labels, return_index=True)
            return bool(
                labels.shape == (n,)
                and labels.dtype.kind == "i"
                and len(found) <= self.n_clusters
                and np.array_equal(found, np.arange(len(found)))
                and (np.diff(first) > 0).all()
                and self.eigenvectors_.shape == (n, len(self.eigenvalues_))
                and np.isfinite(self.eigenvectors_).all()
                and np.isfinite(self.eigenvalues_).all()
                and np.isfinite([self.gamma_, self.ncut_]).all()
            )
        except Exception:  # attributes of a strange kind fail in ways that cannot be foreseen
            return False

    def _same_graph(self, W: Any) -> bool:
        difference = abs(self.affinity_matrix_ - W)
        return bool(difference.max() <= REPRODUCED * abs(W).max())

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Cut the graph of the rows of X and return the labels."""
        return self.fit(X).labels_
