"""What `verify` asks of a kernel machine: its objectives, and that it predicts by the variables they were computed of.

A model may be changed after its fit, and a file may come from anywhere. So everything that a prediction reads is held
against the training data: figures are recomputed by the audit kernel, decision values of the training rows are asked of
the model itself and compared, and attributes that hang together are compared with each other. What is not finite or has
another shape is refuted; it raises no error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier

from ..certificates import (
    REPRODUCED,
    Certificate,
    Evidence,
    Status,
    all_finite,
    linear_errors,
    not_reproduced,
    underflow,
)
from ..kernels import symmetric_part
from ..problems import BoxQP
from ..solvers import unproven
from ._input import part_of, stated_gamma
from ._one_vs_one import OneVsOne, Pair
from ._solved import judged

# Two ways of computing kernel values and their sums differ by so much, relative to the sum of all terms' sizes.
_ROUNDING = 1e-12
_U = 2.0**-53
# Both evaluations round, the claimed one and that of the audit, each upwards and downwards.
_INTERVALS = 4
# A violation is a difference of two decision values, and two are compared: each value may be off.
_VALUES = 4


@dataclass(frozen=True)
class Audit:
    """What was recomputed of one binary problem.

    Attributes
    ----------
    evidence : Evidence
        The figures at the model's variables and intercepts.
    objective_rounding, value_rounding : float
        How far two computations may be apart: of an objective, and of a decision value.
    faithful : bool
        Whether the model's own decision values of the rows are those of its variables.
    value_size : float
        Largest decision value or target.
    tolerance : float
        The violation up to which the problem counts as solved.
    kept_rounding : float
        What keeping the intercepts may have added to the violation of a solved one.
    resolved : bool
        Whether float64 has the digits for the tolerance.
    problem, variables, values : BoxQP, ndarray, ndarray or None
        The problem, its variables, and the decision values of its rows.

    """

    evidence: Evidence
    objective_rounding: float = 0.0
    value_rounding: float = 0.0
    faithful: bool = False
    value_size: float = 1.0
    tolerance: float = 0.0
    kept_rounding: float = 0.0
    resolved: bool = True
    problem: BoxQP | None = None
    variables: np.ndarray | None = None
    values: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        problem: BoxQP,
        beta: np.ndarray,
        evidence: Evidence,
        own: np.ndarray,
        expected: np.ndarray,
        tolerance: float,
        coefficients: np.ndarray | None = None,
        by_coefficients: bool = False,
    ) -> Audit:
        """From a problem's variables, and the decision values that the model gives and should give.

        `coefficients` are those of the decision values, where they are not the variables themselves; with
        `by_coefficients` the primal objective is theirs as well.
        """
        width = problem.upper - problem.lower
        largest = float(np.abs(problem.gram.diagonal()).max(initial=0.0))
        multipliers = float(np.abs(beta).sum())
        widest = max(float(width[np.isfinite(width)].sum()), multipliers)
        unscaled = evidence.image + np.mean(evidence.intercepts)
        size = max(float(np.abs(problem.p).max(initial=0.0)), float(np.abs(unscaled).max(initial=0.0)))
        terms = multipliers if coefficients is None else float(np.abs(coefficients).sum())
        decided = coefficients if by_coefficients and coefficients is not None else beta
        most = max(float(np.abs(decided).sum()), multipliers)
        values = _ROUNDING * (most * largest + size)
        if problem.gram.linear_rows() is not None:  # by its weights: rows far from the origin lose no digits
            shifts = size + float(np.abs(evidence.intercepts).max())
            values = min(values, _VALUES * (linear_errors(problem, decided) + 4 * _U * shifts))
        value_rounding = values + _VALUES * underflow(problem, most)
        spread = max(size, float(np.abs(expected).max(initial=0.0)))
        slack = REPRODUCED * spread + _ROUNDING * (terms * largest + spread)
        faithful = own.shape == expected.shape and bool((np.abs(own - expected) <= slack).all())
        objective_rounding = max(widest * value_rounding, 2 * evidence.rounding)
        parts = {"problem": problem, "variables": beta, "values": expected}
        return cls(evidence, objective_rounding, value_rounding, faithful, size, tolerance, **parts)  # type: ignore[arg-type]


def recertify(machine: Any, X: Any, y: Any, sample_weight: Any) -> list[Certificate]:
    """Every figure of the certificate, recomputed from the model alone.

    Data that cannot be those of the fit (another number of rows) are an error of the caller; whatever is wrong with the
    model is a refutation.
    """
    return audited(machine, X, y, sample_weight)[0]


def audited(machine: Any, X: Any, y: Any, sample_weight: Any) -> tuple[list[Certificate], list[Audit]]:
    """The certificates, and what they were recomputed of: nothing where the model does not fit to the data."""
    claims = machine.certificate_.problems
    if not is_whole(machine):
        return refuted(claims), []
    X, y, weight = machine._training_data(X, y, sample_weight)
    if machine._kernel_name == "precomputed":  # what the machine was trained on
        X = symmetric_part(X)
    try:
        with np.errstate(all="ignore"):
            sound = machine._support_is_of(X) and gamma_is_stated(machine, X, weight)
            audits = machine._audits(X, y, weight) if sound else []
    except Exception:  # what a model was made to hold fails in ways that cannot be foreseen
        audits = []
    if len(audits) != len(claims):
        return refuted(claims), []
    formulation, found = machine._formulation(), zip(audits, claims, strict=True)
    checked = []
    for audit, claim in found:
        comparable = formulation.comparable(claim, audit.evidence, audit.tolerance)
        checked.append(confirmed(audit, comparable, formulation.gap_tol))
    return checked, audits


def gamma_is_stated(machine: Any, X: Any, weight: np.ndarray) -> bool:
    """Whether the gamma of the fit is the one that the parameters ask for."""
    if machine._kernel_name not in ("rbf", "poly", "sigmoid"):
        return True
    return bool(abs(stated_gamma(machine, X, weight) - machine._gamma) <= 1e-9 * abs(machine._gamma))


def again_one(
    machine: Any, X: Any, y: np.ndarray | None, weight: np.ndarray
) -> tuple[np.ndarray, BoxQP, np.ndarray, float]:
    """Rows, problem, coefficients and intercept of a machine with one problem, from the model and its data."""
    rows, formulation, kernel = np.flatnonzero(weight > 0), machine._formulation(), machine._fitted_kernel()
    gram = part_of(kernel.audit_gram(machine._rows(X)), rows)
    problem = formulation.problem(gram, None if y is None else y[rows], weight[rows])
    return rows, problem, machine._spread(len(weight))[0, rows], float(machine.intercept_[0])


def audit_one(machine: Any, X: Any, y: np.ndarray | None, weight: np.ndarray, own: np.ndarray) -> list[Audit]:
    """What is recomputed of a machine with one problem; `own` are its decision values of the rows of X."""
    formulation, kernel = machine._formulation(), machine._fitted_kernel()
    rows, problem, coefficients, intercept = again_one(machine, X, y, weight)
    beta, intercepts = formulation.to_variables(problem, coefficients, intercept)
    evidence = judged(kernel, problem, formulation.evaluate(problem, beta, intercepts))
    expected = evidence.image[: len(rows)] + intercept
    audit = Audit.of(problem, beta, evidence, own[rows], expected, formulation.tolerance_of(problem))
    resolved = formulation.resolves(problem, evidence)
    return [replace(audit, kept_rounding=formulation.kept_rounding(intercept), resolved=resolved)]


def confirmed(audit: Audit, claim: Certificate, gap_tolerance: float | None) -> Certificate:
    """A certificate of recomputed figures beside an earlier one.

    A status that claims less than convergence stands; one that claims it has to be confirmed, and whatever figures were
    claimed have to be reproduced. Where they are, but miss the tolerance by what rounding may have done, the claim is
    neither confirmed nor refuted: STALLED.
    """
    e = audit.evidence
    found = Certificate.of(e, claim.status, claim.iterations, claim.seconds, claim.label)
    return replace(found, status=_status(audit, claim, found, gap_tolerance))


def _status(audit: Audit, claim: Certificate, found: Certificate, gap_tolerance: float | None) -> Status:
    tolerance, rounding = audit.tolerance, rounding_within(claim, audit.objective_rounding)
    slack = REPRODUCED * audit.value_size + audit.value_rounding
    differing = not_reproduced(claim, found, rounding=rounding, violation_slack=slack)
    if not audit.faithful or differing:
        return Status.REFUTED
    if claim.status is Status.CONVERGED and not claim.kkt_violation <= tolerance + audit.value_rounding:
        return Status.REFUTED  # what it claims is not what it calls itself
    best, e = claim.status in (Status.CONVERGED, Status.STATIONARY), audit.evidence
    met = e.kkt_violation <= tolerance + (audit.kept_rounding if claim.status is Status.CONVERGED else 0.0)
    nearly = e.kkt_violation <= tolerance + audit.value_rounding
    if e.definiteness == "fails" or claim.status is Status.STATIONARY:  # nothing bounds the optimum: gaps are infinite
        if claim.status is not Status.STATIONARY:
            return Status.REFUTED if best else claim.status
        finite = np.isfinite([claim.primal, claim.kkt_violation]).all()
        return Status.STATIONARY if nearly and finite else Status.REFUTED
    if claim.definiteness == "known" != e.definiteness or (best and not all_finite(claim)):
        return Status.REFUTED
    size = max(abs(e.primal), abs(e.dual))
    if gap_tolerance is not None:
        met &= e.relative_gap <= gap_tolerance
        nearly &= e.gap <= gap_tolerance * size + rounding
    if met and audit.resolved:
        return Status.CONVERGED
    return (Status.STALLED if nearly else Status.REFUTED) if best else claim.status


def rounding_within(claim: Certificate, rounding: float) -> float:
    """What rounding may have done to an objective: no more than a claim has room for, on the data that it is about.

    Both intervals hold the objectives of the model on the same data, and what rounding may have done is a part of the
    gap of each. On other data, a gap that has grown is no rounding.
    """
    return min(rounding, _INTERVALS * max(claim.gap, 0.0)) if np.isfinite(claim.gap) else rounding


def refuted(claims: tuple[Certificate, ...]) -> list[Certificate]:
    """Every claim refuted: the model's parts do not fit together, and nothing could be recomputed of it."""
    nothing = unproven(1)
    made = [Certificate.of(nothing, Status.REFUTED, c.iterations, c.seconds, c.label) for c in claims]
    return made or [Certificate.of(nothing, Status.REFUTED, 0, 0.0)]


