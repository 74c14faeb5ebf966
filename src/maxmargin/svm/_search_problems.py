"""What a search over kernel machines trains: binary problems whose rows, labels and boxes all candidates share.

A fold is a box: samples that take no part in it (its test rows) have a box of no width. For one value of C it is
``C * low <= beta <= C * high``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function

from ..certificates import Certificate
from ..estimators import class_weights, keep_proof
from ..search import Fold, Outcome, SearchData
from ..solvers import Solution
from ._model import keep_classes, keep_one
from ._one_vs_one import OneVsOne, Pair

Box = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Problem:
    """One binary problem, or the only one of a regressor: rows of X, and the linear term of each."""

    rows: np.ndarray
    p: np.ndarray
    name: str = ""


@dataclass(frozen=True, eq=False)
class Trained:
    """One candidate in one fold: a solution for each problem that its training rows have (None: a class is missing)."""

    params: dict[str, float]
    points: list[Solution | None]
    seconds: float

    def certificates(self, problems: Sequence[Problem]) -> tuple[Certificate, ...]:
        found = [(p, s) for p, s in zip(problems, self.points, strict=True) if s is not None]
        share = self.seconds / len(found)
        return tuple(Certificate.of(s.evidence, s.status, s.iterations, share, p.name) for p, s in found)


class SearchProblems(ABC):
    """The problems of a search, the boxes of its folds, and how solutions become outcomes."""

    problems: list[Problem]
    epsilon: float = 0.0
    regression = False

    def __init__(
        self, data: SearchData, folds: Sequence[Fold], machine: Callable[..., Any], *, gamma: float = 0.0
    ) -> None:
        """`machine` makes one from the parameters of a candidate; `gamma` is that of candidates that have none."""
        self.data, self.folds, self.machine, self.gamma = data, folds, machine, gamma
        n = len(data.y)
        self.weights = np.ones(n) if data.weights is None else data.weights

    def gamma_of(self, trained: Trained) -> float:
        """The gamma of a candidate's machine."""
        return float(trained.params.get("gamma", self.gamma))

    @property
    def first_sign(self) -> int:
        """The sign of the class that LIBSVM lists first; 0 where there are none."""
        return 0 if self.regression else -1 if len(self.problems) == 1 else 1

    @abstractmethod
    def box(self, problem: int, fold: int) -> Box | None:
        """The box of a problem's rows for C = 1; None if there is nothing to train."""

    @abstractmethod
    def outcome(self, fold: int, trained: Trained, values: np.ndarray, wants_model: bool) -> Outcome:
        """What the search is given; `values` has the test rows' values, one column a problem (NaN: not trained)."""

    @abstractmethod
    def build(self, fold: int, trained: Trained) -> Any:
        """The fitted machine of a fold."""

    def _taking_part(self, fold: int) -> np.ndarray:
        """Weight of every row of X in training: 0 for those that are not trained on."""
        weight = np.zeros_like(self.weights)
        train = self.folds[fold].train
        weight[train] = self.weights[train]
        return weight


