"""Classification by a vote of the nearest neighbours."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..engine import warn
from ._base import NeighborsEstimator
from ._weights import class_size_weights, neighbour_weights, votes


class KNeighborsClassifier(ClassifierMixin, NeighborsEstimator):
    """Vote of the k nearest training rows.

    A drop-in for :class:`sklearn.neighbors.KNeighborsClassifier`, with a vote for unbalanced classes and a faster exact
    search for the Euclidean metric: tiles of inner products say which pairs cannot be neighbours, and all others are
    compared by their distances in float64.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours vote.
    weights : {"uniform", "distance", "inverse_class_size"}, callable or None, default="uniform"
        What a neighbour's vote counts: the same; the inverse of its distance (a row that is among the training rows
        counts its copies there alone); one over the number of training rows of its class, so that a rare class is not
        outvoted by its mere rareness; or what a function makes of the array of distances. None means "uniform".
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are found: by a tree, by tiles ("brute"), or by what is likely to be faster. The answer is the
        same. "kd_tree" is a tree of our own, which hands over to tiles where it would look at most rows, "ball_tree" is
        scikit-learn's; "auto" tries the tree for up to 40 features. Sparse rows are searched by tiles.
    leaf_size : int, default=30
        Of the trees; ours round it up to a multiple of 16.
    p : float, default=2
        Exponent of Minkowski's metric.
    metric : str, callable or DistanceMetric, default="minkowski"
        All metrics of scikit-learn; those other than Euclidean are left to it.
    metric_params : dict or None, default=None
        Further parameters of the metric.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray for several outputs
        The labels.
    certificate_ : Guarantee
        That the neighbours found are the nearest ones, checked on some training rows by all their distances. It claims
        nothing about the error on new rows; ``certificate_.verify(X, y)`` estimates it by leaving each row out.
    effective_metric_, effective_metric_params_, n_features_in_, n_samples_fit_, outputs_2d_
        As in scikit-learn.

    Notes
    -----
    Of equally distant rows those of the smaller index are nearer, also where only some of them are among the
    k nearest. Of classes with equal votes the first one in `classes_` is chosen, as in scikit-learn: `predict` always
    gives the largest of `predict_proba`.

    Examples
    --------
    >>> from maxmargin.neighbors import KNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0]], ["low"] * 4 + ["high"] * 2
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[1.1], [6.0]])
    array(['low', 'high'], dtype='<U4')
    >>> model.predict_proba([[5.0]]).round(2)
    array([[0.33, 0.67]])
    >>> model.certificate_.verify(X, y).figures["left-out error"].__round__(3)
    0.333

    """

    _parameter_constraints: ClassVar[dict] = {
        **NeighborsEstimator._parameter_constraints,
        "weights": [StrOptions({"uniform", "distance", "inverse_class_size"}), callable, None],
    }

    classes_: Any
    _targets = ("classes_", "outputs_2d_", "_labels", "_sizes")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Any, y: Any) -> KNeighborsClassifier:
        """Keep the training rows and their labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Or distances of shape (n_samples, n_samples) for ``metric="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels: numbers, strings or booleans.

        """
        self._validate_params()
        X, y = self._checked(X, y=y, multi_output=True)
        self.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
        if y.ndim == 2 and not self.outputs_2d_:
            warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                "(n_samples,), for example using ravel().",
                DataConversionWarning,
                stacklevel=2,
            )
        check_classification_targets(y)
        columns = y.reshape(len(y), -1).T
        found = [np.unique(column, return_inverse=True) for column in columns]
        self._labels = np.column_stack([label for _, label in found])
        self._sizes = [np.bincount(label) for _, label in found]
        classes = [names for names, _ in found]
        self.classes_ = classes if self.outputs_2d_ else classes[0]
        self._build(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)

        """
        return self._most_voted(self.predict_proba(X))

    def predict_by(self, distances: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """Labels by neighbours that are known already.

        Parameters
        ----------
        distances, indices : ndarray of shape (n_queries, n_neighbors)
            As `kneighbors` gives them; the first columns are the neighbours of smaller numbers.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)

        """
        return self._most_voted(self._shares(self._tallies(distances, indices)))

    def _most_voted(self, shares: Any) -> np.ndarray:
        if not self.outputs_2d_:
            return self.classes_[np.argmax(shares, axis=1)]
        chosen = [names[np.argmax(share, axis=1)] for names, share in zip(self.classes_, shares, strict=True)]
        return np.column_stack(chosen)

    def predict_proba(self, X: Any) -> Any:
        """Shares of the vote.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of them for several outputs

        """
        check_is_fitted(self)
        distances, indices = self.kneighbors(X)
        return self._shares(self._tallies(distances, indices, left_out=X is None))

    def _shares(self, tallies: list[np.ndarray]) -> Any:
        shares = [tally / tally.sum(axis=1, keepdims=True) for tally in tallies]
        return shares if self.outputs_2d_ else shares[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of rows whose labels are right."""
        return super().score(X, y, sample_weight)

    def _tallies(self, distances: np.ndarray, indices: np.ndarray, left_out: bool = False) -> list[np.ndarray]:
        """The votes for each class, for each output; of training rows that are left out, without their own."""
        weights = neighbour_weights(self.weights, distances)
        tallies = []
        for label, sizes in zip(self._labels.T, self._sizes, strict=True):
            if isinstance(self.weights, str) and self.weights == "inverse_class_size":
                weights = class_size_weights(sizes, label[indices], label if left_out else None)
            tallies.append(votes(label[indices], weights, len(sizes)))
        return tallies

    def _left_out_error(self, y: Any) -> tuple[str, float]:
        return "left-out error", 1.0 - self.score(None, y)
