"""What one of the processes does that compile side by side."""

from __future__ import annotations

import contextlib
import io
import pickle
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..engine import Entry, Recorder, compiled_function, compiler_target
from ._tour import do_job, rooms

_recorder: Recorder | None = None


@dataclass
class Done:
    """What came of a job.

    Parameters
    ----------
    name : str
        Of the job.
    entries : list of Entry
        Machine code of what it called.
    target : tuple of str
        What it was compiled for.
    missing : str
        What has to be installed before the job can be done, if it could not.
    failed : str
        What went wrong, if something did.

    """

    name: str
    target: tuple[str, str, str]
    entries: list[Entry] = field(default_factory=list)
    missing: str = ""
    failed: str = ""


def begin() -> None:
    """Prepare this process: note every call from now on."""
    global _recorder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    _recorder = Recorder()


def work(name: str) -> Done:
    """Do one job of the tour."""
    assert _recorder is not None
    missing = failed = ""
    with tempfile.TemporaryDirectory() as folder, _silent():
        try:
            do_job(name, Path(folder))
        except ImportError as error:
            missing = error.name or str(error)
        except Exception as error:  # the others can still be compiled
            failed = f"{type(error).__name__}: {error}"
    return Done(name, compiler_target(), _recorder.take(), missing, failed)


def compile_only(name: str, signatures: list[tuple[str, bytes]]) -> Done:
    """Compile functions for signatures that are known, without calling them: for other processors than this one."""
    assert _recorder is not None
    rooms()  # which loads all functions
    for function, pickled in signatures:
        compiled = compiled_function(function)
        if compiled is not None:  # else made while a program runs
            signature: Any = pickle.loads(pickled)
            compiled.compile(signature)
            _recorder.note(function, signature)
    return Done(name, compiler_target(), _recorder.take())


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """What a job would print is of no interest."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield
