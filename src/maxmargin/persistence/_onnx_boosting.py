"""Boosts, bags and cascades as graphs.

Votes are added up in the order of the learners, one after another: the sums are those of the model to the last bit
wherever the learners' answers are, and ties fall the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CascadeClassifier,
    DecisionBox,
    DecisionPlane,
    DecisionStump,
)
from ._onnx_graph import Graph, Prediction, Value, write_model, writes
from ._onnx_trees import CLASSIFIERS, REGRESSORS, Trees, as_read_by, sum_over_trees


def _alike(learners: list, *classes: type) -> bool:
    """Whether all learners are of the same class, which is one of these, and read tables of numbers."""
    kinds = {type(learner) for learner in learners}
    plain = all(getattr(learner, "_categories", None) is None for learner in learners)
    return len(kinds) == 1 and kinds <= set(classes) and plain


# -------------------------------------------------------------------- what cuts the rows in two parts


class _Parts:
    """Many weak learners of one class: on which side of each of them rows lie."""

    def __init__(self, learners: list) -> None:
        self.learners, self.kind = learners, type(learners[0])

    def table(self, name: str) -> np.ndarray:
        """An attribute of all learners, one row each."""
        return np.array([getattr(learner, name) for learner in self.learners])

    def second(self, graph: Graph, X: Value, k: Value) -> Value:
        """Whether rows lie in the second part of learner k, of shape (N,)."""
        if self.kind is DecisionStump:
            feature = self.table("feature_")
            # without a column to part the rows by, all are on the first side
            threshold = np.where(feature < 0, np.inf, self.table("threshold_"))
            values = X.apply("Gather", graph.take(np.maximum(feature, 0), k), axis=1)
            return values > graph.take(threshold, k)
        if self.kind is DecisionBox:
            outside = (X <= graph.take(self.table("lower_"), k)) | (X > graph.take(self.table("upper_"), k))
            return ~outside.any()
        centre, scale = graph.take(self.table("_centre"), k), graph.take(self.table("_scale"), k)
        along = ((X - centre) * scale) @ graph.take(self.table("_direction")[:, :, None], k)
        return along.flat() > graph.take(self.table("_cut"), k)


_WEAK = (DecisionStump, DecisionBox, DecisionPlane)


@writes(*_WEAK)
def _write_weak(graph: Graph, model: Any, X: Value) -> Prediction:
    second = _Parts([model]).second(graph, X, graph.constant(0)).to(int)
    return Prediction(model.classes_, graph.take(model._leaves, second), probabilities=graph.take(model.value_, second))


# -------------------------------------------------------------------- boosts


def _one_hot_rows(classes: np.ndarray, count: int, vote: float) -> np.ndarray:
    """The vote at the number of the class, in each row."""
    out = np.zeros((len(classes), count))
    out[np.arange(len(classes)), classes] = vote
    return out


def _polls(graph: Graph, model: AdaBoostClassifier, X: Value) -> Value:
    """Votes for each class."""
    learners, votes, K = model.estimators_, model._votes, len(model.classes_)
    if _alike(learners, *_WEAK):
        parts = _Parts(learners)
        shares = np.array([_one_hot_rows(w._leaves, K, v) for w, v in zip(learners, votes, strict=True)])

        def add(k: Value, polls: Value) -> tuple[list[Value], list[Value]]:
            side = parts.second(graph, X, k).to(int)
            return [polls + graph.take(graph.take(shares, k), side)], []

        return graph.loop(len(learners), [graph.zeros(X, K)], add)[0]
    if _alike(learners, *CLASSIFIERS):
        tables = []
        for learner, vote in zip(learners, votes, strict=True):
            best = np.argmax(learner.tree_.value[:, 0], axis=1)
            tables.append(_one_hot_rows(_numbers(learner, model.classes_)[best], K, vote))
        return sum_over_trees(graph, as_read_by(graph, learners[0], X), Trees.of(learners), tables)
    polls = graph.zeros(X, K)
    for learner, vote in zip(learners, votes, strict=True):
        polls = polls + _said(graph, learner, model.classes_, X).one_hot(K).to(float) * float(vote)
    return polls


def _said(graph: Graph, learner: Any, classes: np.ndarray, X: Value) -> Value:
    """The numbers, among these classes, of those that a learner predicts."""
    index = write_model(graph, learner, X).index
    if index is None:
        raise ValueError(f"{type(learner).__name__} is a learner of classes here, but predicts values.")
    return graph.take(_numbers(learner, classes), index)


def _numbers(learner: Any, classes: np.ndarray) -> np.ndarray:
    """The numbers of a learner's classes among those of the whole."""
    return np.searchsorted(classes, learner.classes_)


def _decide(graph: Graph, model: AdaBoostClassifier, X: Value) -> Value:
    """Decision values of a boost, of shape (N,) for two classes."""
    K, total, polls = len(model.classes_), float(model._votes.sum()), _polls(graph, model, X)
    scores = (polls - (total - polls) * (1 / (K - 1))) / total
    return scores.columns(1) - scores.columns(0) if K == 2 else scores


