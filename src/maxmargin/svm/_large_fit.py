"""The fit of machines of many rows: problems as those of the exact machines, each with bounds of its exact optimum."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from ..certificates import Certificate, Status, intercept_range, sampled_words
from ..estimators import conclude, monitor_of, solve_all, weights_or_ones
from ..kernels import Kernel
from ..problems import BoxQP
from ..solvers import Monitor
from ..solvers.large import OVERFLOW, TimeLimit
from ._bracketed import Bracketed, Start, certificates_of
from ._fit import Classes
from ._input import kernel_of_fit, part_of, rows_of, training_rows
from ._large_tasks import LargeTasks
from ._model import keep_classes, keep_one


def fit_large_classifier(machine: Any, formulation: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Train on labels: one binary problem, or for more than two classes one a pair or one a class."""
    limit = TimeLimit(machine.time_limit)
    X, y = training_rows(machine, X, y)
    weights_or_ones(sample_weight, X)  # refuses negative ones, which LIBSVM leaves out
    data = Classes.of(machine, X, y, sample_weight, formulation.one_class_error)
    kernel, gamma = kernel_of_fit(machine, X, data.weight)
    _check_kernel(machine, kernel)
    gram = kernel.gram(rows_of(machine.kernel, X), None, machine._threads())
    bound = data.weight * data.class_weight[data.label]
    problems = [formulation.problem(part_of(gram, pair.rows), pair.sign, bound[pair.rows]) for pair in data.pairs]
    names = [pair.label(data.classes) for pair in data.pairs]
    starts: list[Any] = [None] * len(problems)
    if _goes_on(machine, X, data):
        kept = (data.scheme.unpack(m, data.pairs, data.label) for m in (machine._spread(X.shape[0]), _dense(machine)))
        starts = [Start(*parts) for parts in zip(*kept, machine.method_, strict=True)]
    monitor = monitor_of(machine)
    found, interrupted = _solve(machine, problems, names, starts, monitor, limit)
    machine.class_weight_ = data.class_weight
    models = [(f.coefficients, _intercept(f)) for f in found]
    keep_classes(machine, X, gamma, data.scheme, data.pairs, models, data.label, data.classes)
    multipliers = data.scheme.pack([f.beta for f in found], data.pairs, data.label)
    machine.n_iter_ = np.array([f.iterations for f in found])
    keep_bracketed(machine, problems, found, multipliers)
    conclude(machine, certificates_of(found, names), monitor, interrupted, partial(advice, machine))


