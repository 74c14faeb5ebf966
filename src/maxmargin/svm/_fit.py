"""The way of a fit: checked rows, a problem or many, their solutions with proofs, the model that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..certificates import IndefiniteKernelWarning
from ..engine import warn
from ..estimators import check_every_class, class_weights, conclude, encode_labels, monitor_of, solve_all
from ..kernels import Gram, Kernel, SharedBlocks, TiledGram
from ..problems import BoxQP
from ..solvers import Monitor, feasible
from ._formulations import Formulation
from ._input import kernel_of_fit, part_of, rows_of, training_rows, training_weights
from ._joint import JOINT, fit_joint, strength_of
from ._model import keep_classes, keep_one
from ._one_vs_one import OneVsOne, Pair
from ._one_vs_rest import OneVsRest, scheme_of
from ._remedy import advice, indefinite_advice
from ._solve import Task, Tasks
from ._solved import Solved


@dataclass(frozen=True, eq=False)
class Classes:
    """Checked labels: the number of each sample's class, its weight, and the binary problems of the classes."""

    classes: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    class_weight: np.ndarray
    scheme: OneVsOne | OneVsRest
    pairs: list[Pair]

    @classmethod
    def of(cls, machine: Any, X: Any, y: Any, sample_weight: Any, one_class_error: str) -> Classes:
        classes, label = encode_labels(y)
        weight = training_weights(sample_weight, X)
        class_weight = class_weights(machine.class_weight, classes, label)
        check_every_class(classes, label, weight, one_class_error)
        scheme = scheme_of(machine.multi_class, len(classes))
        return cls(classes, label, weight, class_weight, scheme, scheme.pairs(label, weight))


def fit_classifier(machine: Any, formulation: Formulation, X: Any, y: Any, sample_weight: Any) -> None:
    """Train on labels: one binary problem, or for more than two classes one a pair or one a class."""
    X, y = training_rows(machine, X, y)
    data = Classes.of(machine, X, y, sample_weight, formulation.one_class_error)
    kernel, gamma = kernel_of_fit(machine, X, data.weight)
    if machine.multi_class == JOINT:
        if len(data.classes) > 2:
            return fit_joint(machine, X, data, kernel, gamma, formulation.tolerance)
        formulation = replace(formulation, C=strength_of(machine, 2))  # type: ignore[call-arg]
    threads = machine._threads()
    gram = kernel.gram(rows_of(machine.kernel, X), None, threads)
    workers = threads if machine._side_by_side(len(data.pairs)) else 1
    if workers > 1:
        gram = gram.with_threads(1)
    bound = data.weight * data.class_weight[data.label]
    names = [pair.label(data.classes) for pair in data.pairs]
    for pair, name in zip(data.pairs, names, strict=True):
        if text := formulation.not_as_asked(pair.sign, bound[pair.rows]):
            warn(f"specified nu is infeasible for {name}: {text}", stacklevel=3)
    grams = zip(_pair_grams(gram, data, machine.cache_size * 1e6), data.pairs, strict=True)
    problems = [formulation.problem(matrix, pair.sign, bound[pair.rows]) for matrix, pair in grams]
    parts = zip(problems, _starts(machine, formulation, data, problems), data.pairs, names, strict=True)
    tasks = [Task(problem=problem, start=start, rows=pair.rows, name=name) for problem, start, pair, name in parts]
    monitor = monitor_of(machine)
    # of two classes the second is positive here, and the first in LIBSVM
    first = -1 if len(data.classes) == 2 else 1
    solved, interrupted = _solve(machine, formulation, kernel, tasks, first, workers, monitor)
    machine.class_weight_ = data.class_weight
    machine.n_iter_ = np.array([s.solution.iterations for s in solved])
    models = [formulation.to_model(s.solution) for s in solved]
    keep_classes(machine, X, gamma, data.scheme, data.pairs, models, data.label, data.classes)
    conclude(machine, [s.certificate for s in solved], monitor, interrupted, partial(advice, machine, X))
    _warn_of_indefinite(machine, kernel, solved)