def is_whole(model: Any) -> bool:
    """Whether the fitted attributes that predictions read fit together, and are finite."""
    try:
        if not (_support_is_whole(model) and _vectors_are_whole(model)):
            return False
        return _classes_are_whole(model) if is_classifier(model) else len(model._dual_coef()) == 1
    except Exception:  # attributes of a strange kind fail in ways that cannot be foreseen
        return False


def _support_is_whole(model: Any) -> bool:
    support, counts, n = model.support_, model.n_support_, model.shape_fit_[0]
    coef, intercept = model._dual_coef(), model.intercept_
    return bool(
        support.ndim == counts.ndim == intercept.ndim == 1
        and support.dtype.kind == counts.dtype.kind == "i"
        and coef.dtype.kind == intercept.dtype.kind == "f"
        and (counts >= 0).all()
        and counts.sum() == len(support) == coef.shape[1]
        and len(np.unique(support)) == len(support)
        and ((support >= 0) & (support < n)).all()
        and np.isfinite(coef).all()
        and np.isfinite(intercept).all()
        and len(intercept) == len(model.certificate_.problems)
        # of rows so small that their variance vanishes it is infinite, and a linear kernel does not read it
        and (model._kernel_name == "linear" or np.isfinite(model._gamma))
        and model._gamma >= 0
    )


