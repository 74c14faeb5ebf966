"""The referee's word on searches: on their winners, refitted, and on machines of single cells and folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..datasets import Data
from ..kernel.cases import TOL
from ..kernel.judge import Judgement, judge_model
from .cases import Case, Folds
from .contenders import Found
from .fold_models import Cell, FoldModel

ROUNDING = 1.01  # a violation is compared with tol up to this factor: everybody stops just below it


@dataclass(frozen=True)
class Cells:
    """Worst figures of the machines that were judged; ``drift`` is how far their scores are from the search's."""

    judged: int
    violation: float
    gap: float
    drift: float

    @property
    def at_tolerance(self) -> bool:
        return self.violation <= ROUNDING * TOL

    def raw(self) -> dict[str, Any]:
        return {**vars(self), "at_tolerance": self.at_tolerance}


def judge_winner(case: Case, data: Data, found: Found) -> Judgement:
    machine = case.machine(found.best)
    return judge_model(machine, data.X, data.y, float(machine.gamma), found.multipliers)


def judge_cells(
    case: Case, data: Data, folds: Folds, found: Found, cells: Sequence[Cell], models: Sequence[FoldModel]
) -> Cells:
    verdicts = []
    for (candidate, fold), model in zip(cells, models, strict=True):
        machine, train = case.machine(candidate), folds[fold][0]
        X, y = data.X[train], data.y[train]
        verdicts.append(judge_model(machine, X, y, float(machine.gamma), model.multipliers))
    drift = [abs(m.score - found.scores[cell]) for cell, m in zip(cells, models, strict=True)]
    return Cells(
        judged=len(verdicts),
        violation=max(v.violation for v in verdicts),
        gap=max(v.worst_gap for v in verdicts),
        drift=float(np.max(drift)),
    )


def stated_at_tolerance(found: Found) -> bool:
    """Whether all cells are at the tolerance by what the search itself states, if it does."""
    return found.violation is None or bool(np.all(found.violation <= TOL))
