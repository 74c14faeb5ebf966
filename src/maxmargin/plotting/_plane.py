"""The plane in which a model of many features is drawn: a section through the mean of the samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError
from sklearn.decomposition import PCA

# Grid points are mapped back to all features by blocks of at most this many values (32 MB).
_VALUES_A_BLOCK = 2**22


@dataclass(frozen=True)
class Plane:
    """The points ``origin + a * axes[0] + b * axes[1]`` with plane coordinates (a, b).

    Attributes
    ----------
    origin : ndarray of shape (d,)
        Where both coordinates are zero.
    axes : ndarray of shape (2, d)
        Orthonormal directions.
    names : tuple of str
        What to write along the axes.

    """

    origin: np.ndarray
    axes: np.ndarray
    names: tuple[str, str]

    @property
    def section_of(self) -> int | None:
        """Number of features of the space that is cut; None if the plane is the whole space."""
        return len(self.origin) if len(self.origin) > 2 else None

    def project(self, X: Any) -> np.ndarray:
        """Coordinates of the points of the plane that are closest to the rows of X."""
        return np.asarray(X @ self.axes.T) - self.origin @ self.axes.T  # X itself may be sparse: it is not shifted

    def squares(self, X: Any) -> np.ndarray:
        """Squared distances of the rows of X from the origin."""
        if sp.issparse(X):
            return np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2 * (X @ self.origin) + self.origin @ self.origin
        return np.square(X - self.origin).sum(axis=1)

    def evaluate(self, function: Callable[[np.ndarray], np.ndarray], a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """``function`` of rows of features on the grid of coordinates, as an array of shape (len(b), len(a), ...)."""
        grid = np.stack(np.meshgrid(a, b), axis=-1).reshape(-1, 2)
        step = max(1, _VALUES_A_BLOCK // len(self.origin))
        parts = [function(self.origin + grid[i : i + step] @ self.axes) for i in range(0, len(grid), step)]
        return np.concatenate(parts).reshape(len(b), len(a), *parts[0].shape[1:])


def plane_of(X: Any, components: Any = None, feature_names: Any = None) -> Plane:
    """The plane for X: its columns if it has two, else two of its principal components, by default the first two."""
    d = X.shape[1]
    if d < 2:
        raise ValueError(f"a margin is drawn in a plane, which needs two features or more; X has {d}.")
    if d == 2:
        i, j = _pair(components, 2)
        names = ["feature 0", "feature 1"] if feature_names is None else [str(name) for name in feature_names]
        return Plane(np.zeros(2), np.eye(2)[[i, j]], (names[i], names[j]))
    # of sparse rows, scikit-learn finds all components but the last
    i, j = _pair(components, min(X.shape) - sp.issparse(X))
    pca = _principal_components(X, max(i, j) + 1)
    share = np.nan_to_num(pca.explained_variance_ratio_)  # rows that are all alike have no variance to share
    names = [f"principal component {k + 1} ({100 * share[k]:.0f} % of the variance)" for k in (i, j)]
    return Plane(pca.mean_, pca.components_[[i, j]], (names[0], names[1]))


def _principal_components(X: Any, count: int) -> PCA:
    """The first components; small sparse rows are made dense, as sparse ones that are all alike have no answer."""
    if sp.issparse(X) and X.shape[0] * X.shape[1] <= _VALUES_A_BLOCK:
        X = X.toarray()
    try:
        with np.errstate(invalid="ignore"):
            # random_state: on large X the decomposition is a randomised one
            return PCA(n_components=count, random_state=0).fit(X)
    except ArpackError as error:
        raise ValueError(
            f"the principal components of X cannot be found ({error}); choose two columns, features=(0, 1)."
        ) from None


def _pair(components: Any, available: int) -> tuple[int, int]:
    i, j = (0, 1) if components is None else components
    if i == j or not (0 <= i < available and 0 <= j < available):
        raise ValueError(f"components must be two different numbers from 0 to {available - 1}; got {(i, j)}.")
    return int(i), int(j)
