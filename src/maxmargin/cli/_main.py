"""From the words on the command line to an exit code."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from ._errors import DONE, INTERRUPTED, MISTAKE, TERMINATED, complain, in_one_line, say_error


def run_process(heard: bool) -> int:
    """Run the command of this process; `heard` tells whether Ctrl-C is to be heard as soon as the command begins.

    A command that was interrupted has cleaned up and said so. Then the signal ends the process, after all that Python
    does at its end: a shell sees that it was Ctrl-C, and does not go on to its next command.
    """
    listen = signal.default_int_handler if heard else None
    try:
        code = run(None, listen)
    except KeyboardInterrupt:
        code = INTERRUPTED
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if code != INTERRUPTED or os.name != "posix":
        return code
    sys.excepthook = lambda *error: None
    raise KeyboardInterrupt


def run(argv: Sequence[str] | None = None, listen: Any = None) -> int:
    """Run one command; its exit code. With `listen`, that is the handler of SIGINT while the command is at work."""
    with _streams_open():
        return _run_safely(argv, listen)


def _run_safely(argv: Sequence[str] | None, listen: Any) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show must not end a run
    try:
        with _terminated_like_interrupted(), _swallowed_interrupts_raised() as hear_by:
            code = _run(words, listen and (lambda: hear_by(listen)))
            sys.stdout.flush()
        return code
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else MISTAKE
    except BaseException as error:
        if listen is not None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is cleaned up: pressed again, it ends the process
        code = complain(error, debug=debug)
        if isinstance(error, BrokenPipeError):
            _forget_output()
        return code


def _run(words: Sequence[str], begin_to_listen: Callable[[], None] | None = None) -> int:
    from cyclopts import CycloptsError

    from ._app import COMMANDS, make_app
    from ._screen import make_console

    app = make_app(make_console(sys.stdout), make_console(sys.stderr))
    try:
        command, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        error.verbose = False
        say_error(f"maxmargin: {in_one_line(str(error))} See {_help_for(words)}.")
        return MISTAKE
    if command in COMMANDS.values() and command is not COMMANDS["playground"]:
        # help and version stay light, and the playground, whose server hears Ctrl-C itself, is there at once
        from ..engine import interruptible

        command = interruptible(command)  # Ctrl-C that something in between swallows is raised at the end
    if begin_to_listen is not None:
        begin_to_listen()
    code = command(*bound.args, **bound.kwargs)
    return code if isinstance(code, int) else DONE


def _help_for(words: Sequence[str]) -> str:
    from ._app import COMMANDS

    named = words[0] if words and words[0] in COMMANDS else None
    return f"maxmargin {named} --help" if named else "maxmargin --help"


@contextmanager
def _swallowed_interrupts_raised() -> Iterator[Callable[[Any], None]]:
    """Raise KeyboardInterrupt at the end, if one was raised where Python drops exceptions: in callbacks of weak
    references, of which parsing has many. Commands have a scope of the engine, which does not reach what is parsed
    before them and deleted after them.

    It yields a function that makes another handler of SIGINT the one that decides.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda handler: None  # Python hands signals to the main thread alone
        return
    heard: list[int] = []
    decides: Any = signal.getsignal(signal.SIGINT)

    def hear(number: int, frame: FrameType | None) -> None:
        try:
            decides(number, frame)
        except KeyboardInterrupt:
            heard.append(number)
            raise

    def hear_by(handler: Any) -> None:
        nonlocal decides
        decides = handler
        if callable(handler):  # else it is ignored, or ends the process at once
            signal.signal(signal.SIGINT, hear)

    hear_by(decides)
    try:
        yield hear_by
    except KeyboardInterrupt:
        heard.clear()  # it is on its way
        raise
    finally:
        if signal.getsignal(signal.SIGINT) is hear:
            signal.signal(signal.SIGINT, decides)
        if heard:
            raise KeyboardInterrupt


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM unwinds as Ctrl-C does, so that half-written files are removed on the way out."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python hands signals to the main thread alone
        return

    def unwind(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, unwind)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _streams_open() -> Iterator[None]:
    """Streams that were closed (``>&-``) fail when they are used, and not before; what goes to standard error is lost.

    They take the numbers that they should have, which the next file to be opened would get.
    """
    modes = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    closed = [name for name in modes if getattr(sys, name) is None]
    for name in closed:
        setattr(sys, name, open(os.open(os.devnull, modes[name]), "r" if name == "stdin" else "w", encoding="utf-8"))
    try:
        yield
    finally:
        for name in closed:
            with suppress(OSError):
                getattr(sys, name).close()
            setattr(sys, name, None)


def _forget_output() -> None:
    """Point standard output nowhere: Python flushes it once more at its end, and would complain again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
