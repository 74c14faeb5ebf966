"""The account of a training, and the rows of its table parted as they were then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..training import Target, TrainingTable, make_split, open_table, read_target, split_account, usable_account
from ._subject import Rows
from ._words import listed

_NEEDED = ("task", "target", "split", "settings", "scores", "family", "metric_reason")
# What an account says of its own table, and of no other.
_OF_THE_TABLE = ("summary", "scores", "baseline", "baseline_name", "notes")


def account_of(training: Any) -> Mapping[str, Any]:
    """A training, or what was saved of it, as plain values; empty if there is none."""
    if training is None:
        return {}
    if not isinstance(training, Mapping) and not hasattr(training, "provenance"):
        raise TypeError(f"training must be a Training or its provenance(); got {type(training).__name__}.")
    account, problems = usable_account(training if isinstance(training, Mapping) else training.provenance())
    missing = [key for key in _NEEDED if key not in account]
    if missing:
        why = problems[0] if problems else f"this account has no {listed(missing)}"
        raise ValueError(f"training must be a Training or its provenance(); {why}.")
    return account


def rows_of(account: Mapping[str, Any], X: Any, y: Any) -> Rows:
    """The rows that have a target, from a whole table or from columns and targets."""
    if y is not None:
        return Rows.of(X, y, "y")
    settings = account["settings"]
    table = open_table(X, account["target"], settings.get("columns"))
    found = read_target(table.target, account["task"], bool(settings.get("drop_missing_target")))
    return whole_rows(table, found)


def whole_rows(table: TrainingTable, target: Target) -> Rows:
    """The rows of a table that have a target."""
    return Rows(table.take(target.rows if target.dropped else None), target.y, np.asarray(target.rows))


def parted(account: Mapping[str, Any], rows: Rows) -> tuple[Rows, Rows] | None:
    """Rows that were trained on and rows that were held out; None if this is not the table of the training."""
    split = account["split"]
    classes = account["task"] != "regression"
    assert rows.y is not None
    found = make_split(rows.y, rows.numbers, len(rows), classes, float(split["test"]), int(split["seed"]))
    if split_account(found)["digest"] != split["digest"]:
        return None
    kept, aside = (np.searchsorted(rows.numbers, part) for part in (found.train_rows, found.test_rows))
    return rows.take(kept), rows.take(aside)


def of_another_table(account: Mapping[str, Any]) -> dict[str, Any]:
    """What an account says of the model, for a page about other rows than its own."""
    return {key: value for key, value in account.items() if key not in _OF_THE_TABLE}