def fit_large_regressor(machine: Any, formulation: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Train on targets: one problem."""
    limit = TimeLimit(machine.time_limit)
    X, y = training_rows(machine, X, y, y_numeric=True)
    y = column_or_1d(y, warn=True).astype(np.float64)
    weight = weights_or_ones(sample_weight, X)
    kernel, gamma = kernel_of_fit(machine, X, weight)
    _check_kernel(machine, kernel)
    rows = np.flatnonzero(weight > 0)
    gram = part_of(kernel.gram(rows_of(machine.kernel, X), None, machine._threads()), rows)
    problem = formulation.problem(gram, y[rows], weight[rows])
    starts: list[Any] = [None]
    if _goes_on(machine, X, None):
        kept = (machine._spread(len(weight))[0, rows], _dense(machine)[0, rows])
        coefficients, beta = (formulation.to_variables(problem, values, 0.0)[0] for values in kept)
        starts = [Start(coefficients, beta, machine.method_[0])]
    monitor = monitor_of(machine)
    found, interrupted = _solve(machine, [problem], [""], starts, monitor, limit)
    spread = np.zeros((2, len(weight)))
    spread[:, rows] = [values.reshape(2, -1).sum(axis=0) for values in (found[0].coefficients, found[0].beta)]
    keep_one(machine, X, gamma, spread[0], _intercept(found[0]))
    machine.n_iter_ = found[0].iterations
    keep_bracketed(machine, [problem], found, spread[1:])
    conclude(machine, certificates_of(found, [""]), monitor, interrupted, partial(advice, machine))


def _solve(
    machine: Any,
    problems: Sequence[BoxQP],
    names: Sequence[str],
    starts: Sequence[Any],
    monitor: Monitor,
    limit: TimeLimit,
) -> tuple[list[Bracketed], bool]:
    work = LargeTasks(
        problems=problems,
        names=names,
        starts=starts,
        method=machine.method,
        gap_tol=machine.gap_tol,
        memory=machine.memory * 1e6,
        n_landmarks=machine.n_landmarks,
        limit=limit,
        threads=machine._threads(),
        seed=check_random_state(machine.random_state).randint(2**31 - 1),
    )
    return solve_all(work.solve, work.untouched, names, monitor, side_by_side=False)


def _intercept(found: Bracketed) -> float:
    return float(found.evidence.intercepts[0])


def keep_bracketed(
    machine: Any, problems: Sequence[BoxQP], found: Sequence[Bracketed], multipliers: np.ndarray
) -> None:
    """Fitted attributes that exact machines do not have."""
    machine.multipliers_ = sp.csr_matrix(multipliers)
    machine.method_ = [f.method for f in found]
    machine.method_reason_ = [f.words for f in found]
    machine.radius_ = np.array([f.radius for f in found])
    machine.intercept_range_ = np.array([range_of(p, f) for p, f in zip(problems, found, strict=True)])


def range_of(problem: BoxQP, found: Bracketed) -> tuple[float, float]:
    """The interval of the exact machine's intercept; all numbers where nothing was computed."""
    if not len(found.evidence.image):
        return -np.inf, np.inf
    return intercept_range(problem, found.coefficients, found.evidence.image, found.radius)


def _goes_on(machine: Any, X: Any, data: Classes | None) -> bool:
    """Whether there is a fit to go on from; ValueError if it was one of other rows, classes or problems."""
    if not (machine.warm_start and hasattr(machine, "multipliers_")):
        return False
    (n, d), last = X.shape, machine.shape_fit_
    if last != X.shape:
        raise ValueError(
            f"warm_start=True needs the rows of the last fit ({last[0]} rows of {last[1]} columns); got {n} rows of "
            f"{d}. Set warm_start=False to begin again."
        )
    if data is not None and not np.array_equal(machine.classes_, data.classes):
        raise ValueError(
            f"warm_start=True needs the classes of the last fit, {list(machine.classes_)}; got {list(data.classes)}. "
            f"Set warm_start=False to begin again."
        )
    if data is not None and type(machine._fitted_scheme()) is not type(data.scheme):
        raise ValueError("warm_start=True needs the same multi_class as the last fit; set warm_start=False.")
    return True


def _dense(machine: Any) -> np.ndarray:
    return machine.multipliers_.toarray()


def _check_kernel(machine: Any, kernel: Kernel) -> None:
    """Bounds of the exact optimum need a kernel that is positive semi-definite whatever the rows are."""
    if kernel.known_definite:
        return
    raise ValueError(
        f"{type(machine).__name__} needs a kernel that is positive semi-definite by its formula ('rbf', 'linear', "
        f"'poly' with coef0 >= 0, or a Kernel made of such); got the kernel {kernel}. SVC and SVR "
        f"take others."
    )


def advice(machine: Any, worst: Certificate) -> str:
    """The warning of a fit whose gap is not what was asked for."""
    where = f" ({worst.label})" if worst.label and len(machine.certificate_.problems) > 1 else ""
    sampled = f" (its lower bound is sampled: it {sampled_words(worst.confidence)})" if worst.confidence < 1 else ""
    known = f"the exact optimum is known to a relative gap of {worst.relative_gap:.2e}{sampled}"
    if not np.isfinite(worst.gap):
        known = "there was no time for bounds of the exact optimum"
    asked = f"and gap_tol={machine.gap_tol:g} was asked for"
    said = f"{type(machine).__name__} ended as '{worst.status}'{where}: {known}, {asked}. "
    if worst.status is Status.INTERRUPTED:
        return said + "Set warm_start=True and call fit again to resume."
    if worst.status is Status.BUDGET_EXHAUSTED:
        return said + f"Raise time_limit (now {machine.time_limit:g} s), or set warm_start=True and call fit again."
    if machine.method == "landmarks":
        if any(OVERFLOW in words for words in machine.method_reason_):
            return said + f"C={machine.C:g} is too large for features in float32: lower C, or set method='exact'."
        few = 2 * len(machine.support_) >= machine.shape_fit_[0]  # as many landmarks as help
        more = "Set" if few else "Raise n_landmarks and memory, or set"
        return said + f"{more} method='auto', which goes on by exact steps."
    if machine.method == "cells":
        return said + "Set method='auto', which goes on by exact steps."
    return said + "Rounding errors allow no better: raise gap_tol."
