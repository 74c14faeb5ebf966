"""Compile beforehand what the estimators call: ``python -m maxmargin.compile``.

A wheel brings machine code along and a copy of the sources compiles once, with ``make setup``; this is for all other
places, such as containers that start often and may not write.
"""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Compile, and say what has been done; the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        ``--level``, ``--into``, ``--processes``, ``--if-needed``; see ``--help``.

    Returns
    -------
    int

    """
    try:
        from ._command import run  # which takes a second to import, and can be interrupted too

        return run(argv)
    except KeyboardInterrupt:
        print("\nmaxmargin.compile: stopped; what was not finished is not kept", file=sys.stderr)
        return 130
