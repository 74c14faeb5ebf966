"""Files that are seen whole or not at all: written beside their place, and then renamed."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A path to write to, in the same folder. It takes the place of `path` at the end, or vanishes on an error."""
    # The endings stay: writers choose their format by them.
    beside = path.with_name(f".{path.stem[:100]}-{secrets.token_hex(4)}.part{path.suffix}")
    try:
        yield beside
        with beside.open("r+b") as file:
            os.fsync(file.fileno())  # else a power cut could leave the new name with none of the contents
        with suppress(OSError):  # there is none yet
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system lets one open a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
