"""The referee's word on a model: its error on the rows held out, and how sure that is."""

from __future__ import annotations

import numpy as np

from ..side_by_side import Verdict

FIGURES = ("error",)
_SURE = 3  # standard errors within which two errors are alike: forests differ by their seeds


class Judge:
    """Judges all contenders of a case."""

    def __init__(self, y_test: np.ndarray) -> None:
        self.y_test = y_test

    def __call__(self, name: str, predictions: np.ndarray) -> Verdict:
        if predictions.shape != self.y_test.shape:
            raise ValueError(f"predictions have shape {predictions.shape}, not {self.y_test.shape}")
        error = float(np.mean(predictions != self.y_test))
        deviation = float(np.sqrt(error * (1 - error) / len(self.y_test)))
        shown = f"{error:.4f} +- {deviation:.4f}"
        slack = _SURE * deviation / error if error > 0 else 0.0
        return Verdict(error, (shown,), slack=slack, numbers={"standard_error": deviation})
