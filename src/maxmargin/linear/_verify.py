"""The certificate of a linear machine, recomputed from the model alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Certificate, are_floats, confirmed, refuted
from ..data import check_array
from ..engine import thread_count
from ..estimators import check_same_rows, check_weights
from ._formulation import LinearFormulation
from ._start import dense_coef
from ._training import training_again


def verify_classifier(
    machine: Any, formulation: LinearFormulation, X: Any, y: Any, sample_weight: Any, in_chunks: bool = False
) -> list[Certificate]:
    """Every figure of a classifier's certificate."""

    def recomputed(X: Any, y: np.ndarray, weight: np.ndarray | None) -> list[Certificate] | None:
        return _classifier_again(machine, formulation, X, y, weight, in_chunks)

    return verify(machine, recomputed, X, y, sample_weight)


def verify(
    machine: Any, recomputed: Callable[..., list[Certificate] | None], X: Any, y: Any, sample_weight: Any
) -> list[Certificate]:
    """Check the training data, and let `recomputed` make the certificates of them, or None if the model does not fit.

    Rows that cannot be those of the training are the caller's error. Whatever else does not fit refutes the model.
    """
    check_is_fitted(machine)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    y = column_or_1d(y, warn=True)
    check_same_rows(machine._rows_seen, X.shape[0], len(y))
    weight = check_weights(sample_weight, X)
    mismatch, found = "", None
    try:
        features = np.shape(dense_coef(machine))[1]
        if machine.n_features_in_ == features:
            if X.shape[1] != features:
                mismatch = f"X has {X.shape[1]} features, but the model was trained on {features}."
            else:
                found = recomputed(X, y, weight)
    except Exception:  # a model that cannot even be evaluated was never fitted like that
        found, mismatch = None, ""
    if mismatch:
        raise ValueError(mismatch)
    return [refuted(claim) for claim in machine.certificate_.problems] if found is None else found


def _classifier_again(
    machine: Any, formulation: LinearFormulation, X: Any, y: np.ndarray, weight: np.ndarray | None, in_chunks: bool
) -> list[Certificate] | None:
    """The certificates of checked training data; None if the model does not fit to them."""
    training = training_again(machine, X, y, weight, in_chunks)
    claims, slopes = machine.certificate_.problems, machine._slopes
    coef, intercept = dense_coef(machine), np.asarray(machine.intercept_, dtype=np.float64)
    if (
        training is None
        or not are_floats(coef, machine.intercept_)
        or coef.shape != (training.problems, X.shape[1])
        or intercept.shape != (len(coef),)
    ):
        return None
    theta, threads = np.column_stack([coef, intercept]), thread_count(machine.n_jobs)
    joint = formulation.joint_problem(training, threads)
    if joint is not None:
        whole = joint.from_rows(theta)
        return [confirmed(joint, whole, slopes[0], claims[0], machine.tol)] if len(claims) == 1 else None
    if len(claims) != len(theta):
        return None
    problem = formulation.problems(training, threads)
    model = zip(theta, slopes, claims, strict=True)
    return [confirmed(problem(k), w, u, claim, machine.tol) for k, (w, u, claim) in enumerate(model)]
