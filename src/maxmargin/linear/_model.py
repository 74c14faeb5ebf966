"""What is kept of a fit of a linear classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._formulation import LinearFormulation
from ._solve import Part
from ._training import Training


def keep(
    machine: Any, formulation: LinearFormulation, training: Training, parts: list[Part], *, chunk: bool = False
) -> None:
    """Fitted attributes in scikit-learn's form. A fit, unlike a `chunk`, ends what was kept between chunks."""
    keep_parts(machine, formulation, training.classes, training.class_weight, training.rows.n, parts)
    if not chunk:
        vars(machine).pop("_streams", None)


def keep_parts(
    machine: Any,
    formulation: LinearFormulation,
    classes: np.ndarray,
    class_weight: np.ndarray,
    n: int,
    parts: list[Part],
) -> None:
    """Fitted attributes of a machine that has seen n rows of these classes."""
    theta = np.vstack([part.theta for part in parts])
    check_finite(theta)
    counts = [part.certificate.iterations for part in parts]
    machine.classes_, machine.class_weight_ = classes, class_weight
    machine.coef_ = np.ascontiguousarray(theta[:, :-1])
    machine.intercept_ = theta[:, -1].copy()
    machine.n_iter_ = max(counts) if formulation.one_count else np.array(counts, dtype=np.int32)
    machine.solver_ = parts[0].solver
    machine._slopes = [part.slopes for part in parts]
    machine._rows_seen = n


def check_finite(theta: np.ndarray) -> None:
    """Refuse weights that are no numbers."""
    if not np.isfinite(theta).all():
        raise ValueError("the weights are not finite: X has values too large or too small. Scale X (StandardScaler).")
