"""What the reader of columns consists of."""

from __future__ import annotations

from ..tables import FORMS, KINDS, MIXED, QUANTITIES, ColumnPlan, ColumnReader, names_out
from ._common import FEATURES, OUTPUT_CONFIG
from ._kinds import Bool, Int, Items, Record, Text, choice
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
    },
    checks=[
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
]