def _vectors_are_whole(model: Any) -> bool:
    """Whether there are as many support vectors as there should be, in the format that predictions expect."""
    vectors, sparse = model.support_vectors_, model._sparse
    if not isinstance(sparse, bool) or sparse != sp.issparse(model.dual_coef_):
        return False
    if model._kernel_name == "function":
        return not sparse and len(model.support_) == model._callable_support.shape[0]
    if model.shape_fit_[1] != model.n_features_in_:
        return False
    if model._kernel_name == "precomputed":
        return not sparse and vectors.size == 0
    return sparse == sp.issparse(vectors) and vectors.shape == (len(model.support_), model.n_features_in_)


def _classes_are_whole(model: Any) -> bool:
    """Whether classes, their weights and the names of the problems fit to each other."""
    classes, weights, scheme = model.classes_, model.class_weight_, model._fitted_scheme()
    sides = scheme.sides if isinstance(scheme, OneVsOne) else [(k, None) for k in range(len(classes))]
    nobody = np.empty(0)
    names = [Pair(a, b, nobody, nobody).label(classes) for a, b in sides]
    return bool(
        classes.ndim == 1
        and weights.shape == classes.shape == model.n_support_.shape
        and (np.isfinite(weights) & (weights > 0)).all()
        and model.dual_coef_.shape[0] == len(classes) - isinstance(scheme, OneVsOne)
        and names == [claim.label for claim in model.certificate_.problems]
    )
