"""Training rows of unbalanced classes made balanced: fewer rows of common classes, or synthetic ones of rare classes.

A synthetic row lies between a row and one of its nearest neighbours of the same class (SMOTE: Chawla, Bowyer, Hall and
Kegelmeyer, JAIR 16, 2002):

    x  =  x_a + u (x_b - x_a),   u uniform in [0, 1],   x_b among the k nearest of x_a in its class.

So it is in the convex hull of its class, and no class reaches further than its rows do.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets

from ..data import naming_columns, validate_data
from ..engine import thread_count
from ..estimators import PublicMethods
from ._same_kind import labels_like, rows_at
from .search import TileIndex

_RULES: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


class _Sampler(PublicMethods, BaseEstimator):
    """What both samplers share: checked rows, and how many of each class there are to be."""

    _parameter_constraints: dict = {
        "rows_a_class": [Interval(Integral, 1, None, closed="left"), dict, None],
        "random_state": ["random_state"],
    }

    _arguments = {"y": "y : array-like of shape (n_samples,)\n    Labels."}

    rows_a_class: Any
    random_state: Any
    classes_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    @abstractmethod
    def _default(self, counts: np.ndarray) -> int:
        """How many rows of each class there are to be if nothing is said."""

    @abstractmethod
    def _draw(self, X: Any, label: np.ndarray, wanted: np.ndarray) -> None:
        """Choose what `fit_resample` returns."""

    @abstractmethod
    def _refuse(self, name: Any, have: int, wanted: int) -> str:
        """Why a class of so many rows cannot have so many; empty if it can."""

    def fit(self, X: Any, y: Any) -> Any:
        """Choose or make rows, which `fit_resample` returns."""
        self._fit(X, y)
        return self

    def _fit(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        self._validate_params()
        with naming_columns(X):
            X, y = validate_data(self, X, y, **_RULES)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, label = np.unique(y, return_inverse=True)
        self._draw(X, label, self._wanted(np.bincount(label)))
        return X, y

    def _wanted(self, counts: np.ndarray) -> np.ndarray:
        given = self.rows_a_class
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in set(self.classes_.tolist())]
            if unknown:
                raise ValueError(f"rows_a_class names {unknown[0]!r}, which is not a class of y.")
            wanted = [given.get(name, have) for name, have in zip(self.classes_.tolist(), counts, strict=True)]
        else:
            size = self._default(counts) if given is None else int(given)
            wanted = [size if not self._refuse("", int(have), size) else int(have) for have in counts]
        for name, have, number in zip(self.classes_, counts, wanted, strict=True):
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
                raise ValueError(f"rows_a_class must be whole numbers of at least 1; got {number!r} for class {name}.")
            if words := self._refuse(name, int(have), int(number)):
                raise ValueError(words)
        return np.array(wanted, dtype=np.int64)


class UnderSampler(_Sampler):
    """Rows of common classes drawn without replacement, so that no class has more of them than the rarest.

    Parameters
    ----------
    rows_a_class : int, dict of label to int, or None, default=None
        How many rows of a class are kept, all if there are fewer; of the classes of a dict exactly so many, and all of
        the others. None: as many as the rarest class has.
    random_state : int, RandomState or None, default=None
        Of the draws.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        Places of the rows that are kept, ascending.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A step of scikit-learn's pipelines cannot change the number of rows: give what `fit_resample` returns to `fit` of a
    classifier, or use a pipeline of imbalanced-learn, which takes samplers as steps.

    See Also
    --------
    SyntheticOverSampler : More rows of rare classes instead.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.neighbors import UnderSampler
    >>> X, y = np.arange(12.0)[:, None], np.array(["often"] * 9 + ["rare"] * 3)
    >>> X_few, y_few = UnderSampler(random_state=0).fit_resample(X, y)
    >>> np.unique(y_few, return_counts=True)
    (array(['often', 'rare'], dtype='<U5'), array([3, 3]))

    """

    def __init__(self, *, rows_a_class: Any = None, random_state: Any = None) -> None:
        self.rows_a_class = rows_a_class
        self.random_state = random_state

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Draw rows, and return them with their labels as the new training data.

        Returns
        -------
        X, y
            The rows that are kept and their labels, of the kind that was given.

        """
        self.fit(X, y)
        return rows_at(self.sample_indices_, X, y)

    def _default(self, counts: np.ndarray) -> int:
        return int(counts.min())

    def _refuse(self, name: Any, have: int, wanted: int) -> str:
        return f"class {name} has {have} rows; {wanted} cannot be kept." if wanted > have else ""

    def _draw(self, X: Any, label: np.ndarray, wanted: np.ndarray) -> None:
        generator = check_random_state(self.random_state)
        kept = [generator.choice(np.flatnonzero(label == k), m, replace=False) for k, m in enumerate(wanted)]
        self.sample_indices_ = np.sort(np.concatenate(kept))