@writes(AdaBoostClassifier)
def _write_boost(graph: Graph, model: Any, X: Value) -> Prediction:
    K = len(model.classes_)
    if K == 1:
        nothing = graph.zeros(X, 1)
        return Prediction(model.classes_, graph.zeros(X, kind=int), nothing, nothing + 1.0, width=1)
    decision = _decide(graph, model, X)
    if K == 2:
        column = decision.as_column()
        shares = (graph.concat([-column, column]) / 2.0).apply("Softmax", axis=1)
        return Prediction(model.classes_, (decision > 0.0).to(int), decision, shares)
    shares = (decision / float(K - 1)).apply("Softmax", axis=1)
    return Prediction(model.classes_, decision.argmax(), decision, shares, width=K)


@writes(AdaBoostRegressor)
def _write_boosted_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    learners, votes = model.estimators_, model._votes
    if _alike(learners, *REGRESSORS):
        said = np.concatenate([learner.tree_.value[:, 0, 0] for learner in learners])
        values = graph.take(said, Trees.of(learners).leaves(graph, as_read_by(graph, learners[0], X)))
    else:
        values = graph.concat([_value(graph, learner, X).as_column() for learner in learners])
    # the smallest value with half of the votes at or below it
    ordered, order = graph.top(values, len(votes), largest=False)
    share = graph.op("CumSum", graph.take(votes, order), np.array(1), kind=float)
    place = (share >= 0.5 * share.columns([len(votes) - 1])).argmax()
    return Prediction(value=graph.pick(ordered, place))


def _value(graph: Graph, learner: Any, X: Value) -> Value:
    said = write_model(graph, learner, X)
    if said.value is None or said.width is not None:
        name = type(learner).__name__
        raise ValueError(f"{name} is a learner of values here, but predicts more: it cannot be exported to ONNX.")
    return said.value


# -------------------------------------------------------------------- bags


@writes(BaggingClassifier)
def _write_bagged_classifier(graph: Graph, model: Any, X: Value) -> Prediction:
    learners, K = model.estimators_, len(model.classes_)
    if _alike(learners, *CLASSIFIERS):
        tables = []
        for learner in learners:  # they know classes by their numbers
            table = np.zeros((learner.tree_.node_count, K))
            table[:, learner.classes_] = learner.tree_.value[:, 0]
            tables.append(table)
        trees = Trees.of(learners, model.estimators_features_)
        sums = sum_over_trees(graph, as_read_by(graph, learners[0], X), trees, tables)
    else:
        sums = graph.zeros(X, K)
        for learner, columns in zip(learners, model.estimators_features_, strict=True):
            sums = sums + _shares(graph, learner, K, X.columns(columns))
    shares = sums / float(len(learners))
    decision, width = _mean_decision(graph, model, X)
    return Prediction(model.classes_, shares.argmax(), decision, shares, width=width)


def _shares(graph: Graph, learner: Any, K: int, X: Value) -> Value:
    """A learner's probabilities of all classes, or its vote where it has none."""
    said = write_model(graph, learner, X)
    numbers = _numbers(learner, np.arange(K))
    if said.probabilities is not None:
        return said.probabilities @ np.eye(K)[numbers]
    if said.index is None:
        raise ValueError(f"{type(learner).__name__} is a learner of classes here, but predicts values.")
    return graph.take(np.eye(K)[numbers], said.index)


def _mean_decision(graph: Graph, model: BaggingClassifier, X: Value) -> tuple[Value | None, int | None]:
    """The mean of the learners' decision values, where they have any."""
    total, width = None, None
    for learner, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        if not hasattr(learner, "decision_function"):
            return None, None
        said = write_model(graph, learner, X.columns(columns))
        if said.decision is None or (total is not None and said.width != width):
            return None, None
        width, total = said.width, said.decision if total is None else total + said.decision
    assert total is not None
    return total / float(len(model.estimators_)), width


@writes(BaggingRegressor)
def _write_bagged_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    learners = model.estimators_
    if _alike(learners, *REGRESSORS) and all(learner.n_outputs_ == 1 for learner in learners):
        trees, tables = Trees.of(learners, model.estimators_features_), [m.tree_.value[:, 0] for m in learners]
        sums = sum_over_trees(graph, as_read_by(graph, learners[0], X), trees, tables).flat()
    else:
        sums = graph.zeros(X)
        for learner, columns in zip(learners, model.estimators_features_, strict=True):
            sums = sums + _value(graph, learner, X.columns(columns))
    return Prediction(value=sums / float(len(learners)))


# -------------------------------------------------------------------- cascades


@writes(CascadeClassifier)
def _write_cascade(graph: Graph, model: Any, X: Value) -> Prediction:
    values, carried = graph.zeros(X), graph.zeros(X)
    alive, last = graph.zeros(X) > -1.0, len(model._stages) - 1
    for number, stage in enumerate(model._stages):
        votes = _decide(graph, stage.model, X) * float(stage.factor)
        carried = carried + votes if model._carry else votes
        ahead = carried - float(stage.threshold)
        passed = ahead > 0.0
        scaled = ahead / (2.0 * (1.0 + ahead.apply("Abs")))
        here = graph.where(passed, scaled, scaled.apply("Min", -1e-12) + float(number - last))
        values, alive = graph.where(alive, here, values), alive & passed
    if model.positive_ != model.classes_[1]:
        values = -values
    return Prediction(model.classes_, (values > 0.0).to(int), values)