class ClassifierProblems(SearchProblems):
    """One problem for two classes, one a pair for more."""

    def __init__(
        self,
        data: SearchData,
        folds: Sequence[Fold],
        machine: Callable[..., Any],
        *,
        class_weight: Any,
        gamma: float = 0.0,
    ) -> None:
        super().__init__(data, folds, machine, gamma=gamma)
        assert data.classes is not None and data.label is not None
        self.classes, self.label = data.classes, data.label
        self.scheme = OneVsOne(len(self.classes))
        pairs = self.scheme.pairs(self.label, np.ones(len(self.label)))
        self.problems = [Problem(pair.rows, pair.sign, pair.label(self.classes)) for pair in pairs]
        self._class_weight = class_weight
        self._weights = [self._class_weighted(k) for k in range(len(folds))]

    def _class_weighted(self, fold: int) -> np.ndarray:
        """Weights with those of the classes, "balanced" by the training rows of the fold."""
        weight, train = self._taking_part(fold), self.folds[fold].train
        present = np.unique(self.label[train])
        of_class = np.zeros(len(self.classes))
        of_class[present] = class_weights(
            self._class_weight, self.classes[present], np.searchsorted(present, self.label[train])
        )
        return weight * of_class[self.label]

    def box(self, problem: int, fold: int) -> Box | None:
        rows, sign = self.problems[problem].rows, self.problems[problem].p
        weight = self._weights[fold][rows]
        low, high = np.where(sign < 0, -weight, 0.0), np.where(sign > 0, weight, 0.0)
        return (low, high) if low.any() and high.any() else None

    def outcome(self, fold: int, trained: Trained, values: np.ndarray, wants_model: bool) -> Outcome:
        certificates = trained.certificates(self.problems)
        build = partial(self.build, fold, trained)
        if len(self.classes) == 2:
            predictions = self.classes[self.scheme.vote(values)]
            return Outcome(values[:, 0], predictions, certificates, trained.seconds, build)
        present = np.unique(self.label[self.folds[fold].train[self.weights[self.folds[fold].train] > 0]])
        if len(present) < len(self.classes):
            values = values[:, [point is not None for point in trained.points]]
        scheme = OneVsOne(len(present))
        if len(present) == 2:  # the only pair that is left has its sides the other way round
            values = -values
        predictions = self.classes[present][scheme.vote(values)]
        decision = None
        if wants_model:
            decision = (
                values.ravel() if len(present) == 2 else _ovr_decision_function(values < 0, -values, len(present))
            )
        return Outcome(values, predictions, certificates, trained.seconds, build, decision)

    def build(self, fold: int, trained: Trained) -> Any:
        """The fitted machine of a fold."""
        machine, train = self.machine(**trained.params), self.folds[fold].train
        train = train[self.weights[train] > 0]
        present, label = np.unique(self.label[train], return_inverse=True)
        scheme = OneVsOne(len(present))
        pairs = scheme.pairs(label, np.ones(len(label)))
        models, steps = self._in_order_of(pairs, present, train, trained)
        X = self.data.X[train][:, train] if machine._kernel_name == "precomputed" else self.data.X[train]
        keep_classes(machine, X, self.gamma_of(trained), scheme, pairs, models, label, self.classes[present])
        machine.class_weight_ = class_weights(self._class_weight, self.classes[present], label)
        machine.n_iter_ = np.array(steps)
        return _with_proof(machine, trained.certificates(self.problems), X)

    def _in_order_of(
        self, pairs: list[Pair], present: np.ndarray, train: np.ndarray, trained: Trained
    ) -> tuple[list[tuple[np.ndarray, float]], list[int]]:
        """Coefficients and intercepts, and steps, of a machine that knows only the classes that are present."""
        found = [(q, s) for q, s in zip(self.problems, trained.points, strict=True) if s is not None]
        turned = -1.0 if len(present) == 2 < len(self.classes) else 1.0
        models = []
        for pair, (problem, point) in zip(pairs, found, strict=True):
            place = np.full(len(self.label), -1)
            place[problem.rows] = np.arange(len(problem.rows))
            beta = point.variables[place[train[pair.rows]]]
            models.append((turned * beta, turned * point.evidence.intercepts[0]))
        return models, [point.iterations for _, point in found]


class RegressorProblems(SearchProblems):
    """One problem: the targets, and a tube."""

    regression = True

    def __init__(self, data: SearchData, folds: Sequence[Fold], machine: Callable[..., Any], *, epsilon: float) -> None:
        super().__init__(data, folds, machine)
        self.problems = [Problem(np.arange(len(data.y)), data.y)]
        self.epsilon = float(epsilon)

    def box(self, problem: int, fold: int) -> Box | None:
        weight = self._taking_part(fold)
        return (-weight, weight) if weight.any() else None

    def outcome(self, fold: int, trained: Trained, values: np.ndarray, wants_model: bool) -> Outcome:
        certificates = trained.certificates(self.problems)
        build = partial(self.build, fold, trained)
        return Outcome(values[:, 0], values[:, 0], certificates, trained.seconds, build)

    def build(self, fold: int, trained: Trained) -> Any:
        machine, train = self.machine(**trained.params), self.folds[fold].train
        point = trained.points[0]
        assert point is not None
        X = self.data.X[train][:, train] if machine._kernel_name == "precomputed" else self.data.X[train]
        keep_one(machine, X, self.gamma_of(trained), point.variables[train], point.evidence.intercepts[0])
        machine.n_iter_ = point.iterations
        return _with_proof(machine, trained.certificates(self.problems), X)


def _with_proof(machine: Any, certificates: tuple[Certificate, ...], X: Any) -> Any:
    keep_proof(machine, certificates)
    machine.n_features_in_ = X.shape[1]
    return machine
