"""The engine of a search over rows that are too many for exact machines: candidates are machines over landmarks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..engine import Stopwatch
from ..search import Fold, Outcome, SearchData, SearchState


@dataclass(eq=False, kw_only=True)
class LandmarkSearch:
    """Trains candidates one after the other, each with all threads.

    Parameters
    ----------
    machine : callable
        From the parameters of a candidate to a `LargeSVC` or `LargeSVR`, not fitted.
    data : SearchData
    wants_model : bool
        Whether a scorer will ask for decision values.

    """

    machine: Callable[..., Any]
    data: SearchData
    wants_model: bool

    def run(self, state: SearchState) -> None:
        """Train what is open, fold by fold."""
        for number, fold in enumerate(state.folds):
            for candidate, params in enumerate(state.grid.candidates):
                if state.open(candidate, number):
                    self._train(state, candidate, params, number, fold)
            state.drop()

    def _train(self, state: SearchState, candidate: int, params: dict[str, Any], number: int, fold: Fold) -> None:
        try:
            outcome = self._outcome(self.machine(**params), fold)
        except Exception as error:
            state.fail(candidate, number, error)
            return
        state.enter(candidate, number, outcome)

    def _outcome(self, machine: Any, fold: Fold) -> Outcome:
        data, watch = self.data, Stopwatch()
        weights = None if data.weights is None else data.weights[fold.train]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the table has the gap of each
            machine.fit(data.X[fold.train], data.y[fold.train], sample_weight=weights)
        seconds, X = watch.seconds(), data.X[fold.test]
        certificates = tuple(machine.certificate_.problems)
        if data.classes is None:
            values = machine.predict(X)
            return Outcome(values, values, certificates, seconds, lambda: machine)
        values = machine._binary_values(X)
        predictions = machine.classes_[machine._fitted_scheme().vote(values)]
        if len(machine.classes_) == 2:
            return Outcome(values[:, 0], predictions, certificates, seconds, lambda: machine)
        decision: np.ndarray | None = machine.decision_function(X) if self.wants_model else None
        return Outcome(values, predictions, certificates, seconds, lambda: machine, decision)
