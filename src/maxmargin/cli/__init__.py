"""The command ``maxmargin``: a thin layer over documented calls of the library."""

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line tool.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``maxmargin``; by default those of the process.

    Returns
    -------
    int
        0: done. 1: a certificate does not hold. 2: a mistake in arguments, files or tables. 3: a fault of the tool
        itself. 130: interrupted.

    """
    from ._main import run

    return run(argv)
