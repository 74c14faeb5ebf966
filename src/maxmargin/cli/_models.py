"""A model file and a table that goes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ._options import Reading


def load(path: Path) -> tuple[Any, dict[str, Any]]:
    """The model in a file and its account."""
    from .. import persistence

    return persistence.load(path), account_in(path)[0]


def account_in(path: Path) -> tuple[dict[str, Any], list[str]]:
    """What a file says of its model as far as it can be used, and what is wrong with the rest."""
    from ..persistence import read_provenance
    from ..training import usable_account

    return usable_account(read_provenance(path))


def read_again(account: dict[str, Any], data: str, reading: Reading) -> Any:
    """Read the table of a training: the columns that were read then, and what they hold decided as it was then."""
    from ..tables import read_table

    columns = (account.get("source") or {}).get("columns")
    return read_table(data, **reading.options(), **({"columns": columns} if columns else {}))


def reader_of(model: Any) -> Any:
    """The step of a pipeline that reads columns; None for models of plain numbers."""
    if hasattr(model, "types_"):
        return model
    for _, step in getattr(model, "steps", ()):
        found = reader_of(step)
        if found is not None:
            return found
    return None


def identifiers(account: dict[str, Any]) -> list[str]:
    """Columns of the training table that merely tell its rows apart."""
    columns = (account.get("summary") or {}).get("columns") or ()
    return [c["name"] for c in columns if c["kind"] == "drop" and c["reason"].startswith("an identifier")]
