"""The way of the centres of k-means: its fit, taken again and watched."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...engine import one_blas_thread
from ._kmeans import KMeans
from ._lloyd import lloyd
from ._points import Points
from ._seeding import starting_centres

# Ends that differ by less than this, relative to the size of the centres, are one: single precision rounds by 1e-7.
_SAME = 1e-5


def centre_path(model: KMeans, X: Any, sample_weight: Any = None) -> np.ndarray:
    """Centres before the first step and after each one, of shape (n_steps + 1, n_clusters, n_features).

    Raises ValueError where the fit cannot be taken again, or leads elsewhere.
    """
    _check_repeatable(model)
    X = model._validate(X, reset=False)
    weights = model._weights(X, sample_weight)
    random_state = check_random_state(model.random_state)
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")  # the fit has already warned of its parameters
        points = Points(X, weights)
        tolerance = model.tol * points.variance()
        for _ in range(model._starts(X.shape[0])):
            start = starting_centres(points, X, model.init, model.n_clusters, random_state)
            path: list[np.ndarray] = []
            lloyd(points, start, model.max_iter, tolerance, watch=path.append)
            steps = np.array(path) + points.origin
            if np.abs(steps[-1] - model.cluster_centers_).max() <= _SAME * np.abs(steps).max():
                return steps
    raise ValueError(
        "the path of the centres is not known: repeating the fit gave other centres. X and sample_weight must "
        "be those of the fit, and the parameters of the model, too."
    )


def _check_repeatable(model: KMeans) -> None:
    if getattr(model, "_streamed", False):
        raise ValueError("the path of the centres is not known: they were trained by partial_fit, batch by batch.")
    drawn = isinstance(model.init, str) or callable(model.init)
    if drawn and not isinstance(model.random_state, Integral):
        raise ValueError(
            f"the path of the centres is found by repeating the fit, which needs an int as random_state, or given "
            f"centres as init; this KMeans has random_state={model.random_state!r}."
        )
