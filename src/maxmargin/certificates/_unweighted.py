"""What a refutation says to someone who may have left out the weights of the fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import has_fit_parameter

_WORDS = (
    "No sample_weight was given: a model that was trained with weights is verified with the same ones, "
    "certificate_.verify(X, y, sample_weight)."
)


def without_weights(recompute: Callable[..., Any], sample_weight: Any) -> str:
    """A hint, where no weights were given and the fit of the model takes some; else nothing."""
    model = getattr(recompute, "__self__", None)
    if sample_weight is not None or model is None or not hasattr(model, "fit"):
        return ""
    return _WORDS if has_fit_parameter(model, "sample_weight") else ""
