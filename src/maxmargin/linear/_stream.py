"""Training on data that comes in chunks: what is kept between two of them does not grow with the samples seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import _check_partial_fit_first_call

from ..certificates import Certificate, Status
from ..data import validate_data
from ..engine import Stopwatch, one_blas_thread
from ..solvers import RISK_SOLVERS, StochasticState
from ._formulation import LinearFormulation
from ._solve import Part, solver_options
from ._start import dense_coef
from ._training import Training, training_with_known_labels


def chunk_of(machine: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> Training:
    """A checked chunk; the first one sets the features and the classes."""
    if machine.class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' needs all samples at once; in partial_fit give the weights themselves, such as "
            "class_weight={0: 1.0, 1: 3.0}."
        )
    first = not hasattr(machine, "coef_")
    X, y = validate_data(machine, X, y, dtype=[np.float64, np.float32], order="C", accept_sparse="csr", reset=first)
    _check_partial_fit_first_call(machine, classes)
    if first:
        machine.class_weight_ = np.ones(len(machine.classes_))
        if machine.class_weight is not None:
            machine.class_weight_ = np.array(
                [float(machine.class_weight.get(c, 1.0)) for c in machine.classes_.tolist()]
            )
    return training_with_known_labels(machine, X, y, sample_weight)


def advance_streams(machine: Any, formulation: LinearFormulation, training: Training) -> list[Part]:
    """One pass over the chunk for each problem; the proof is about the mean iterate and the problem of this chunk."""
    k = training.problems
    if not hasattr(machine, "_streams"):
        options = solver_options(machine, RISK_SOLVERS["sgd"])
        options["order"] = options.get("order") or "shuffle"
        origin = np.zeros(training.rows.d + 1)
        starts = [origin] * k
        if hasattr(machine, "coef_"):  # go on from a fit
            starts = [np.append(w, b) for w, b in zip(dense_coef(machine), machine.intercept_, strict=True)]
        machine._streams = [StochasticState(start, **options) for start in starts]
    problem = formulation.problems(training, 1)
    parts = []
    with one_blas_thread():
        for j, state in enumerate(machine._streams):
            watch = Stopwatch()
            chunk = problem(j)
            evidence = state.advance(chunk).suboptimality(chunk).evidence
            status = Status.CONVERGED if evidence.relative_gap <= machine.tol else Status.BUDGET_EXHAUSTED
            seconds = watch.seconds()
            certificate = Certificate.of(evidence, status, state.passes, seconds, training.name(j))
            parts.append(Part(state.average, evidence.u, certificate, "sgd"))
    return parts