class SyntheticOverSampler(_Sampler):
    """Synthetic rows of rare classes, between rows and their neighbours (SMOTE), until classes have equally many.

    Parameters
    ----------
    n_neighbors : int, default=5
        Among how many nearest rows of the class the second parent is drawn; all others where the class is smaller.
    rows_a_class : int, dict of label to int, or None, default=None
        How many rows a class has afterwards, if it has fewer; those of a dict exactly so many. None: as many as the
        largest class.
    random_state : int, RandomState or None, default=None
        Of parents and places between them.
    n_jobs : int or None, default=None
        Threads of the search; None and -1 mean all cores.

    Attributes
    ----------
    parents_ : ndarray of shape (n_synthetic, 2)
        Places of the two rows that each synthetic one lies between.
    shares_ : ndarray of shape (n_synthetic,)
        How far it lies from the first to the second, between 0 and 1.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Distances are those of the columns as they are: scale them first. Columns of categories have nothing between two
    values, and do not belong here. See also the notes of :class:`UnderSampler`.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.neighbors import SyntheticOverSampler
    >>> X, y = np.arange(12.0)[:, None], np.array(["often"] * 9 + ["rare"] * 3)
    >>> X_more, y_more = SyntheticOverSampler(random_state=0).fit_resample(X, y)
    >>> len(y_more), float(X_more[12:].min()) >= 9.0
    (18, True)

    """

    _parameter_constraints: dict = {
        **_Sampler._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self, *, n_neighbors: int = 5, rows_a_class: Any = None, random_state: Any = None, n_jobs: int | None = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.rows_a_class = rows_a_class
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Make synthetic rows, and return them after the given ones as the new training data.

        Returns
        -------
        X, y
            All rows and labels, of the kind that was given: a data frame, a series, a sparse matrix or array (CSR).

        """
        rows, labels = self._fit(X, y)
        first, second, u = *self.parents_.T, self.shares_[:, None].astype(rows.dtype)
        labels = labels_like(y, np.concatenate([labels, labels[first]]))
        if sp.issparse(rows):
            rows = sp.csr_array(rows)
            made = rows[first].multiply(1 - u) + rows[second].multiply(u)
            made = sp.vstack([rows, sp.csr_array(made)], format="csr")
            return sp.csr_matrix(made) if isinstance(X, sp.spmatrix) else made, labels
        # not beyond the two parents, whatever rounding does
        low, high = np.minimum(rows[first], rows[second]), np.maximum(rows[first], rows[second])
        made = np.vstack([rows, np.clip(rows[first] * (1 - u) + rows[second] * u, low, high)])
        if hasattr(X, "columns") and hasattr(X, "iloc"):
            return type(X)(made, columns=X.columns), labels
        return made, labels

    def _default(self, counts: np.ndarray) -> int:
        return int(counts.max())

    def _refuse(self, name: Any, have: int, wanted: int) -> str:
        return f"class {name} has {have} rows already, more than {wanted}." if wanted < have else ""

    def _draw(self, X: Any, label: np.ndarray, wanted: np.ndarray) -> None:
        generator = check_random_state(self.random_state)
        parents, shares = [np.empty((0, 2), dtype=np.int64)], [np.empty(0)]
        for k, rows in enumerate(np.flatnonzero(label == k) for k in range(len(self.classes_))):
            count = int(wanted[k]) - len(rows)
            if count == 0:
                continue
            if len(rows) < 2:
                raise ValueError(
                    f"class {self.classes_[k]} has one row: there is nothing between it and another of its class."
                )
            near = min(self.n_neighbors, len(rows) - 1)
            _, neighbours = TileIndex(X[rows], thread_count(self.n_jobs)).kneighbors(None, near)
            first = generator.randint(len(rows), size=count)
            second = neighbours[first, generator.randint(near, size=count)]
            parents.append(np.column_stack([rows[first], rows[second]]))
            shares.append(generator.random_sample(count))
        self.parents_, self.shares_ = np.concatenate(parents), np.concatenate(shares)
