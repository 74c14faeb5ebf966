"""One problem for all classes together: the kernel machine of Crammer and Singer, fitted and verified.

Its model has the layout of one-vs-rest machines, one row of ``dual_coef_`` and one intercept a class.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..certificates import (
    Certificate,
    Evidence,
    KKTCases,
    Status,
    evaluate_kernel_crammer_singer,
    joint_cases,
    not_reproduced,
    product_rounding,
    refuted,
    rounded_multipliers,
    unconverged,
    values_agree,
)
from ..engine import Stopwatch, one_blas_thread
from ..estimators import conclude, monitor_of
from ..kernels import Kernel, MatrixGram, definiteness
from ..problems import KernelCrammerSinger
from ..solvers import solve_kernel_crammer_singer
from ._input import part_of, rows_of
from ._model import keep_classes
from ._one_vs_rest import OneVsRest
from ._remedy import advice
from ._verify import gamma_is_stated, rounding_within

JOINT = "crammer_singer"  # the name of the parameter's value; of two classes it is one binary problem
# of a fit that has not converged
AGREE = "a case is stated where multiplier and margin agree, and need not be that of the optimum."
SHARP_ENOUGH = 1e-6  # a violation at which cases are those of the optimum
_NEAR = 1e-9  # of the weight: as good as at the bound


def is_joint(machine: Any) -> bool:
    """Whether a fitted machine has one problem of more than two classes."""
    return machine.multi_class == JOINT and len(machine.classes_) > 2


def strength_of(machine: Any, classes: int) -> float:
    """The factor on every loss in binary problems.

    With two classes w_1 = -w_0 and f = f_1 - f_0: the joint problem is that of a binary machine with half the penalty,
    which is one of twice the C.
    """
    return 2.0 * machine.C if machine.multi_class == JOINT and classes == 2 else machine.C


def fit_joint(machine: Any, X: Any, data: Any, kernel: Kernel, gamma: float, tolerance: float) -> None:
    """Train one machine for all classes, whose labels were checked."""
    rows = np.flatnonzero(data.weight > 0)
    if machine.solver != "auto" or machine.warm_start or not np.isfinite(machine.C):
        raise ValueError(f"multi_class={JOINT!r} needs solver='auto', warm_start=False and a finite C.")
    if 8e-6 * len(rows) ** 2 > machine.cache_size:
        raise ValueError(
            f"multi_class={JOINT!r} holds the whole kernel matrix, {8e-6 * len(rows) ** 2:.3g} MB for {len(rows)} "
            f"rows; cache_size allows {machine.cache_size:g} MB. Raise cache_size."
        )
    watch, monitor = Stopwatch(), monitor_of(machine)
    gram = part_of(kernel.gram(rows_of(machine.kernel, X), None, machine._threads()), rows)
    known = definiteness(kernel, gram)
    if known.fails:
        raise ValueError(
            f"multi_class={JOINT!r} needs a positive semi-definite kernel; the matrix of the kernel {kernel} has an "
            f"eigenvalue of {known.smallest:.3g}. Use another kernel (maxmargin.kernels.check_mercer looks at one)."
        )
    problem = _problem(machine.C, MatrixGram.of(gram), data.label, data.weight, data.class_weight, rows)
    with one_blas_thread():
        found = solve_kernel_crammer_singer(problem, tolerance, machine.gap_tol, machine._budget, monitor, known)
    monitor.close()
    certificate = Certificate.of(found.evidence, found.status, found.iterations, watch.seconds(), "all classes")
    monitor.certified(certificate)
    machine.class_weight_ = data.class_weight
    machine.n_iter_ = np.array([found.iterations])
    scheme = OneVsRest(len(data.classes))
    models = [(found.variables[:, k], float(found.evidence.intercepts[k])) for k in range(len(data.classes))]
    keep_classes(machine, X, gamma, scheme, scheme.pairs(data.label, data.weight), models, data.label, data.classes)
    conclude(machine, [certificate], monitor, found.keyboard, partial(advice, machine, X))


def _problem(
    C: float, gram: Any, label: np.ndarray, weight: np.ndarray, class_weight: np.ndarray, rows: np.ndarray
) -> KernelCrammerSinger:
    bound = C * weight * class_weight[label]
    return KernelCrammerSinger(gram, label[rows].astype(np.int64), len(class_weight), bound[rows])


def recertify_joint(machine: Any, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Certificate]:
    """Every figure again, from the model alone; whatever does not fit refutes it."""
    claims = machine.certificate_.problems
    try:
        audit = _evidence(machine, X, y, weight) if len(claims) == 1 else None
    except Exception:  # what a model was made to hold fails in ways that cannot be foreseen
        audit = None
    if audit is None:
        return [refuted(claim) for claim in claims]
    evidence, rounded = audit
    claim, limits = claims[0], machine._formulation()
    found = Certificate.of(evidence, claim.status, claim.iterations, claim.seconds, claim.label)
    off = rounding_within(claim, 2 * evidence.rounding)
    if _differ(claim, found, off, rounded):  # the kernel values of the fit may be rounded more than those of the audit
        off = rounding_within(claim, 2 * max(evidence.rounding, _rounding_of_fit(machine, X, y, weight)))
    if _differ(claim, found, off, rounded):
        return [replace(found, status=Status.REFUTED)]
    if claim.status is not Status.CONVERGED:
        return [found]
    if not found.kkt_violation <= limits.tolerance * (1 + 1e-6) + 1e-9 + 2 * rounded:
        return [replace(found, status=Status.REFUTED)]
    if limits.gap_tol is None or found.relative_gap <= limits.gap_tol:
        return [found]
    nearly = found.gap <= limits.gap_tol * max(abs(found.primal), abs(found.dual)) + off
    return [replace(found, status=Status.STALLED if nearly else Status.REFUTED)]


def _differ(claim: Certificate, found: Certificate, off: float, rounded: float) -> bool:
    """Whether figures of a claim are others than those found, beyond what rounding may have done."""
    return bool(not_reproduced(claim, found, rounding=off, violation_slack=1e-7 + 2 * rounded))


def _rounding_of_fit(machine: Any, X: Any, y: np.ndarray, weight: np.ndarray) -> float:
    """The room for rounding errors between the objectives, where kernel values are computed as in a fit."""
    rows = np.flatnonzero(weight > 0)
    gram = MatrixGram.of(part_of(machine._fitted_kernel().gram(machine._rows(X), None, machine._threads()), rows))
    return _judged(machine, gram, y, weight, rows).rounding


def _evidence(machine: Any, X: Any, y: np.ndarray, weight: np.ndarray) -> tuple[Evidence, float] | None:
    """Figures of the model, and what rounding may have done to its decision values; None if it is not one."""
    if not (machine._belongs_to(y) and machine._support_is_of(X) and gamma_is_stated(machine, X, weight)):
        return None
    rows, b = np.flatnonzero(weight > 0), np.asarray(machine.intercept_, dtype=np.float64)
    alpha = machine._spread(len(y)).T
    if alpha[weight <= 0].any() or alpha.shape[1] != len(b) or not (np.isfinite(alpha).all() and np.isfinite(b).all()):
        return None
    gram = part_of(machine._fitted_kernel().audit_gram(machine._rows(X)), rows)
    evidence = _judged(machine, gram, y, weight, rows)
    own, expected = machine._values_of(X)[rows], evidence.image.reshape(len(rows), -1) + b
    size = float(np.abs(expected[np.isfinite(expected)]).max(initial=1.0))
    rounded = product_rounding(gram, alpha[rows])
    return (evidence, float(rounded.max())) if values_agree(own, expected, 1e-8 * size + rounded) else None


def _judged(machine: Any, gram: Any, y: np.ndarray, weight: np.ndarray, rows: np.ndarray) -> Evidence:
    """Figures of the model by the kernel values of some rows."""
    label = np.searchsorted(machine.classes_, y)
    problem = _problem(machine.C, gram, label, weight, machine.class_weight_, rows)
    alpha, b = machine._spread(len(label)).T[rows], np.asarray(machine.intercept_, dtype=np.float64)
    return evaluate_kernel_crammer_singer(problem, alpha, b, definiteness(machine._fitted_kernel(), gram))


def joint_cases_of(machine: Any, X: Any, y: np.ndarray, weight: np.ndarray) -> KKTCases:
    """The optimality case of each training sample."""
    label, rows = np.searchsorted(machine.classes_, y), np.flatnonzero(weight > 0)
    bound = (machine.C * weight * machine.class_weight_[label])[rows]
    own = own_multipliers(machine, machine._spread(len(label))[label[rows], rows], bound)
    f, claim = machine._values_of(X)[rows], machine.certificate_.problems[0]
    near = claim.kkt_violation if claim.kkt_violation <= SHARP_ENOUGH else 0.0
    found = joint_cases(rows, own, bound, f, label[rows], 0.0, near)
    if claim.status is Status.CONVERGED:
        return found
    return found.doubted(machine._formulation().tolerance, unconverged(claim, AGREE))


def own_multipliers(machine: Any, values: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Multipliers of the own classes: sums that are exact keep them some units in the last place from their bounds."""
    return rounded_multipliers(values, bound, _NEAR * len(machine.classes_))
