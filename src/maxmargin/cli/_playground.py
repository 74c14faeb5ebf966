"""``maxmargin playground``: points to draw, models that follow, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ._errors import DONE, UserError, about
from ._options import AS_FOUND, Data, Reading, flag


def playground(
    opened: Annotated[
        str | None, Parameter(help="A link copied from a playground, or a model file whose table is to be drawn.")
    ] = None,
    data: Data | None = None,
    /,
    *,
    no_browser: Annotated[bool, flag("Print the address only.")] = False,
    port: Annotated[int, Parameter(help="Port on this computer; 0 is any that is free.")] = 0,
    reading: Reading = AS_FOUND,
) -> int:
    """Draw points and watch models and their proofs, in the browser.

    With a model and the table that it was trained on, two columns of the table are drawn; the page has the others.
    """
    from ..playground import serve

    path = Path(opened or "")
    if data is None and not path.is_file() and path.suffix != ".mm":
        serve(opened, port=port, browser=not no_browser)
        return DONE
    if data is None:
        raise UserError(f"{path}: name its table as well: maxmargin playground {path.name} DATA.")
    table, target = _table_of(path, data, reading)
    with about(data):
        serve(table=table, target=target, name=Path(data).name, port=port, browser=not no_browser)
    return DONE


def _table_of(path: Path, data: str, reading: Reading) -> tuple[Any, str | None]:
    """The table of a model without what merely tells its rows apart, and the name of its target."""
    from ._files import account_in, identifiers, read_again

    account, _ = account_in(path)
    with about(data):
        table = read_again(account, data, reading)
    names = getattr(table, "column_names", [])
    dropped = [name for name in identifiers(account) if name in names]
    target = account.get("target")
    if dropped:
        table = table.drop_columns(dropped)
    return table, target if target in names else None
