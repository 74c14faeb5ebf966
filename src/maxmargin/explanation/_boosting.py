"""Boosting: the learners that weigh most, and who voted how on a row.

Of two classes the decision value is 2 sum_t vote_t h_t(x) / sum_t vote_t with h_t = 1 for the second class and -1 for
the first; of K classes the difference of the two best scores, sum_t vote_t ([h_t = a] - [h_t = b]) K / (K - 1) over the
sum of votes. Learners that look at one feature are counted with that feature.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ..ensemble import AdaBoostClassifier
from ..messages import counted, listed
from ._results import ModelExplanation, RowExplanation, Table
from ._rules import learner_in_words
from ._shares import (
    CONTRIBUTION,
    against,
    decided,
    given_value,
    importances,
    learned,
    number_row,
    on_training,
    signed_margin,
    true_label,
)
from ._subject import Row, Subject, Training, quiet_names


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    votes, count = model._votes, len(model.estimators_)
    facts: dict[str, Any] = {"learners": count}
    if hasattr(model, "classes_"):
        facts["classes"] = listed(model.classes_, 6)
    facts |= on_training(subject, training)
    order = np.argsort(-votes, kind="stable").tolist()
    rows = [
        (t + 1, learner_in_words(model.estimators_[t], subject.columns), votes[t], votes[t] / votes.sum(),
         model.estimator_errors_[t])
        for t in order
    ]  # fmt: skip
    heads = ("round", "learner", "vote", "share of the votes", "weighted error")
    tables = {"learners": Table.of("learners with the largest weights", heads, rows)}
    found = _importances(model)
    if found is not None:
        tables["importances"] = importances(subject.columns, found)
    kind = type(model.estimators_[0]).__name__
    return learned(
        model, "boosting", f"weighs the votes of {counted(count, 'learner')} ({kind}).", facts, tables=tables
    )


def _importances(model: Any) -> np.ndarray | None:
    try:
        return model.feature_importances_
    except AttributeError:  # its learners have none
        return None


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    model = subject.model
    if isinstance(model, AdaBoostClassifier):
        return _classes(subject, row, label)
    with quiet_names():
        X = model._check_rows(row.seen)
        said = np.array([float(learner.predict(X)[0]) for learner in model.estimators_])
        prediction = float(model.predict(row.seen)[0])
    order = np.argsort(said, kind="stable").tolist()
    passed = np.cumsum(model._votes[order]) / model._votes.sum()
    rows = [(t + 1, said[t], model._votes[t], passed[k]) for k, t in enumerate(order)]
    table = Table.of("what the learners say, in order", ("round", "prediction", "vote", "votes so far"), rows)
    note = ("the prediction is the value at which half of the votes are reached: it has no parts that add up.",)
    return number_row(model, "boosting", prediction, label, contributions=None, tables={"votes": table}, notes=note)


def _classes(subject: Subject, row: Row, label: Any) -> RowExplanation:
    model, classes = subject.model, np.asarray(subject.model.classes_)
    with quiet_names():
        X = model._check_rows(row.seen)
        said = np.array([int(labels[0]) for labels in model._said(X)])
        prediction = subject.predicted(row.seen)[0]
        shares = model.predict_proba(row.seen)[0]
    votes, total, K = model._votes, float(model._votes.sum()), len(classes)
    polls = np.bincount(said, votes, minlength=K)
    best = int(np.searchsorted(classes, prediction))
    if K == 1:
        raise ValueError(f"this {type(model).__name__} knows one class only, {classes[0]}: there is nothing to decide.")
    positive, negative = _pair(polls, best, K)
    parts = votes * ((said == positive).astype(float) - (said == negative)) * (K / (K - 1)) / total
    decision = float(parts.sum())
    plane = SimpleNamespace(positive=classes[positive], negative=classes[negative])
    margin = signed_margin(decision, plane, prediction, label)
    facts = {
        "decision value": decided(decision, plane),
        "votes": ", ".join(f"{classes[k]}: {100 * polls[k] / total:.1f} %" for k in np.argsort(-polls).tolist()[:4]),
        **true_label(label, prediction, margin),
    }
    return RowExplanation.of(
        model,
        "boosting",
        f"predicts {prediction}{against(plane, prediction)}.",
        facts=facts,
        tables={"votes": _who_voted(subject, said, votes)},
        prediction=prediction,
        decision=decision,
        between=(plane.positive, plane.negative),
        margin=margin,
        probability=float(shares[best]),
        contributions=_by_feature(subject, row, parts),
    )


def _pair(polls: np.ndarray, best: int, K: int) -> tuple[int, int]:
    """The classes that the decision is about: the two, or the best and the runner-up."""
    if K == 2:
        return 1, 0
    others = np.delete(np.arange(K), best)
    return best, int(others[np.argmax(polls[others])])


def _who_voted(subject: Subject, said: np.ndarray, votes: np.ndarray) -> Table:
    model = subject.model
    order = np.argsort(-votes, kind="stable").tolist()
    rows = [
        (t + 1, learner_in_words(model.estimators_[t], subject.columns), model.classes_[said[t]], votes[t])
        for t in order
    ]
    return Table.of("votes of the learners, the largest first", ("round", "learner", "said", "vote"), rows)


def _by_feature(subject: Subject, row: Row, parts: np.ndarray) -> Table:
    """Parts of the decision value: learners of one feature by that feature, others one by one."""
    sums: dict[str, float] = {}
    values: dict[str, Any] = {}
    for t, learner in enumerate(subject.model.estimators_):
        feature = getattr(learner, "feature_", None)
        if isinstance(feature, (int, np.integer)) and feature >= 0:
            column = subject.columns[int(feature)]
            name = column.source or column.name
            values[name] = given_value(column, row)
        else:
            name = f"learner {t + 1}"
        sums[name] = sums.get(name, 0.0) + float(parts[t])
    order = sorted(sums, key=lambda name: -abs(sums[name]))
    rows = [(name, values.get(name), sums[name]) for name in order]
    title = "contributions that add up to the decision value"
    return Table.of(title, ("feature", "value", CONTRIBUTION), rows, CONTRIBUTION)
