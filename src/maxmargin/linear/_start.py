"""Where a fit starts: at the last solution, if it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ._training import Training


def dense_coef(machine: Any) -> np.ndarray:
    """``coef_`` as a matrix with one row a decision function, also after `sparsify`."""
    coef: Any = machine.coef_
    return np.atleast_2d(coef.toarray() if sp.issparse(coef) else np.asarray(coef))


def warm_starts(machine: Any, training: Training) -> tuple[list[np.ndarray | None], list[np.ndarray | None]]:
    """Variables and slopes to start from: the last solution's if `warm_start` is set and there is one."""
    nothing: list[np.ndarray | None] = [None] * training.problems
    if not (machine.warm_start and hasattr(machine, "coef_")):
        return nothing, nothing
    coef = dense_coef(machine)
    if not np.array_equal(machine.classes_, training.classes) or coef.shape[1] != training.rows.d:
        raise ValueError(
            f"warm_start=True needs the features and classes of the last fit ({coef.shape[1]} features, classes "
            f"{list(machine.classes_)}); got {training.rows.d} features and classes {list(training.classes)}. Set "
            f"warm_start=False to begin again."
        )
    starts: list[np.ndarray | None] = [
        np.append(w, b * machine.fit_intercept) for w, b in zip(coef, machine.intercept_, strict=True)
    ]
    return starts, [u if isinstance(u, np.ndarray) and len(u) == training.rows.n else None for u in machine._slopes]
