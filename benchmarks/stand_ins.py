"""Made data in the shape of sets that are not at hand: as many rows and features, alike in kind and difficulty.

Ratios between contenders on them are about those on the real sets; figures are not to be compared across the two.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

Made = tuple[object, np.ndarray]


def _blobs(rng: np.random.Generator, n: int, d: int, share: list[float], spread: float = 1.0, parts: int = 4) -> Made:
    """Classes of `parts` Gaussian blobs each, which overlap; rows in random order."""
    y = rng.choice(len(share), size=n, p=share)
    centres = rng.normal(size=(len(share), parts, d))
    X = centres[y, rng.integers(parts, size=n)] + spread * rng.normal(size=(n, d))
    return X, y


def _magic04(rng: np.random.Generator) -> Made:
    return _blobs(rng, 19020, 10, [0.35, 0.65])


def _ijcnn1(rng: np.random.Generator) -> Made:
    X, y = _blobs(rng, 49990, 22, [0.9, 0.1], spread=0.7)
    return 0.3 * X, 2 * y - 1


def _fashion_mnist(rng: np.random.Generator, n: int = 60000) -> Made:
    """Images of smooth random shapes, ten of them, with their own smooth noise; values 0 to 255, half of them 0."""
    coarse = rng.normal(size=(10, 7, 7))
    y = rng.integers(10, size=n)
    X = np.empty((n, 784), dtype=np.float32)
    for start in range(0, n, 5000):
        part = y[start : start + 5000]
        images = coarse[part] + 0.8 * rng.normal(size=(len(part), 7, 7))
        X[start : start + 5000] = np.clip(120 * np.kron(images, np.ones((1, 4, 4))), 0, 255).reshape(-1, 784)
    return X, y


def _usps(rng: np.random.Generator) -> Made:
    """Smaller ones, of values -1 to 1."""
    n, coarse = 7291, rng.normal(size=(10, 4, 4))
    y = rng.integers(10, size=n)
    images = coarse[y] + 0.8 * rng.normal(size=(n, 4, 4))
    return np.clip(np.kron(images, np.ones((1, 4, 4))), -1, 1).reshape(n, 256).astype(np.float32), y


def _a9a(rng: np.random.Generator) -> Made:
    """Fourteen of 123 binary features on in each row, one of each group of neighbours."""
    n, groups = 32561, np.array_split(np.arange(123), 14)
    columns = np.stack([rng.choice(g, size=n, p=_skewed(len(g))) for g in groups], axis=1)
    X = sp.csr_matrix((np.ones(n * 14), columns.ravel(), np.arange(0, n * 14 + 1, 14)), shape=(n, 123))
    score = X @ rng.normal(size=123) + rng.logistic(size=n)
    return X, np.where(score > np.quantile(score, 0.76), 1, -1)


def _skewed(k: int) -> np.ndarray:
    weights = 1.0 / np.arange(1, k + 1)
    return weights / weights.sum()


def _california_housing(rng: np.random.Generator) -> Made:
    X = rng.normal(size=(20433, 13))
    smooth = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.exp(-(X[:, 3] ** 2)) + 0.5 * X[:, 4]
    return X, smooth + 0.5 * rng.normal(size=len(X))


def _heart_scale(rng: np.random.Generator) -> Made:
    X, y = _blobs(rng, 270, 13, [0.55, 0.45], spread=1.5)
    return X, 2 * y - 1


def _letter(rng: np.random.Generator) -> Made:
    """Sixteen features of whole numbers 0 to 15, of 26 classes."""
    X, y = _blobs(rng, 16000, 16, [1 / 26] * 26, spread=0.5)
    return np.clip(np.rint(7 + 3 * X), 0, 15).astype(np.float32), y


def _spambase(rng: np.random.Generator) -> Made:
    """Frequencies, most of them 0."""
    X, y = _blobs(rng, 4601, 57, [0.6, 0.4])
    return np.maximum(X - 1, 0), y


def _diamonds(rng: np.random.Generator) -> Made:
    """A price that is a smooth function of few of 26 features, most of which are marks."""
    X = np.hstack([rng.normal(size=(53940, 6)), rng.random((53940, 20)) < 0.15])
    return X, np.exp(X[:, 0] + 0.3 * X[:, 1] * X[:, 7] + 0.2 * X[:, 8] + 0.1 * rng.normal(size=len(X)))


def _covtype(rng: np.random.Generator, n: int = 581012) -> Made:
    """Ten measurements, one of 4 areas and one of 40 soils; half of the rows are of class 2 and overlap the rest."""
    X = np.zeros((n, 54), dtype=np.float32)
    X[:, :10] = rng.normal(size=(n, 10))
    area, soil = rng.choice(4, size=n, p=_skewed(4)), rng.choice(40, size=n, p=_skewed(40))
    X[np.arange(n), 10 + area] = 1
    X[np.arange(n), 14 + soil] = 1
    X[:, 1] += 0.9 * X[:, 0]  # some nearly say the same, as there
    score = X @ rng.normal(size=54) + 0.5 * X[:, 2] * X[:, 3] + rng.logistic(size=n)
    others = rng.choice([1, 3, 4, 5, 6, 7], size=n)
    return X, np.where(score > np.median(score), 2, others)


def _news20_tfidf(rng: np.random.Generator, n: int = 11314, words: int = 53665) -> Made:
    """Texts of some 200 words, a quarter of them from the vocabulary of their topic; tf-idf, rows of length 1."""
    y = rng.integers(20, size=n)
    common = rng.permutation(words)
    topics = [rng.permutation(words)[:2000] for _ in range(20)]
    rows, columns = [], []
    for i in range(n):
        length = 1 + rng.poisson(200)
        own = rng.binomial(length, 0.25)
        rank = np.minimum(rng.zipf(1.25, size=length) - 1, words - 1)
        rank[:own] %= len(topics[0])
        columns.append(np.concatenate([topics[y[i]][rank[:own]], common[rank[own:]]]))
        rows.append(np.full(length, i))
    indices = np.concatenate(rows), np.concatenate(columns)
    X = sp.csr_matrix((np.ones(len(indices[0])), indices), shape=(n, words))
    idf = 1 + np.log((1 + n) / (1 + np.bincount(X.indices, minlength=words)))
    X = sp.csr_matrix(X.multiply(idf))
    length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)))
    return sp.csr_matrix(X.multiply(1 / length)), y


STAND_INS: dict[str, Callable[[np.random.Generator], Made]] = {
    "magic04": _magic04,
    "ijcnn1": _ijcnn1,
    "fashion_mnist": _fashion_mnist,
    "usps": _usps,
    "a9a": _a9a,
    "california_housing": _california_housing,
    "heart_scale": _heart_scale,
    "letter": _letter,
    "spambase": _spambase,
    "diamonds": _diamonds,
    "covtype": _covtype,
    "news20_tfidf": _news20_tfidf,
}
