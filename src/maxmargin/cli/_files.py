"""Files that commands read and write: models, the tables that go with them, and whether a place may be written to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import UserError
from ._options import Reading

if TYPE_CHECKING:
    from ._screen import Screen

STANDARD = "-"


def stem(source: str, otherwise: str) -> str:
    """The name of a table or model without folder and endings: ``a/b.csv.gz`` gives ``b``."""
    name = Path(source).name
    return otherwise if source == STANDARD else name.split(".")[0] or name.lstrip(".") or otherwise


def check_place(path: Path, *sources: str | Path, force: bool) -> None:
    """Refuse, before any work is done, a place where nothing can be written or something would be lost.

    The files that are read (`sources`) are not replaced, whatever `force` says.
    """
    from ..engine import descriptor_of

    if path.is_dir():
        raise UserError(f"{path}: is a folder; give the name of a file.")
    number = descriptor_of(path)
    if number is not None:  # standard output, for one, which is written into
        _check_descriptor(path, number)
        return
    if path.exists() and not path.is_file():  # a device or a named pipe
        if not os.access(path, os.W_OK):
            raise UserError(f"{path}: cannot be written to.")
        return
    for source in sources:
        if str(source) != STANDARD and os.path.exists(source) and path.exists() and path.samefile(source):
            raise UserError(f"{path}: is the input, and would be overwritten; --out chooses another name.")
    if path.exists() and not force:
        raise UserError(f"{path}: exists already; --force replaces it, --out chooses another name.")
    folder = Path(os.path.realpath(path)).parent  # that of the file that a link leads to
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, so nothing can be written below it.")
    if folder.is_dir() and not os.access(folder, os.W_OK):
        raise UserError(f"{folder}: this folder cannot be written to.")


def make_folder(path: Path, screen: Screen) -> None:
    """Make the folder of a file if it is not there, and say so: a name may be mistyped."""
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        screen.note(f"{path.parent}: this folder was not there, and was made.")


def _check_descriptor(path: Path, number: int) -> None:
    import fcntl  # where there are such paths there is this

    try:
        mode = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE
    except OSError:
        raise UserError(f"{path}: nothing is open under this number.") from None
    if mode == os.O_RDONLY:
        raise UserError(f"{path}: is open for reading, and cannot be written to.")


def is_standard_output(path: Path) -> bool:
    """Whether what is written there goes where standard output goes: ``/dev/stdout``, ``/dev/fd/3`` after ``3>&1``."""
    from ..engine import descriptor_of

    number = descriptor_of(path)
    try:
        return number is not None and os.path.samestat(os.fstat(number), os.fstat(1))
    except OSError:
        return False


def load(path: Path) -> tuple[Any, dict[str, Any]]:
    """The model in a file and its account."""
    from .. import persistence

    model = persistence.load(path)
    if hasattr(model, "detect"):
        raise UserError(
            f"{path}: holds a detector of objects in pictures, which takes no tables. Use maxmargin.load and "
            "its method detect in Python."
        )
    return model, account_in(path)[0]


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
