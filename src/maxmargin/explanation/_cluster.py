"""Clusters: their centres and sizes, and how far a row is from each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import counted
from ._results import ModelExplanation, RowExplanation, Table
from ._shares import learned, share
from ._subject import Row, Subject, Training, quiet_names

_MOST_COLUMNS = 4


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    labels = model.labels_
    centres = getattr(model, "cluster_centers_", None)
    # of equal rows there can be more centres than clusters
    sizes = np.bincount(labels[labels >= 0], minlength=0 if centres is None else len(centres))
    n, clusters = len(labels), int((sizes > 0).sum())
    heads, rows = ["cluster", "rows", "share"], [[k, int(s), share(int(s), n)] for k, s in enumerate(sizes)]
    notes: tuple[str, ...] = ()
    if centres is not None:
        spread = centres.std(axis=0)
        chosen = np.argsort(-spread, kind="stable")[:_MOST_COLUMNS].tolist()
        for j in chosen:
            column = subject.columns[j]
            heads.append(column.name)
            values = centres[:, j]
            if column.kind != "mixed" and column.scale != 0.0:
                values = (values - column.offset) / column.scale
            rows = [[*row, value] for row, value in zip(rows, values, strict=True)]
        if len(spread) > len(chosen):
            notes = (f"centres are shown in the {len(chosen)} columns in which they differ most, of {len(spread)}.",)
    facts: dict[str, Any] = {"clusters": clusters, "training rows": n}
    if hasattr(model, "inertia_"):
        facts["sum of squared distances"] = float(model.inertia_)
    words = f"divides {n} rows into {counted(clusters, 'cluster')}."
    return learned(model, "clusters", words, facts, tables={"clusters": Table.of("clusters", heads, rows)}, notes=notes)


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    model = subject.model
    if not hasattr(model, "cluster_centers_"):
        raise TypeError(
            f"{type(model).__name__} has no rule for rows that it was not fitted on: none can be explained."
        )
    with quiet_names():
        distances = np.asarray(model.transform(row.seen), dtype=np.float64)[0]
        own = int(subject.predicted(row.seen)[0])
    order = np.argsort(distances, kind="stable").tolist()
    sizes = np.bincount(model.labels_, minlength=len(distances))
    rows = [(k, distances[k], int(sizes[k])) for k in order]
    other = next((k for k in order if k != own), None)
    margin = None if other is None else float(distances[other] - distances[own])
    away = "" if other is None else f", not {other}"
    return RowExplanation.of(
        model,
        "clusters",
        f"puts the row into cluster {own}{away}.",
        facts={"distance from its centre": float(distances[own]), "further from the next one by": margin},
        tables={"centres": Table.of("distances from the centres", ("cluster", "distance", "rows"), rows)},
        prediction=own,
        decision=-float(distances[own]),
        between=None if other is None else (own, other),
        margin=margin,
    )
