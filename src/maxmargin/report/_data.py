"""The table: how many rows and columns, of what kind, what is missing, and how the targets are distributed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..messages import jsonable
from ._subject import Rows, Subject
from ._words import number, plural, shortened, value_text

MOST_COLUMNS = 60  # with a line of their own
MOST_CLASSES = 40
_MOST_COUNTED = 200_000  # rows of which the different values of a column are counted


def data_section(subject: Subject, account: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the data; the training's own summary of the table where there is one."""
    summary = account.get("summary")
    columns = _summarised(summary) if summary else _described(subject.whole.X, subject.names)
    target = account.get("target")
    kinds = Counter(column["kind"] for column in columns)
    rows = len(subject.whole) + (len(subject.judged) if subject.apart else 0)
    missing = sum(column["missing"] or 0 for column in columns)
    return {
        "rows": rows,
        "columns": len(subject.names),
        "kinds": dict(kinds.most_common()),
        "missing": missing,
        "missing_share": missing / max(1, rows * len(columns)),
        "sparse": _sparseness(subject.whole.X),
        "shown": columns[:MOST_COLUMNS],
        "left_out": max(0, len(columns) - MOST_COLUMNS),
        "target": target,
        "parts": _parts(subject),
        "classes": _classes(subject)[:MOST_CLASSES] if subject.classifies else [],
        "classes_left_out": max(0, len(subject.class_names) - MOST_CLASSES),
        "values": _values(subject.whole.y) if subject.task == "regression" else None,
        "notes": [str(note) for note in account.get("notes", ())],
    }


def _summarised(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": str(column["name"]),
            "kind": _kind(column),
            "missing": column.get("missing"),
            "distinct": column.get("distinct"),
            "example": shortened(value_text(column.get("example")), 60),
        }
        for column in summary.get("columns", ())
    ]


def _kind(column: Mapping[str, Any]) -> str:
    """What a column is taken for; of one that is left out, what it holds."""
    kind = str(column.get("kind", ""))
    kind = str(column.get("type", "")) if kind == "drop" else kind
    return "yes or no" if kind == "bool" or column.get("type") == "bool" else kind


def _described(X: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    if sp.issparse(X):
        return []
    return [{"name": name, **_described_column(values)} for name, values in zip(names, columns_of(X), strict=True)]


def columns_of(X: Any) -> list[np.ndarray]:
    """The values of each column of a data frame or an array."""
    if isinstance(X, np.ndarray) or not (hasattr(X, "columns") or hasattr(X, "column_names")):
        return list(np.asarray(X).T)
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    return [frame[name].to_numpy() for name in frame.columns]


def _described_column(values: np.ndarray) -> dict[str, Any]:
    if values.dtype.kind in "fiu":
        absent = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
        known = values[~absent]
        kind, example = "number", f"{number(known.min())} to {number(known.max())}" if len(known) else "–"
    else:
        absent = np.array([value is None or value != value for value in values.tolist()], dtype=bool)
        known = values[~absent]
        kind = {"b": "yes or no", "M": "date"}.get(values.dtype.kind, "text")
        example = value_text(jsonable(known[0])) if len(known) else "–"
    return {
        "kind": kind,
        "missing": int(absent.sum()),
        "distinct": _distinct(known),
        "example": shortened(example, 60),
    }


def _distinct(known: np.ndarray) -> int | None:
    if len(known) > _MOST_COUNTED:
        return None
    return len(set(map(str, known.tolist()))) if known.dtype == object else len(np.unique(known))


def _sparseness(X: Any) -> dict[str, Any] | None:
    if not sp.issparse(X):
        return None
    n, d = X.shape
    return {"stored": int(X.nnz), "share": X.nnz / max(1, n * d)}


def _parts(subject: Subject) -> list[dict[str, Any]]:
    """Which rows trained and which judge, as the page names them."""
    parts = []
    if subject.trained is not None:
        parts.append({"name": "trained on", "rows": len(subject.trained)})
    if subject.held_out is not False:
        name = "held out" if subject.held_out else "judged on"
        parts.append({"name": name, "rows": len(subject.judged)})
    return parts


def _classes(subject: Subject) -> list[dict[str, Any]]:
    def counts(rows: Rows | None) -> np.ndarray | None:
        if rows is None or rows.y is None:
            return None
        return np.bincount(subject.numbered(rows.y), minlength=len(subject.class_names))

    trained, judged = counts(subject.trained), counts(subject.judged)
    base = judged if trained is None else trained
    assert base is not None
    return [
        {
            "name": shortened(name, 60),
            "trained": None if trained is None else int(trained[k]),
            "judged": None if judged is None or subject.held_out is False else int(judged[k]),
            "share": float(base[k] / max(1, base.sum())),
        }
        for k, name in enumerate(subject.class_names)
    ]


def _values(y: np.ndarray | None) -> dict[str, float] | None:
    if y is None:
        return None
    low, first, middle, third, high = np.percentile(np.asarray(y, dtype=np.float64), [0, 25, 50, 75, 100])
    mean, spread = float(np.mean(y)), float(np.std(y))
    return {
        "smallest": float(low), "first quarter": float(first), "median": float(middle), "third quarter": float(third),
        "largest": float(high), "mean": mean, "standard deviation": spread,
    }  # fmt: skip


def data_words(data: Mapping[str, Any]) -> str:
    """Rows, columns, kinds and what is missing, in a sentence or two."""
    kinds = ", ".join(f"{many} {_KINDS.get(kind, kind)}" for kind, many in data["kinds"].items())
    words = f"{plural(data['rows'], 'row')} of {plural(data['columns'], 'column')}"
    words += f" ({kinds})." if kinds else "."
    if data["sparse"]:
        return words + f" The table is sparse: {data['sparse']['share']:.2%} of its values are stored."
    if not data["missing"]:
        return words + " Nothing is missing."
    return words + f" {plural(data['missing'], 'value is', 'values are')} missing, {data['missing_share']:.1%} of all."


_KINDS = {
    "number": "of numbers",
    "category": "of categories",
    "date": "of dates",
    "datetime": "of dates with times",
    "text": "of text",
    "yes or no": "of yes or no",
    "missing": "without values",
}
