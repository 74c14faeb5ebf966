"""Whether a clustering answers by the centres or labels that its guarantee is of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import Guarantee, Status

# Rows whose distances from all centres are compared with those that the model gives.
_ROWS = 256
# To what they agree, relative to the largest: the model's have the precision of its rows.
_AGREES = 1e-5


def refuted(claim: Guarantee, why: str) -> Guarantee:
    """A claim of a model whose parts do not fit together: nothing could be recomputed."""
    figures = {name: float("nan") for name in claim.figures}
    return replace(claim, figures=figures, holds=False, status=Status.REFUTED, statement=f"Refuted: {why}.")


def centres_are_whole(model: Any) -> bool:
    """Whether centres, labels and origin of a `KMeans` are finite and have the shapes that belong together."""
    try:
        centres, labels = model.cluster_centers_, model.labels_
        return bool(
            centres.shape == (model.n_clusters, model.n_features_in_)
            and centres.dtype.kind == "f"
            and labels.ndim == 1
            and labels.dtype.kind == "i"
            and labels.min() >= 0
            and labels.max() < len(centres)
            and model._origin.shape == (model.n_features_in_,)
            and np.isfinite(centres).all()
            and np.isfinite(model._origin).all()
            and np.isfinite(model.inertia_)
        )
    except Exception:  # attributes of a strange kind fail in ways that cannot be foreseen
        return False


def answers_by_centres(model: Any, X: Any) -> bool:
    """Whether `predict` names a nearest centre, and `transform` gives the distances, of some rows."""
    rows = X[np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _ROWS)).astype(int))]
    dense = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
    centres = model.cluster_centers_.astype(np.float64)
    true = np.sqrt(np.square(dense[:, None, :] - centres[None]).sum(axis=2))
    slack = _AGREES * (float(true.max(initial=0.0)) + float(np.finfo(X.dtype).eps) * float(np.abs(dense).max()) * 1e3)
    near = true[np.arange(len(true)), model._nearest(rows)] - true.min(axis=1)
    return bool((np.abs(model._distances(rows) - true) <= slack).all() and (near <= slack).all())
