"""What the reader of columns consists of."""

from __future__ import annotations

from ..tables import FORMS, KINDS, MIXED, QUANTITIES, ColumnPlan, ColumnReader, DenseRows, names_out
from ._common import FEATURES, OUTPUT_CONFIG
from ._kinds import Bool, Float, Int, Items, Record, Text, choice
from ._schema import Schema
from ._sizes import Check

_PLAN = Record(
    ColumnPlan,
    {
        "name": Text(),
        "type": choice("number", "bool", "date", "text", "missing"),
        "kind": choice(*KINDS),
        "levels": Items(Text(), out=tuple),
        "other": Bool(),
        "missing": Int(),
        "form": choice("", *FORMS, *MIXED, *QUANTITIES),
        "reason": Text(),
        "weights": Items(Float(), out=tuple),
    },
    absent={"weights": []},
    checks=[
        Check(
            lambda s: len(s.values["weights"]) == (len(s.values["levels"]) if s.values["kind"] == "text" else 0),
            "has another number of weights than of words.",
        ),
        Check(lambda s: all(0 < w < 1e6 for w in s.values["weights"]), "has a weight that no word can have."),
        Check(
            lambda s: s.values["kind"] != "text" or (s.values["type"] == "text" and s.values["levels"]),
            "is text without words.",
        ),
        Check(lambda s: len(set(s.values["levels"])) == len(s.values["levels"]), "has a level twice."),
        Check(
            lambda s: s.values["kind"] not in ("date", "datetime") or s.values["type"] in ("date", "text", "missing"),
            "is a date of what cannot be one.",
        ),
        Check(
            lambda s: (
                s.values["kind"] not in ("date", "datetime") or (s.values["form"] != "") == (s.values["type"] == "text")
            ),
            "has no form of dates, or one too many.",
        ),
        Check(
            lambda s: (
                s.values["form"] in ("", *QUANTITIES)
                if s.values["kind"] == "number"
                else s.values["form"] not in QUANTITIES
            ),
            "is of a kind that is not written in this form.",
        ),
    ],
)

SCHEMAS = [
    Schema(
        "maxmargin.tables.ColumnReader",
        ColumnReader,
        (
            *FEATURES,
            *OUTPUT_CONFIG,
            ("columns_", Items(_PLAN, "d", tuple)),
            Check(
                lambda s: (
                    "feature_names_in_" not in s.values
                    or [plan.name for plan in s.values["columns_"]] == s.values["feature_names_in_"].tolist()
                ),
                "has other columns than feature_names_in_.",
            ),
            Check(lambda s: len({plan.name for plan in s.values["columns_"]}) == s["d"], "has a column twice."),
            Check(lambda s: any(plan.kind != "drop" for plan in s.values["columns_"]), "reads no column."),
        ),
        width=lambda value: len(names_out(value.columns_)),
    ),
    Schema(
        "maxmargin.tables.DenseRows",
        DenseRows,
        (*FEATURES, *OUTPUT_CONFIG),
        width=lambda value: int(value.n_features_in_),
    ),
]
