"""Weights of the samples, checked in one place for all estimators."""

from __future__ import annotations

from numbers import Number, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from ..engine import warn
from ..messages import quoted


def check_weights(sample_weight: Any, X: Any, *, as_libsvm: bool = False) -> np.ndarray | None:
    """Weights in float64, one a sample and none of them negative; None if none were given.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), float or None
        What the user gave; a single number is the weight of every sample.
    X : array-like of shape (n_samples, ...)
        Says how many samples there are.
    as_libsvm : bool, default=False
        Whether samples of negative weight are left out, with a warning, instead of refused: what LIBSVM does.

    Returns
    -------
    ndarray of shape (n_samples,) or None
        A copy, with a positive entry at least.

    """
    if sample_weight is None:
        return None
    n, weights = _num_samples(X), _numbers(sample_weight)
    if weights.ndim == 0 and not isinstance(sample_weight, Number):  # as scikit-learn has it
        raise TypeError(
            f"Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `{weights!r}` "
            f"instead. Give sample_weight as a number, or as one for each sample."
        )
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar; got sample_weight of shape {weights.shape} for {n} samples."
        )
    if len(weights) != n:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({n},): one weight a sample.")
    if not np.isfinite(weights).all():
        i = int(np.argmin(np.isfinite(weights)))
        found = "NaN" if np.isnan(weights[i]) else "infinity"
        raise ValueError(f"Input sample_weight contains {found} for sample {i}; weights must be finite numbers.")
    negative = weights < 0
    if negative.any() and not as_libsvm:
        i = int(np.argmax(negative))
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: {weights[i]:g} for sample {i}. Weights must be at "
            f"least 0; one of 0 leaves a sample out."
        )
    if not (weights > 0).any():
        raise ValueError(
            "Invalid input - all samples have zero or negative weights: sample_weight must have a positive entry."
        )
    if negative.any():
        warn(
            f"sample_weight is negative for {int(negative.sum())} of {n} samples: they take no part, as in LIBSVM. "
            f"Give them a weight of 0 to say so.",
            stacklevel=3,
        )
    return np.maximum(weights, 0.0)


def weights_or_ones(sample_weight: Any, X: Any, *, as_libsvm: bool = False) -> np.ndarray:
    """The same, and 1 for every sample if none were given."""
    weights = check_weights(sample_weight, X, as_libsvm=as_libsvm)
    return np.ones(_num_samples(X)) if weights is None else weights


def _numbers(sample_weight: Any) -> np.ndarray:
    """What was given as float64; text, complex numbers, dates and other objects are no weights."""
    try:
        given = np.asarray(sample_weight)
    except ValueError:
        raise ValueError("sample_weight must be a number for each sample; got lists of different lengths.") from None
    if given.dtype.kind == "O":
        odd = [value for value in given.ravel() if not isinstance(value, Real)]
    else:
        odd = [] if given.dtype.kind in "biuf" else given.ravel()[:1].tolist() or [""]
    if odd:
        kind = (
            "text " + quoted(odd[0]) if isinstance(odd[0], str | bytes) else f"a value of type {type(odd[0]).__name__}"
        )
        raise ValueError(f"sample_weight must be real numbers; got {kind}.")
    try:
        with np.errstate(over="ignore"):  # what is beyond float64 becomes infinite, and is refused as that
            return given.astype(np.float64)
    except OverflowError:
        raise ValueError("sample_weight must be numbers of float64; it has one that is too large.") from None
