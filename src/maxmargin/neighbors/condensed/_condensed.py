"""Prototypes for one nearest neighbour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ...certificates import Guarantee, Status, figures_reproduced
from ...data import naming_columns, validate_data
from ...engine import Stopwatch, thread_count, warn
from ...estimators import Reported, TakesSparse, check_same_rows, keep_trace, monitor_of
from .._same_kind import rows_at
from .._verify import alike, nothing_found, refuted, same_rows
from ..search import EMPTY, Columns, Index, Search, TileIndex, TreeIndex, choose_algorithm
from ._contradictions import contradicting
from ._hart import condense
from ._reduce import reduce

_RULES: dict[str, Any] = {"accept_sparse": "csr", "order": "C", "dtype": [np.float64, np.float32]}
_LEAF = 30  # rows of a leaf, as in the other classes by default


def prototype_index(prototypes: Any, threads: int) -> Index:
    """The search for nearest prototypes."""
    n, d = prototypes.shape
    method = "brute" if sp.issparse(prototypes) else choose_algorithm(n, d, 1)
    return TileIndex(prototypes, threads) if method == "brute" else TreeIndex(prototypes, threads, method, _LEAF)


@dataclass(frozen=True)
class _Evidence:
    """What one nearest neighbour among the prototypes does on all samples."""

    wrong: np.ndarray
    contradicting: np.ndarray
    removable: int


class _Passes:
    """Notes when each pass ended, and how many prototypes there were."""

    def __init__(self, watch: Stopwatch) -> None:
        self.watch, self.seconds, self.counts = watch, list[float](), list[int]()

    def __call__(self, count: int) -> None:
        self.seconds.append(self.watch.seconds())
        self.counts.append(count)


class CondensedNearestNeighbors(ClassifierMixin, TakesSparse, Reported, BaseEstimator):
    """The few training rows that one nearest neighbour needs to be right on all of them.

    Hart's rule: visit the rows in random order and keep each one that its nearest prototype so far misclassifies, until
    a full pass keeps none. With ``reduce=True``, those that turn out not to be needed are then left out again.

    Parameters
    ----------
    reduce : bool, default=False
        Whether to remove prototypes until none can be spared. What is left still classifies every training row, and
        less of it depends on the order in which rows were visited first.
    random_state : int, RandomState or None, default=0
        Of the order, which is the same in every pass. Other orders give other prototypes.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: the number of prototypes and seconds by pass; with
        ``reduce=True``, of "condensing" and of "reduction".

    Attributes
    ----------
    prototypes_ : ndarray or CSR array of shape (n_prototypes, n_features)
        The rows that were kept, in the order of the training rows.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        Their labels.
    prototype_indices_ : ndarray of shape (n_prototypes,)
        Their places among the training rows, ascending.
    certificate_ : Guarantee
        Consistency: one nearest neighbour among the prototypes is right on every training row; with the share of rows
        that was kept. It is recomputed from the prototypes alone, by ``certificate_.verify(X, y)`` as well.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    classes_, n_features_in_
        As in scikit-learn.
    n_iter_ : int
        Passes of Hart's rule.

    Notes
    -----
    Equal rows with different labels cannot all be right. The commonest label among them counts (of equally common
    ones, the first class), the others are not visited, and certificate and a warning say how many there are.

    A step of scikit-learn's pipelines cannot change the number of rows. Before another classifier, use `fit_resample`,
    which the pipelines of imbalanced-learn call when they are trained, and skip when they predict.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.neighbors import CondensedNearestNeighbors
    >>> X = np.arange(100.0)[:, None]
    >>> y = np.where(X.ravel() < 50, "low", "high")
    >>> model = CondensedNearestNeighbors(reduce=True).fit(X, y)
    >>> model.certificate_.holds, len(model.prototypes_)
    (True, 2)
    >>> model.predict([[10.0], [90.0]])
    array(['low', 'high'], dtype='<U4')

    """

    _parameter_constraints: dict = {
        "reduce": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "trace": ["boolean"],
    }

    def __init__(
        self, *, reduce: bool = False, random_state: Any = 0, n_jobs: int | None = None, trace: bool = False
    ) -> None:
        self.reduce = reduce
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.trace = trace

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any) -> CondensedNearestNeighbors:
        """Choose prototypes among the rows of X with labels y."""
        watch = Stopwatch()
        self._validate_params()
        X, y = self._validate(X, y, reset=True)
        self.classes_, label = np.unique(y, return_inverse=True)
        threads = thread_count(self.n_jobs)
        columns = Columns(X)
        search = Search(columns.rows, columns, threads)
        order = check_random_state(self.random_state).permutation(len(y))
        order = order[~contradicting(columns.rows, label)[order]]
        first, second = _Passes(watch), _Passes(watch)
        prototypes, self.n_iter_ = condense(search, label, order, first if self.trace else None)
        if self.reduce:
            prototypes = reduce(search, label, order, prototypes, second if self.trace else None)
        self.prototype_indices_ = np.sort(prototypes)
        self.prototypes_ = X[self.prototype_indices_]
        self.prototype_labels_ = y[self.prototype_indices_]
        self._index = prototype_index(self.prototypes_, threads)
        self._rows_seen = len(y)
        proof = replace(self._prove(X, y), seconds=watch.seconds())
        self.certificate_ = replace(proof, _recompute=self._recertify)
        self._keep_course(first, second)
        if not proof.holds:
            warn(f"CondensedNearestNeighbors is {proof.statement}", ConvergenceWarning, stacklevel=2)
        return self

    def _keep_course(self, first: _Passes, second: _Passes) -> None:
        trace = monitor_of(self).trace if self.trace else None
        if trace is not None:
            for name, passes in (("condensing", first), ("reduction", second))[: 1 + self.reduce]:
                counts = {"prototypes": np.array(passes.counts, dtype=np.float64)}
                trace.extend(name if self.reduce else "", passes.seconds, counts)
        keep_trace(self, trace)

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Choose prototypes, and return them with their labels as the new training data.

        Returns
        -------
        X, y
            The prototypes and their labels, of the kind that was given.

        """
        self.fit(X, y)
        return rows_at(self.prototype_indices_, X, y)

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        with naming_columns(X):
            X, y = validate_data(self, X, y, **_RULES, reset=reset)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        return X, y

    # ---------------------------------------------------------------- the proof

    def _evidence(self, X: Any, y: np.ndarray) -> _Evidence:
        columns = Columns(self.prototypes_)
        rows = columns.queries(X)
        _, nearest = Search(rows, columns, thread_count(self.n_jobs)).nearest(2)
        wrong = self.prototype_labels_[nearest[:, 0]] != y
        against = contradicting(rows, np.unique(y, return_inverse=True)[1])
        # A prototype is needed if some row next to it would be wrong by the second nearest one, or has no other.
        first, second = nearest[~against].T
        alone = second == EMPTY
        needed = alone | (self.prototype_labels_[np.where(alone, 0, second)] != y[~against])
        spare = len(self.prototype_indices_) - len(np.unique(first[needed]))
        return _Evidence(wrong, against, spare)

    def _prove(self, X: Any, y: np.ndarray) -> Guarantee:
        evidence = self._evidence(X, y)
        n, kept = len(y), len(self.prototype_indices_)
        errors, against = int(evidence.wrong.sum()), int(evidence.contradicting.sum())
        figures = {
            "training errors": float(errors),
            "contradicting rows": float(against),
            "prototypes": float(kept),
            "share kept": kept / n,
            "prototypes to spare": float(evidence.removable),
        }
        kept_words = f"{kept} of {n} rows ({kept / n:.1%}) are kept"
        if errors == 0:
            words = f"consistent: one nearest neighbour is right on all {n} training rows; {kept_words}."
        else:
            words = f"not consistent: {errors} of {n} training rows are wrong"
            if not (evidence.wrong & ~evidence.contradicting).any():
                words += (
                    ". They are equal to rows with another label, and no rule can be right on both; on all other rows "
                    "it is right"
                )
            words += f"; {kept_words}."
        claimed = not (evidence.wrong & ~evidence.contradicting).any() and not (self.reduce and evidence.removable)
        status = Status.CONVERGED if claimed else Status.STALLED
        return Guarantee("consistency", figures, words, errors == 0, status, self.n_iter_)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        check_is_fitted(self)
        if sample_weight is not None:
            raise ValueError("sample_weight must be None: prototypes are chosen without weights.")
        if not self._is_whole():
            return nothing_found(self.certificate_, "the prototypes do not fit together")
        X, y = self._validate(X, y, reset=False)
        check_same_rows(self._rows_seen, len(y))
        try:
            if not self._is_of(X, y):
                return nothing_found(self.certificate_, "the prototypes are not these rows with these labels")
            found = self._prove(X, y)
        except Exception:  # what a model was made to hold fails in ways that cannot be foreseen
            return nothing_found(self.certificate_, "the prototypes do not fit together")
        if not figures_reproduced(self.certificate_.figures, found.figures):
            return refuted(found, "the claimed figures are not reproduced")
        broken = self.certificate_.status is Status.CONVERGED and found.status is not Status.CONVERGED
        return replace(found, status=Status.REFUTED if broken else found.status, seconds=self.certificate_.seconds)

    def _is_whole(self) -> bool:
        try:
            return self.prototypes_.shape == (len(self.prototype_indices_), self.n_features_in_)
        except Exception:  # attributes of a strange kind fail in ways that cannot be foreseen
            return False

    def _is_of(self, X: Any, y: np.ndarray) -> bool:
        """Whether predictions are made by rows of X and their labels."""
        index = self.prototype_indices_
        if len(np.unique(index)) != len(index) or not same_rows(self.prototypes_, X[index]):
            return False
        if not (alike(self.prototype_labels_, y[index]) and alike(self.classes_, np.unique(y))):
            return False
        fresh = prototype_index(self.prototypes_, thread_count(self.n_jobs))
        found, true = self._index.kneighbors(X, 1), fresh.kneighbors(X, 1)
        return np.array_equal(found[0], true[0]) and np.array_equal(found[1], true[1])

    # ---------------------------------------------------------------- prediction

    def predict(self, X: Any) -> np.ndarray:
        """Label of the nearest prototype of each row of X; of equally near ones, the first."""
        check_is_fitted(self)
        with naming_columns(X):
            X = validate_data(self, X, **_RULES, reset=False)
        _, nearest = self._index.kneighbors(X, 1)
        return self.prototype_labels_[nearest[:, 0]]
