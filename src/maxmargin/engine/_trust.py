"""Which files may be unpickled: unpickling runs code, so those that nobody else can have written.

The package itself is code that runs. What lies where the same people may write as in the package's own folder is as
good as the package, and so is what belongs to this user or to the administrator. Where a system has no owners and
permissions (Windows), nothing can be told, and all is as in Python's own ``__pycache__``.
"""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from pathlib import Path

from ._sources import PACKAGE

_GROUP, _ALL = stat.S_IWGRP, stat.S_IWOTH


class UntrustedFileError(Exception):
    """Others can have written this file."""


def read_trusted(path: str | os.PathLike[str], start: int = 0, length: int = -1) -> bytes:
    """Bytes of a file that nobody else can have written.

    Parameters
    ----------
    path : path
        The file; its folder has to be as safe as itself.
    start, length : int
        Which bytes; all by default.

    Returns
    -------
    bytes

    """
    with open(path, "rb", opener=_open_at_once) as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UntrustedFileError(f"{path} is not a file")
        if hasattr(os, "getuid"):
            for found, what in ((status, path), (os.stat(Path(path).parent), Path(path).parent)):
                if not _is_ours(found):
                    raise UntrustedFileError(f"{what} belongs to others, or others may write it")
        stream.seek(start)
        return stream.read(length)


def _open_at_once(path: str, flags: int) -> int:
    """Open what somebody may have put there: a pipe would be waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _is_ours(status: os.stat_result) -> bool:
    package = os.stat(PACKAGE)
    if status.st_uid not in (0, os.getuid(), package.st_uid) or status.st_mode & _ALL:
        return False
    if not status.st_mode & _GROUP:
        return True
    # systems that give each user a group of one make folders that the group may write
    return bool(package.st_mode & _GROUP and package.st_gid == status.st_gid) or status.st_gid in (0, _own_group())


@lru_cache(maxsize=1)
def _own_group() -> int:
    """The group that has this user as its only member; -1 if there is none."""
    try:
        import grp
        import pwd

        user = pwd.getpwuid(os.getuid())
        group = grp.getgrgid(user.pw_gid)
    except (ImportError, KeyError):
        return -1
    return group.gr_gid if group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name} else -1
