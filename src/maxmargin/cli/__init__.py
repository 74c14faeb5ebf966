"""The command ``maxmargin``: a thin layer over documented calls of the library."""

from collections.abc import Sequence

__all__ = ["main", "process"]


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


def process() -> int:
    """Run the tool as a process of its own, which ends by SIGINT if it is interrupted, so that a shell sees Ctrl-C.

    Returns
    -------
    int
        As `main`, but for 130.

    """
    import signal

    # While modules are imported nothing has to be cleaned up, and KeyboardInterrupt would be dropped by some of them.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ._main import run_process

    return run_process(heard)
