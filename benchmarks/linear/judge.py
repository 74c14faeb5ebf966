"""The referee's word on linear models: how far their objective is above the best bound that is proven.

There are up to two problems in a case, with the intercept free and with it penalised, and everybody is judged by the
one that it solves. Several classes are one problem each against the rest, added up, or the multinomial one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..referee import LinearProblem, Multinomial, Proof, binary, lower_bound, with_constant
from .cases import GAP, Case
from .contenders import Coefficients

ROUNDING = 1e-12


@dataclass(frozen=True)
class Judgement:
    """Objective, best proven bound, and the gap between them over the objective; sums over problems."""

    primal: float
    dual: float
    relative_gap: float
    penalised: bool
    gave_up: bool
    problems: int
    nonzeros: int  # coefficients that are not exactly 0

    @property
    def reached(self) -> bool:
        return self.relative_gap <= GAP

    def raw(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass
class Judge:
    """Judges all models of a case; the bounds are proven when the first model of their kind comes in."""

    case: Case
    X: Any
    y: np.ndarray
    _problems: dict[bool, list[LinearProblem]] = field(default_factory=dict)
    _proofs: dict[bool, list[Proof]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rows = with_constant(self.X)
        self._classes = np.unique(self.y)

    def __call__(self, model: Coefficients) -> Judgement:
        thetas = self._thetas(model)
        if model.penalised not in self._proofs:
            self._prove(model.penalised, thetas)
        primal = sum(p.value(t) for p, t in zip(self._problems[model.penalised], thetas, strict=True))
        dual = sum(proof.dual for proof in self._proofs[model.penalised])
        nonzeros = int(np.count_nonzero(model.coef))
        gap = (primal - dual) / max(abs(primal), 1e-300)
        gap = 0.0 if -ROUNDING < gap < 0 else gap  # anything further below would be the referee's mistake: show it
        return Judgement(primal, dual, gap, model.penalised, model.gave_up, len(thetas), nonzeros)

    def _prove(self, penalised: bool, thetas: list[np.ndarray]) -> None:
        """Bounds of a kind of problems, from the other kind's solutions if they are there, else from a model's."""
        self._problems[penalised] = self._make(free_intercept=not penalised)
        other = self._proofs.get(not penalised)
        starts = [proof.theta for proof in other] if other is not None else thetas
        pairs = zip(self._problems[penalised], starts, strict=True)
        self._proofs[penalised] = [lower_bound(problem, start) for problem, start in pairs]

    def _thetas(self, model: Coefficients) -> list[np.ndarray]:
        coef, intercept = np.atleast_2d(model.coef), np.ravel(model.intercept)
        theta = np.column_stack([coef, intercept]).astype(np.float64)
        expected = (1 if len(self._classes) == 2 else len(self._classes), self._rows.shape[1])
        if theta.shape != expected or not np.isfinite(theta).all():
            raise ValueError(f"coefficients of shape {expected} were expected, finite ones; got {theta.shape}")
        return [theta.ravel()] if self._multinomial else list(theta)

    @property
    def _multinomial(self) -> bool:
        return self.case.loss == "logistic" and len(self._classes) > 2

    def _make(self, free_intercept: bool) -> list[LinearProblem]:
        classes = self._classes
        if self._multinomial:
            if not free_intercept:
                raise ValueError("the multinomial model has a free intercept")
            return [Multinomial(self._rows, np.searchsorted(classes, self.y), self.case.C)]
        positive = classes[1:] if len(classes) == 2 else classes
        settings = {"C": self.case.C, "penalty": self.case.penalty, "free_intercept": free_intercept}
        return [binary(self._rows, np.where(self.y == c, 1, -1), self.case.loss, **settings) for c in positive]
