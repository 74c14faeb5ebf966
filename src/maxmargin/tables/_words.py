"""Free text as numbers: TF-IDF of the words of a column.

Of a text in which word w comes c times, the number of w is (1 + log c) (log((1 + n) / (1 + n_w)) + 1), where n_w of the
n texts of the fit have the word; the numbers of a text are divided by their length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from ..data import validate_data

MOST_WORDS = 20_000
_LEAST_TEXTS = 2
_WORDS_OF_TEXT = 3.0  # words that texts have on the average; of fewer, they are names
_SAMPLE = 1000


def is_free_text(texts: Sequence[str]) -> bool:
    """Whether texts are sentences, and not names."""
    some = texts[:: max(1, len(texts) // _SAMPLE)]
    words = CountVectorizer().build_analyzer()
    return bool(some) and float(np.mean([len(words(text)) for text in some])) >= _WORDS_OF_TEXT


def words_of(texts: Sequence[str]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The words that several texts have, in order, and the weight of each; none if no word comes twice."""
    if len(texts) < _LEAST_TEXTS:
        return (), ()
    counter = CountVectorizer(min_df=_LEAST_TEXTS, max_features=MOST_WORDS, binary=True)
    try:
        counts = counter.fit_transform(texts)
    except ValueError:  # no word is left
        return (), ()
    having = np.asarray(counts.sum(axis=0)).ravel()
    weights = np.log((1 + len(texts)) / (1 + having)) + 1
    return tuple(map(str, counter.get_feature_names_out())), tuple(float(weight) for weight in weights)


def weighed_words(texts: Sequence[str | None], words: Sequence[str], weights: Sequence[float]) -> sp.csr_array:
    """A row for each text and a column for each word; a text without one of the words is a row of zeros."""
    counter = CountVectorizer(vocabulary={word: place for place, word in enumerate(words)}, dtype=np.float64)
    X = sp.csr_array(counter.transform("" if text is None else text for text in texts))
    X.sort_indices()
    X.data = (1 + np.log(X.data)) * np.asarray(weights)[X.indices]
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(X.indptr))
    return X


class DenseRows(TransformerMixin, BaseEstimator):
    """Sparse rows made dense: what follows takes no others.

    A step of what `make_preparation` makes where a column holds free text.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from maxmargin.tables import DenseRows
    >>> DenseRows().fit_transform(sp.csr_array([[0.0, 2.0]]))
    array([[0., 2.]])

    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None) -> DenseRows:
        """Note how many columns there are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        """
        validate_data(self, X, accept_sparse=True, ensure_all_finite="allow-nan")
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The same rows, dense.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)

        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=True, ensure_all_finite="allow-nan", reset=False)
        return X.toarray() if sp.issparse(X) else X

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns.

        Parameters
        ----------
        input_features : array-like of str, default=None

        Returns
        -------
        ndarray of str

        """
        check_is_fitted(self)
        if input_features is None:
            input_features = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return np.asarray(input_features, dtype=object)
