"""What a search has to say of cells that failed, were dropped, or did not converge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning

from ..certificates import IndefiniteKernelWarning
from ..engine import warn
from ._state import SearchState

_NAMED = 3  # cells that a warning names before it only counts them


SCALE = "Scale the features (StandardScaler), raise max_iter or tol, or leave out the largest values of C."


def warn_of_cells(
    state: SearchState, table: dict[str, Any], advice: str = SCALE, matters: Sequence[int] | None = None
) -> None:
    """Warn of cells that failed, were dropped, or did not converge: a few by name, and how many.

    `advice` says what to do about the last ones, `matters` of which candidates it matters (None: of all).
    """
    if state.failures:
        texts = [state.describe(*place, error) for place, error in sorted(state.failures.items())]
        where = "; ".join(texts[:_NAMED]) + _and_more(texts)
        warn(
            f"{len(texts)} of {state.record.done.size} fits failed and their candidates cannot win: {where}. "
            f'error_score="raise" stops at the first.',
            FitFailedWarning,
            stacklevel=3,
        )
    dropped = np.flatnonzero(state.dropped)
    if dropped.size and state.race is not None:
        warn(
            f"race=True dropped {dropped.size} of {len(state.grid)} candidates before they had all their folds: "
            f"{state.race.reason()}. Their status in cv_results_ is 'dropped'.",
            UserWarning,
            stacklevel=3,
        )
    _warn_of_convergence(state, table, advice, range(len(state.grid)) if matters is None else matters)


def _warn_of_convergence(state: SearchState, table: dict[str, Any], advice: str, matters: Sequence[int]) -> None:
    indefinite = [state.grid.name(k) for k, status in enumerate(table["status"]) if status == "stationary"]
    if indefinite:
        warn(
            f"the kernel matrices of {len(indefinite)} of {len(state.grid)} candidates are not positive "
            f"semi-definite: {'; '.join(indefinite[:_NAMED])}{_and_more(indefinite)}. Their machines meet the "
            f"conditions of optimality, but better ones may exist, and nothing is proven of them.",
            IndefiniteKernelWarning,
            stacklevel=4,
        )
    ended = {"converged", "stationary", "failed", "dropped", "unfinished"}
    short = [k for k in matters if table["status"][k] not in ended]
    if not short:
        return
    texts = [f"{state.grid.name(k)} ({table['status'][k]}, gap {table['relative_gap'][k]:.1e})" for k in short]
    warn(
        f"{len(short)} of {len(state.grid)} candidates did not reach the tolerance in some fold: "
        f"{'; '.join(texts[:_NAMED])}{_and_more(texts)}. {advice}",
        ConvergenceWarning,
        stacklevel=4,
    )


def _and_more(texts: list[str]) -> str:
    return f"; and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
