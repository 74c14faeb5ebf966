"""Which two features, or directions, a picture is drawn in.

A model of many features is drawn in a plane: a section of their space through the mean of the samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from ..data import canonical, csr_rows
from ..messages import listed

PRINCIPAL = "principal"


def check_count(name: str, value: Any, least: int, otherwise: str = "") -> None:
    """Raise where a value is no whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}{otherwise}; got {value!r}.")


@contextmanager
def in_column_order() -> Iterator[None]:
    """Rows of a grid or from a pipeline, with or without names: their columns are in the order of the fit."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        warnings.filterwarnings("ignore", message="X has feature names")
        yield


def last_step(estimator: Any, X: Any) -> tuple[Any, Any, list[str] | None]:
    """The model itself, the rows as it sees them, and the names of their columns if they have any."""
    X = canonical(X)
    if not isinstance(estimator, Pipeline):
        return estimator, X, names_of(X, estimator)
    check_is_fitted(estimator)
    if len(estimator) == 1:
        return estimator[-1], X, names_of(X, estimator[-1])
    steps, names = estimator[:-1], names_of(X)
    rows = steps.transform(X)
    if names is not None:  # a scaler keeps the names, principal components have their own
        names = [str(name) for name in steps.get_feature_names_out()] if _names_its_columns(steps) else None
    return estimator[-1], rows, names_of(rows, estimator[-1]) or names


def _names_its_columns(steps: Pipeline) -> bool:
    return all(hasattr(step, "get_feature_names_out") for _, step in steps.steps if step not in (None, "passthrough"))


def table_of(X: Any) -> Any:
    """X as numbers in rows and columns, sparse if it is."""
    rows = csr_rows(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(
            f"X must be a table of shape (n_samples, n_features); got {rows.ndim} dimension(s), shape {rows.shape}."
        )
    assert_all_finite(rows, input_name="X")
    return rows


def check_columns(rows: Any, model: Any) -> None:
    """Raise where the rows are not of the features that the model has seen."""
    expected = getattr(model, "n_features_in_", rows.shape[1])
    if rows.shape[1] != expected:
        raise ValueError(f"X has {rows.shape[1]} features; this {type(model).__name__} was trained on {expected}.")


def names_of(X: Any, model: Any = None) -> list[str] | None:
    """Names of the columns: those that the model has seen, or those of a data frame."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = getattr(X, "columns", None)
    return None if names is None else [str(name) for name in names]


def plane_for(rows: Any, features: Any, names: list[str] | None, what: str) -> Plane:
    """The plane of two features, the others at their means; that of two principal components, if X has more and none
    are chosen.
    """
    d = rows.shape[1]
    if d < 2:
        raise ValueError(f"{what} draws in a plane, which needs two features or more; X has {d}.")
    if isinstance(features, str):
        if features != PRINCIPAL:
            raise ValueError(f"features must be two columns or {PRINCIPAL!r}; got {features!r}.")
        return plane_of(rows, None, names)
    if features is None:
        if d > 2:
            return plane_of(rows, None, names)
        features = (0, 1)
    i, j = _columns(features, d, names)
    origin = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    origin[[i, j]] = 0.0
    known = [f"feature {k}" for k in range(d)] if names is None else names
    return Plane(origin, np.eye(d)[[i, j]], (known[i], known[j]))


def _columns(features: Any, d: int, names: list[str] | None) -> tuple[int, int]:
    try:
        first, second = features
    except (TypeError, ValueError):
        raise ValueError(f"features must be two columns or {PRINCIPAL!r}; got {features!r}.") from None
    i, j = _column(first, d, names), _column(second, d, names)
    if i == j:
        raise ValueError(f"features must be two different columns; got {first!r} twice.")
    return i, j


def _column(feature: Any, d: int, names: list[str] | None) -> int:
    if isinstance(feature, str):
        if names is None:
            raise ValueError(f"features has the name {feature!r}, but X has no names; use numbers from 0 to {d - 1}.")
        if feature not in names:
            raise ValueError(f"features has {feature!r}, which is no column of X; there are {listed(names, 12)}.")
        return names.index(feature)
    if not isinstance(feature, Integral) or isinstance(feature, bool) or not 0 <= int(feature) < d:
        raise ValueError(f"features must be names or numbers of columns from 0 to {d - 1}; got {feature!r}.")
    return int(feature)


def feature_names_for(model: Any, given: Any, d: int) -> list[str]:
    """Names of d features: those given, those that the model has seen, or their numbers."""
    if given is None:
        names = getattr(model, "feature_names_in_", None)
        return [f"feature {j}" for j in range(d)] if names is None else [str(name) for name in names]
    names = texts_of("feature_names", given)
    if len(names) != d:
        raise ValueError(f"feature_names must have a name for each of the {d} features; got {len(names)}.")
    return names


def texts_of(what: str, given: Any) -> list[str]:
    """Names that a user gave, as texts."""
    if isinstance(given, str):
        raise ValueError(f"{what} must be a sequence of names; got the single text {given!r}.")
    return [str(name) for name in given]


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


def numbers_of(model: Any, y: Any, n: int, name: str = "y") -> np.ndarray:
    """Number of the class of each label."""
    y = np.asarray(y)
    if y.shape[:1] != (n,) or y.size != n:
        rows = f"{n} rows of X{name.removeprefix('y')}"
        raise ValueError(f"{name} must have a label for each of the {rows}; got shape {y.shape}.")
    unknown = np.setdiff1d(np.ravel(y), model.classes_)
    if len(unknown):
        listed = ", ".join(str(label) for label in unknown[:5])
        raise ValueError(f"{name} has labels that the model has not seen: {listed}.")
    return np.searchsorted(model.classes_, np.ravel(y))
