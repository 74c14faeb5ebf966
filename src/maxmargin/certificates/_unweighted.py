"""What a refutation says to someone who may have left out the weights of the fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import has_fit_parameter

_WORDS = (
    "If the model was trained with sample_weight, verify it with the same: certificate_.verify(X, y, sample_weight)."
)


def without_weights(recompute: Callable[..., Any], sample_weight: Any) -> str:
    """A hint, where no weights were given and the fit of the model takes some; else nothing."""
    model = getattr(recompute, "__self__", None)
    if sample_weight is not None or model is None or not hasattr(model, "fit"):
        return ""
    return _WORDS if has_fit_parameter(model, "sample_weight") else ""
