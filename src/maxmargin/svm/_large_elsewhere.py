"""Machines of many rows that are elsewhere, on a cluster: the bounds of their problems, and the audit of what is kept.

What is at hand are vectors with an entry a row: labels, weights, multipliers. Kernel values are asked of a `Gram` that
has them computed where the rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..certificates import (
    Certificate,
    Evidence,
    Status,
    evaluate_bracket,
    lower_bound,
    sampled_lower_bound,
    scaled_bound,
)
from ..kernels import Gram
from ..problems import BoxQP
from ..solvers import feasible
from ._bracketed import Bracketed, certificates_of
from ._input import part_of
from ._large_fit import keep_bracketed
from ._model import keep_classes
from ._one_vs_one import OneVsOne, Pair
from ._one_vs_rest import OneVsRest, scheme_of
from ._verify import Audit, confirmed, is_whole, refuted


@dataclass(frozen=True, eq=False)
class RemoteProblems:
    """The binary problems of labels and weights.

    Attributes
    ----------
    rows : object
        Has a ``shape``, ``rows[index]`` fetches some, and ``sparse`` says whether those are CSR rows.
    classes, label, weight, class_weight : ndarray
        As in `Classes` of a fit.
    scheme, pairs
        How they are kept, and what they are of.
    problems : list of BoxQP
        By the matrix of all rows.

    """

    rows: Any
    classes: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    class_weight: np.ndarray
    scheme: OneVsOne | OneVsRest
    pairs: list[Pair]
    problems: list[BoxQP]

    @classmethod
    def of(
        cls,
        machine: Any,
        gram: Gram,
        rows: Any,
        classes: np.ndarray,
        label: np.ndarray,
        weight: np.ndarray,
        class_weight: np.ndarray,
        scheme: OneVsOne | OneVsRest | None = None,
    ) -> RemoteProblems:
        """As the formulation of the machine says; `scheme` is that of a fitted one."""
        scheme = scheme_of(machine.multi_class, len(classes)) if scheme is None else scheme
        pairs, bound, formulation = scheme.pairs(label, weight), weight * class_weight[label], machine._formulation()
        problems = [formulation.problem(part_of(gram, pair.rows), pair.sign, bound[pair.rows]) for pair in pairs]
        return cls(rows, classes, label, weight, class_weight, scheme, pairs, problems)

    @property
    def names(self) -> list[str]:
        """Of the problems."""
        return [pair.label(self.classes) for pair in self.pairs]

    def coefficients(self, k: int, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Coefficients of problem k, by the numbers of rows that have some."""
        out = np.zeros(len(self.label))
        out[rows] = values
        return out[self.pairs[k].rows]


def bracketed(
    problem: BoxQP,
    coefficients: np.ndarray,
    beta: np.ndarray,
    gap_tol: float,
    random: np.random.Generator | None = None,
) -> tuple[Evidence, np.ndarray]:
    """What coefficients and multipliers prove, and the multipliers: a multiple of them, where that proves more.

    With a generator the lower bound is one by a sample of rows, which it draws.
    """
    beta = feasible(problem, beta)
    if random is not None:
        found = sampled_lower_bound(problem, beta, np.flatnonzero(coefficients), random)
        return evaluate_bracket(problem, coefficients, found.beta, below=found), found.beta
    below, linear = lower_bound(problem, beta), float(problem.p @ beta)
    if 0 < below.square < np.inf and linear < (1 - min(gap_tol, 1.0) / 10) * below.square:
        beta, below = scaled_bound(problem, beta, below, max(linear / below.square, 0.0))
    return evaluate_bracket(problem, coefficients, beta, below=below), beta


def keep_remote(machine: Any, data: RemoteProblems, gamma: float, found: Sequence[Bracketed]) -> list[Certificate]:
    """The fitted attributes; returns the certificates."""
    models = [(f.coefficients, float(f.evidence.intercepts[0])) for f in found]
    machine.class_weight_ = data.class_weight
    keep_classes(machine, data.rows, gamma, data.scheme, data.pairs, models, data.label, data.classes)
    multipliers = data.scheme.pack([f.beta for f in found], data.pairs, data.label)
    machine.n_iter_ = np.array([f.iterations for f in found])
    keep_bracketed(machine, data.problems, found, multipliers)
    return certificates_of(found, data.names)


def audit_remote(
    machine: Any, gamma: float, known: Callable[[OneVsOne | OneVsRest], RemoteProblems], own: Callable[[], np.ndarray]
) -> list[Certificate]:
    """The certificates again, from the model alone.

    `gamma` is what the parameters ask for; `known` makes the problems, `own` the model's decision values of all rows.
    """
    claims = machine.certificate_.problems
    if not is_whole(machine):
        return refuted(claims)
    try:
        with np.errstate(all="ignore"):
            audits = _audits(machine, gamma, known, own)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        audits = []  # what a model was made to hold fails in ways that cannot be foreseen
    if len(audits) != len(claims):
        return refuted(claims)
    formulation = machine._formulation()
    return [
        confirmed(audit, formulation.comparable(claim, audit.evidence, audit.tolerance), formulation.gap_tol)
        for audit, claim in zip(audits, claims, strict=True)
    ]


def _audits(machine: Any, gamma: float, known: Callable[..., RemoteProblems], own: Callable[[], np.ndarray]) -> list:
    if not abs(gamma - machine._gamma) <= 1e-9 * abs(machine._gamma):
        return []
    data = known(machine._fitted_scheme())
    n = len(data.label)
    fits = machine.multipliers_.shape == (machine.dual_coef_.shape[0], n) and machine._support_is_of(data.rows)
    if not (fits and machine._belongs_to(data.classes[data.label])):
        return []
    values = own()
    kept = [m for m in (machine._spread(n), machine.multipliers_.toarray())]
    coefficients, betas = (data.scheme.unpack(m, data.pairs, data.label) for m in kept)
    audits: list[Audit] = [
        machine._audit(problem, c, beta, k, values[pair.rows, k])
        for k, (pair, problem, c, beta) in enumerate(zip(data.pairs, data.problems, coefficients, betas, strict=True))
    ]
    return audits


def status_of(evidence: Evidence, gap_tol: float, stopped: bool) -> Status:
    """How a fit on landmarks has ended."""
    if evidence.confidence == 1 and evidence.relative_gap <= gap_tol:
        return Status.CONVERGED
    return Status.INTERRUPTED if stopped else Status.STALLED