def fit_one(machine: Any, formulation: Formulation, X: Any, y: Any, sample_weight: Any) -> None:
    """Train a machine with one problem: on targets y, or without any."""
    X, y = training_rows(machine, X, y, y_numeric=True)
    if y is not None:
        y = column_or_1d(y, warn=True).astype(np.float64)
    weight = training_weights(sample_weight, X)
    kernel, gamma = kernel_of_fit(machine, X, weight)
    gram = kernel.gram(rows_of(machine.kernel, X), None, machine._threads())
    rows = np.flatnonzero(weight > 0)
    problem = formulation.problem(part_of(gram, rows), None if y is None else y[rows], weight[rows])
    start = _start(machine, formulation, problem, rows, len(weight))
    monitor = monitor_of(machine)
    task = Task(problem=problem, start=start, rows=rows)
    solved, interrupted = _solve(machine, formulation, kernel, [task], 0, 1, monitor)
    solution = solved[0].solution
    coefficients = np.zeros(len(weight))
    coefficients[rows], intercept = formulation.to_model(solution)
    machine.n_iter_ = solution.iterations
    keep_one(machine, X, gamma, coefficients, intercept)
    vars(machine).update(formulation.attributes(solution))
    conclude(machine, [solved[0].certificate], monitor, interrupted, partial(advice, machine, X))
    _warn_of_indefinite(machine, kernel, solved)


def _solve(
    machine: Any,
    formulation: Formulation,
    kernel: Kernel,
    tasks: Sequence[Task],
    first: int,
    workers: int,
    monitor: Monitor,
) -> tuple[list[Solved], bool]:
    """Solve all problems, many of them side by side, and certify what the model keeps; also whether Ctrl-C came."""
    work = Tasks(
        tasks=tasks,
        formulation=formulation,
        kernel=kernel,
        first=first,
        budget=machine._budget,
        cache_bytes=int(machine.cache_size * 1e6),
        workers=workers,
        shrinking=machine.shrinking,
        solver=machine.solver,
    )
    names = [task.name for task in tasks]
    return solve_all(work.solve, work.untouched, names, monitor, side_by_side=workers > 1)


def _pair_grams(gram: Gram, data: Classes, cache_bytes: float) -> list[Gram]:
    """The matrix of each pair; the pairs of three or more classes share blocks if those fit the cache."""
    pairs = data.pairs
    if isinstance(gram, TiledGram) and len(pairs) > 1 and pairs[0].negative is not None:
        members = [np.flatnonzero((data.label == k) & (data.weight > 0)) for k in range(len(data.classes))]
        shared = SharedBlocks(gram, members)
        if shared.bytes_needed() <= cache_bytes / 2:
            return [shared.pair(pair.positive, pair.negative, pair.rows) for pair in pairs if pair.negative is not None]
    return [part_of(gram, pair.rows) for pair in pairs]


def _starts(machine: Any, formulation: Formulation, data: Classes, problems: list[BoxQP]) -> list[np.ndarray | None]:
    """Variables to start from: the last solution's if `warm_start` is set and there is one."""
    if not (machine.warm_start and hasattr(machine, "support_")):
        return [None] * len(problems)
    n, classes = len(data.label), data.classes
    if machine.shape_fit_[0] != n or not np.array_equal(machine.classes_, classes):
        raise ValueError(
            f"warm_start=True needs the rows and classes of the last fit ({machine.shape_fit_[0]} rows, classes "
            f"{list(machine.classes_)}); got {n} rows and classes {list(classes)}. Set warm_start=False to begin again."
        )
    if type(machine._fitted_scheme()) is not type(data.scheme):
        raise ValueError("warm_start=True needs the same multi_class as the last fit; set warm_start=False.")
    betas = data.scheme.unpack(machine._spread(n), data.pairs, data.label)
    kept = zip(problems, betas, machine.intercept_, strict=True)
    return [_within(problem, formulation.to_variables(problem, beta, float(b))[0]) for problem, beta, b in kept]


def _start(machine: Any, formulation: Formulation, problem: BoxQP, rows: np.ndarray, n: int) -> np.ndarray | None:
    """The same for a machine with one problem."""
    if not (machine.warm_start and hasattr(machine, "support_")):
        return None
    if machine.shape_fit_[0] != n:
        raise ValueError(
            f"warm_start=True needs the rows of the last fit ({machine.shape_fit_[0]}); got {n}. Set "
            f"warm_start=False to start anew."
        )
    coefficients, intercept = machine._spread(n)[0, rows], float(machine.intercept_[0])
    return _within(problem, formulation.to_variables(problem, coefficients, intercept)[0])


def _within(problem: BoxQP, start: np.ndarray) -> np.ndarray:
    """A start that meets the constraints: parameters or weights may have changed since. A hard margin has no bounds."""
    return feasible(problem, start) if np.isfinite(problem.upper - problem.lower).all() else start


def _warn_of_indefinite(machine: Any, kernel: Kernel, solved: Sequence[Solved]) -> None:
    if any(s.certificate.definiteness == "fails" for s in solved):
        warn(indefinite_advice(machine.kernel, kernel, solved), IndefiniteKernelWarning, stacklevel=4)
