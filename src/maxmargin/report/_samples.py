"""The rows that deserve a look: those that the model gets wrong with confidence, and those that it leans on most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates import CASES, KKTCases
from ..estimators import TrainingDataError
from ..messages import jsonable
from ..svm import is_large
from ._data import columns_of
from ._subject import CLUSTERS, ONE_CLASS, REGRESSION, Rows, Subject
from ._words import count, looks_numeric, number, plural, shortened, value_text

_MOST_ROWS = 10
_MOST_VALUES = 8
_INSIDE_WRONG = CASES.index("inside, misclassified")


def samples_section(subject: Subject, dropped: Sequence[str] = ()) -> dict[str, Any]:
    """Groups of rows, each with a reason, figures and values; columns that the model does not use are left out."""
    groups = [group for group in _groups(subject) if group is not None]
    columns = [j for j, name in enumerate(subject.names) if name not in set(dropped)]
    shown = columns[:_MOST_VALUES]
    for group in groups:
        rows: Rows = group.pop("of")
        found = group.pop("found")
        values = _values(rows.X, found, shown)
        for line, cells in zip(group["rows"], values, strict=True):
            line["cells"] += cells
        group["numeric"] = [
            all(map(looks_numeric, cells)) for cells in zip(*(r["cells"] for r in group["rows"]), strict=True)
        ]
    sparse = sp.issparse(subject.whole.X)
    return {
        "groups": groups,
        "columns": ["stored values"] if sparse else [shortened(subject.names[j], 40) for j in shown],
        "left_out": 0 if sparse else len(columns) - len(shown),
        "apart": subject.apart,
    }


def _groups(subject: Subject) -> list[dict[str, Any] | None]:
    if subject.task == REGRESSION:
        return [_furthest_off(subject)]
    if subject.task == CLUSTERS:
        return [_between_clusters(subject)]
    if subject.task == ONE_CLASS:
        return [_outliers(subject)]
    margin = _margin(subject) if subject.trained is not None and hasattr(subject.estimator, "n_support_") else []
    return [_confidently_wrong(subject), *margin]


def _group(
    title: str, words: str, names: Sequence[str], rows: Rows, found: np.ndarray, figures: Sequence[Sequence[str]],
    total: int,
) -> dict[str, Any] | None:  # fmt: skip
    if not len(found):
        return None
    return {
        "title": title,
        "words": words,
        "names": list(names),
        "rows": [{"row": int(rows.numbers[i]), "cells": list(cells)} for i, cells in zip(found, figures, strict=True)],
        "left_out": total - len(found),
        "of": rows,
        "found": found,
    }


def _confidently_wrong(subject: Subject) -> dict[str, Any] | None:
    """Judging rows of the wrong class, those first of which the model was surest."""
    truth, said = subject.labels, subject.predicted_labels
    wrong = np.flatnonzero(truth != said)
    sure, what = _confidence(subject)
    order = wrong[np.argsort(-sure[wrong], kind="stable")][:_MOST_ROWS] if sure is not None else wrong[:_MOST_ROWS]
    where = "held-out rows" if subject.held_out else "rows"
    names = ["is", "predicted"] + ([what] if sure is not None else [])
    figures = [
        [shortened(subject.class_names[truth[i]], 40), shortened(subject.class_names[said[i]], 40)]
        + ([number(float(sure[i]), 3)] if sure is not None else [])
        for i in order
    ]
    words = f"{plural(len(wrong), 'row')} of {count(len(truth))} {'is' if len(wrong) == 1 else 'are'} predicted wrong"
    words += ", those of which the model was surest first: the label may be wrong, or the columns may lack something."
    return _group(f"Confidently wrong {where}", words, names, subject.judged, order, figures, len(wrong))


def _confidence(subject: Subject) -> tuple[np.ndarray | None, str]:
    n = np.arange(len(subject.judged))
    if subject.probabilities is not None:
        return subject.probabilities[n, subject.predicted_labels], "probability"
    if subject.decisions is None:
        return None, ""
    values = subject.decisions
    if values.ndim == 1:
        return np.abs(values), "decision value"
    first = values[n, subject.predicted_labels]
    others = values.copy()
    others[n, subject.predicted_labels] = -np.inf
    return first - others.max(axis=1), "ahead by"


def _margin(subject: Subject) -> list[dict[str, Any] | None]:
    rows = subject.trained
    assert rows is not None
    try:
        cases = subject.estimator.kkt_cases(subject.trained_as_seen, rows.y, subject.sample_weight)
    except TrainingDataError:  # the section of the proof says that the model is refuted on these rows
        return []
    wrong = _once(cases, np.flatnonzero(cases.case == _INSIDE_WRONG), cases.slack)
    # many multipliers are at the bound: of equals, those with most slack come first
    heavy = _once(cases, np.flatnonzero(cases.multiplier > 0), cases.multiplier, cases.slack)
    heavy = heavy[~np.isin(cases.sample[heavy], cases.sample[wrong])]
    several = len(subject.class_names) > 2
    in_problems = " in one of the problems" if several else ""
    labels = subject.numbered(rows.y)
    large = is_large(subject.estimator)  # its rows are told apart by place, not by what they weigh

    def figures(entries: np.ndarray) -> list[list[str]]:
        return [
            [
                shortened(subject.class_names[labels[cases.sample[e]]], 40),
                number(float(cases.margin[e]), 3),
                number(float(cases.slack[e]), 3),
                *([] if large else [number(float(cases.multiplier[e]), 3)]),
            ]
            for e in entries
        ]

    names = ["class", "margin", "slack"] + ([] if large else ["multiplier"])
    first, second = wrong[:_MOST_ROWS], heavy[: 0 if large else _MOST_ROWS]
    return [
        _group(
            "Inside the margin, misclassified",
            f"{plural(len(wrong), 'training row')} misclassified{in_problems}, the largest slack first. "
            "The model pays for each; a label may be wrong.",
            names, rows, cases.sample[first], figures(first), len(wrong),
        ),
        _group(
            "The largest multipliers",
            f"Of {plural(len(heavy), 'other support vector')}, those with the largest influence on the boundary: "
            "without them the model would change most.",
            names, rows, cases.sample[second], figures(second), len(heavy),
        ),
    ]  # fmt: skip


def _once(cases: KKTCases, entries: np.ndarray, *sizes: np.ndarray) -> np.ndarray:
    """Entries by size, of each row only the largest: of several problems a row may be part of many."""
    entries = entries[np.lexsort([-size[entries] for size in reversed(sizes)])]
    _, first = np.unique(cases.sample[entries], return_index=True)
    return entries[np.sort(first)]


def _furthest_off(subject: Subject) -> dict[str, Any] | None:
    truth, said = np.asarray(subject.judged.y, dtype=np.float64), np.asarray(subject.predicted, dtype=np.float64)
    off = truth - said
    order = np.argsort(-np.abs(off), kind="stable")[:_MOST_ROWS]
    where = "held-out rows" if subject.held_out else "rows"
    spread = float(np.median(np.abs(off))) or 1.0
    return _group(
        f"Furthest off, of the {where}",
        f"Half of all residuals are smaller than {number(spread, 3)} in size.",
        ["is", "predicted", "residual", "in medians"],
        subject.judged,
        order,
        [[number(truth[i]), number(said[i]), number(off[i], 3), f"{abs(off[i]) / spread:.1f}"] for i in order],
        len(truth),
    )


def _outliers(subject: Subject) -> dict[str, Any] | None:
    values = subject.decisions
    if values is None:
        return None
    order = np.argsort(values, kind="stable")[:_MOST_ROWS]
    outside = int((values < 0).sum())
    return _group(
        "Furthest outside",
        f"{plural(outside, 'row')} of {count(len(values))} outside of what the model takes for normal (decision value "
        "below 0).",
        ["decision value"],
        subject.judged,
        order,
        [[number(float(values[i]), 3)] for i in order],
        len(values),
    )


def _between_clusters(subject: Subject) -> dict[str, Any] | None:
    """Rows almost as near to another centre as to their own; only of methods with centres."""
    if not hasattr(subject.estimator, "transform"):
        return None
    distance = np.asarray(subject.estimator.transform(subject.judged_as_seen), dtype=np.float64)
    if distance.shape[1] < 2:
        return None
    near = np.argsort(distance, axis=1, kind="stable")[:, :2]
    n = np.arange(len(distance))
    own, other = distance[n, near[:, 0]], distance[n, near[:, 1]]
    ratio = np.divide(own, other, out=np.ones_like(own), where=other > 0)
    order = np.argsort(-ratio, kind="stable")[:_MOST_ROWS]
    return _group(
        "Between two clusters",
        "Rows that are almost as near to another centre as to their own.",
        ["cluster", "next", "distance", "to the next"],
        subject.judged,
        order,
        [[str(near[i, 0]), str(near[i, 1]), number(own[i], 3), number(other[i], 3)] for i in order],
        len(distance),
    )


def _values(X: Any, rows: np.ndarray, columns: Sequence[int]) -> list[list[str]]:
    """The values of some rows in some columns, as text; of sparse rows what is stored."""
    if sp.issparse(X):
        table = sp.csr_array(X)[rows]
        return [[_stored(table, i)] for i in range(len(rows))]
    taken = Rows(X, None, np.arange(X.shape[0] if hasattr(X, "shape") else len(X))).take(np.asarray(rows))
    values = columns_of(taken.X)
    return [[value_text(jsonable(values[j][i])) for j in columns] for i in range(len(rows))]


def _stored(table: Any, i: int) -> str:
    begin, end = table.indptr[i], table.indptr[i + 1]
    pairs = zip(table.indices[begin:end].tolist(), table.data[begin:end].tolist(), strict=True)
    shown = [f"{j}: {number(value, 3)}" for j, value in list(pairs)[:_MOST_VALUES]]
    more = int(end - begin) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "") if shown else "none"
