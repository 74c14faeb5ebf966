"""Ensembles: what their members ask for, and how they vote on a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ensemble import AdaBoostBase, Forest, GradientBoosting, member_importances
from ..messages import counted, listed, number
from ..tree import checked_columns
from . import _boosting, _gradient
from ._results import ModelExplanation, RowExplanation, Table
from ._rules import learner_in_words
from ._shares import importances, learned, number_row, on_training, shares_row, steps_table, true_label
from ._subject import Row, Subject, Training, quiet_names
from ._tree import changes, way_of


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    if isinstance(model, AdaBoostBase):
        return _boosting.explain_model(subject, training)
    if isinstance(model, GradientBoosting):
        return _gradient.explain_model(subject, training)
    if hasattr(model, "_stages"):
        return _cascade(subject, training)
    if not hasattr(model, "estimators_"):
        return _weak(subject, training)
    members = member_importances(model)
    facts: dict[str, Any] = {"members": len(model.estimators_)}
    if isinstance(model, Forest):
        trees = [member.tree_ for member in model.estimators_]
        facts["depth of the trees"] = _ends([t.max_depth for t in trees])
        facts["leaves of the trees"] = _ends([t.n_leaves for t in trees])
    if hasattr(model, "classes_"):
        facts["classes"] = listed(model.classes_, 6)
    facts |= on_training(subject, training)
    proof = model.certificate_
    error = next((value for name, value in proof.figures.items() if name.startswith("out-of-bag")), None)
    if proof.kind == "estimate" and error is not None:
        facts["out-of-bag estimate"] = f"{number(error)} +- {number(proof.figures['standard error'], missing='nan')}"
    tables = {} if members is None else {"importances": importances(subject.columns, members.mean(axis=0), members)}
    kind = type(model.estimators_[0]).__name__
    words = f"is the mean of {counted(len(model.estimators_), 'learner')} ({kind})."
    notes = ("importances say what the members have used on their training rows.",) if tables else ()
    family = "forest" if isinstance(model, Forest) else "bagging"
    return learned(model, family, words, facts, tables=tables, notes=notes)


def _ends(values: list[int]) -> str:
    return f"{min(values)} to {max(values)}, median {int(np.median(values))}"


def _cascade(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    heads = ("stage", "learners", "detection", "false positive rate", "threshold")
    rows = [(k + 1, len(s), s.detection, s.false_positive_rate, s.threshold) for k, s in enumerate(model._stages)]
    facts = {"positive class": model.positive_, "stages": len(model._stages), **on_training(subject, training)}
    words = f"sends rows through {counted(len(model._stages), 'stage')}; what passes all of them is {model.positive_}."
    tables = {"stages": Table.of("stages, with their rates on the rows that reached them", heads, rows)}
    return learned(model, "cascade", words, facts, tables=tables)


def _weak(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    classes = [str(c) for c in model.classes_]
    rows = [("first part", *model.value_[0]), ("second part", *model.value_[1])]
    return ModelExplanation(
        model=type(model).__name__,
        family="weak learner",
        summary=f"{type(model).__name__}: {learner_in_words(model, subject.columns)}.",
        facts=on_training(subject, training),
        tables={"parts": Table.of("shares of the classes", ("part", *classes), rows)},
    )


# ---------------------------------------------------------------- one row


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    model = subject.model
    if isinstance(model, AdaBoostBase):
        return _boosting.explain_row(subject, row, training, label)
    if isinstance(model, GradientBoosting):
        return _gradient.explain_row(subject, row, label)
    if hasattr(model, "_stages"):
        return _cascade_row(subject, row, label)
    if not hasattr(model, "estimators_"):
        with quiet_names():
            shares = model.predict_proba(row.seen)[0]
        note = (f"the rule is: {learner_in_words(model, subject.columns)}.",)
        return shares_row(model, "weak learner", shares, label, contributions=None, tables={}, notes=note)
    if isinstance(model, Forest):
        return _forest_row(subject, row, label)
    return _bagging_row(subject, row, label)


def _forest_row(subject: Subject, row: Row, label: Any) -> RowExplanation:
    model = subject.model
    with quiet_names():
        seen = checked_columns(model, row.seen, reset=False)
        said = model.predict_proba(row.seen)[0] if hasattr(model, "classes_") else model.predict(row.seen)
    best, count = int(np.argmax(said)), len(model.estimators_)
    classes = getattr(model, "classes_", None)
    parts: dict[str, float] = {}
    values: dict[str, Any] = {}
    start, leaves = 0.0, []
    for member in model.estimators_:
        tree = member.tree_
        way = way_of(tree, seen)
        value = tree.value[:, 0, best]
        mine, given = changes(subject, row, tree, way, value)
        parts = {name: parts.get(name, 0.0) + mine.get(name, 0.0) / count for name in {**parts, **mine}}
        values |= given
        start += float(value[0]) / count
        leaves.append(tree.value[way[-1], 0])
    what = "the prediction" if classes is None else f"the share of {classes[best]}"
    table: Table | None = steps_table(list(parts), values, parts, start, what)
    if classes is None:
        tables = {"votes": _spread([float(leaf[0]) for leaf in leaves])}
        return number_row(model, "forest", float(said[0]), label, contributions=table, tables=tables)
    notes: tuple[str, ...] = ()
    if model.combine != "mean":
        table, notes = None, ("shares are multiplied, not averaged: they have no parts that add up.",)
    tables = {"votes": _votes(classes, np.array(leaves))}
    return shares_row(model, "forest", said, label, contributions=table, tables=tables, notes=notes)


def _votes(classes: np.ndarray, shares: np.ndarray) -> Table:
    """For each class, the members that vote for it, and the mean of what they give it."""
    votes = np.bincount(shares.argmax(axis=1), minlength=len(classes))
    order = np.argsort(-shares.mean(axis=0), kind="stable").tolist()
    rows = [(classes[k], int(votes[k]), float(shares[:, k].mean())) for k in order]
    return Table.of(f"votes of {counted(len(shares), 'member')}", ("class", "votes", "mean share"), rows)


def _spread(said: list[float]) -> Table:
    """What the members say, from the smallest to the largest."""
    names = ("smallest", "first quartile", "median", "third quartile", "largest")
    rows = list(zip(names, np.quantile(said, [0.0, 0.25, 0.5, 0.75, 1.0]), strict=True))
    return Table.of(f"what {counted(len(said), 'member')} say", ("of the members", "prediction"), rows)


def _bagging_row(subject: Subject, row: Row, label: Any) -> RowExplanation:
    model = subject.model
    with quiet_names():
        X = model._rows(row.seen)
        pairs = list(zip(model.estimators_, model.estimators_features_, strict=True))
        said = [np.ravel(model._says(member, X[:, columns])) for member, columns in pairs]
        prediction = subject.predicted(row.seen)[0]
    if hasattr(model, "classes_"):
        shares = np.array(said)
        tables = {"votes": _votes(model.classes_, shares)}
        return shares_row(model, "bagging", shares.mean(axis=0), label, contributions=None, tables=tables)
    if np.ndim(prediction):
        raise ValueError(f"explanations are of one target; this {type(model).__name__} has {np.size(prediction)}.")
    tables = {"votes": _spread([float(value[0]) for value in said])}
    return number_row(model, "bagging", float(prediction), label, contributions=None, tables=tables)


def _cascade_row(subject: Subject, row: Row, label: Any) -> RowExplanation:
    model = subject.model
    with quiet_names():
        X = model._check_rows(row.seen)
        decision = float(model.decision_function(row.seen)[0])
        prediction = subject.predicted(row.seen)[0]
    rows, carried, passed = [], 0.0, True
    for k, stage in enumerate(model._stages):
        votes = float(stage.votes(X)[0])
        carried = carried + votes if model._carry else votes
        passed = carried > stage.threshold
        rows.append((k + 1, len(stage), carried, stage.threshold, "passes" if passed else "rejected"))
        if not passed:
            break
    heads = ("stage", "learners", "votes", "threshold", "result")
    other = next(c for c in model.classes_ if c != prediction)
    facts: dict[str, Any] = {"decision value": decision, "stages taken": f"{len(rows)} of {len(model._stages)}"}
    return RowExplanation.of(
        model,
        "cascade",
        f"predicts {prediction}, not {other}.",
        facts=facts | true_label(label, prediction, None),
        tables={"stages": Table.of("way through the stages", heads, rows)},
        prediction=prediction,
        decision=decision,
        between=(model.classes_[1], model.classes_[0]),
        margin=decision if (prediction if label is None else label) == model.classes_[1] else -decision,
    )
