"""Names of files that the tool writes, and whether they may be written."""

from __future__ import annotations

import os
from pathlib import Path

from ._errors import UserError

STANDARD = "-"


def stem(source: str, otherwise: str) -> str:
    """The name of a table or model without folder and endings: ``a/b.csv.gz`` gives ``b``."""
    name = Path(source).name
    return otherwise if source == STANDARD else name.split(".")[0] or name.lstrip(".") or otherwise


def check_place(path: Path, *, force: bool) -> None:
    """Refuse, before any work is done, a place where nothing can be written or something would be lost."""
    from ..engine import descriptor_of

    if path.is_dir():
        raise UserError(f"{path}: is a folder; give the name of a file.")
    if descriptor_of(path) is not None or (path.exists() and not path.is_file()):
        return  # standard output, a device or a named pipe, which is written into
    if path.exists() and not force:
        raise UserError(f"{path}: exists already; --force replaces it, --out chooses another name.")
    folder = Path(os.path.realpath(path)).parent  # that of the file that a link leads to
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, so nothing can be written below it.")
    if folder.is_dir() and not os.access(folder, os.W_OK):
        raise UserError(f"{folder}: this folder cannot be written to.")
