"""The guarantee of a `Ridge`, recomputed on rows that are on a cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import Guarantee, Status, are_floats
from ..estimators import check_penalties, check_same_rows
from ..linear_model import equations_confirmed, normal_guarantee
from ._cluster import Cluster
from ._partitions import partitions_of
from ._ridge_fit import means_of, ridge_evidence


def ridge_again(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> Guarantee:
    """Every figure of the guarantee beside the claimed ones."""
    samples, claim = partitions_of(cluster, X, y, sample_weight, "targets"), model.certificate_
    check_same_rows(model._training_shape, samples.used, weighted=True)
    W = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)).T
    k = max(1, samples.facts[0].targets)
    if model.n_features_in_ == W.shape[0] != samples.d:
        raise ValueError(f"X has {samples.d} features, but the model was trained on {W.shape[0]}.")
    intercept = np.asarray(model.intercept_, dtype=np.float64)
    fits = W.shape == (samples.d, k) and intercept.shape in ((), (k,)) and are_floats(model.coef_, model.intercept_)
    fits = fits and (model.fit_intercept or not intercept.any())
    if not (fits and np.isfinite(W).all() and np.isfinite(intercept).all()):
        return replace(
            claim, status=Status.REFUTED, holds=False, statement="the model cannot have been fitted like this."
        )
    alpha, b = check_penalties(model.alpha, k), np.broadcast_to(intercept, (k,))
    means = means_of(samples, model.fit_intercept)
    evidence = ridge_evidence(samples, W, b, alpha, means, model.fit_intercept)
    strictly = bool((alpha > 0).all())
    found = normal_guarantee(evidence, strictly, model.tol, claim.status, claim.iterations, claim.seconds)
    size = sum(fact.target_squares for fact in samples.facts)
    return replace(equations_confirmed(found, claim, model.tol, size), _recompute=claim._recompute)
