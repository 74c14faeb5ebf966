"""The command: arguments, one line of progress, and what has been done."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..engine import HOST, LEVELS, PACKAGE_STORE, compiler_target, is_level_of, store_path
from ._compile import Progress, Result, compile_level, is_complete
from ._tour import DEMO, estimators


def run(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m maxmargin.compile", description="Compile beforehand what the estimators call."
    )
    parser.add_argument(
        "--level", action="append", choices=[HOST, *LEVELS],
        help="the processors to compile for, more than once if wanted; by default this one (host)",
    )  # fmt: skip
    parser.add_argument("--into", type=Path, default=PACKAGE_STORE, metavar="FOLDER", help="by default in the package")
    parser.add_argument(
        "--processes", type=_count, default=_cores(), metavar="N", help="side by side; by default %(default)s"
    )
    parser.add_argument("--if-needed", action="store_true", help="only what is missing or was made from other sources")
    parser.add_argument(
        "--only", action="append", default=[], choices=[*estimators(), DEMO], metavar="ESTIMATOR",
        help="compile for this estimator, such as svm.SVC; more than once if wanted",
    )  # fmt: skip
    asked = parser.parse_args(argv)
    try:
        return _compile(_ordered(asked.level or [HOST]), asked)
    except OSError as error:
        print(f"maxmargin.compile: {error}", file=sys.stderr)
        return 1


def _count(text: str) -> int:
    count = int(text) if text.isdecimal() else 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return count


def _ordered(levels: Sequence[str]) -> list[str]:
    """First one that this machine has: what the estimators call is found by running them."""
    here = compiler_target()
    return sorted(levels, key=lambda level: level != HOST and not is_level_of(level, here[0], here))


def _compile(levels: Sequence[str], asked: argparse.Namespace) -> int:
    here = compiler_target()
    code = 0
    like: Path | None = None
    with tempfile.TemporaryDirectory() as aside:
        if levels[0] != HOST and not is_level_of(levels[0], here[0], here):
            like = _compile_one(HOST, Path(aside), asked, None).path
        for level in levels:
            path = store_path(asked.into, level)
            if asked.if_needed and is_complete(path, level):
                print(f"Nothing to compile: {path} is up to date")
            elif _compile_one(level, asked.into, asked, like).failed:
                code = 1
            like = like or path
    return code


def _compile_one(level: str, folder: Path, asked: argparse.Namespace, like: Path | None) -> Result:
    with _Line() as line:
        result = compile_level(level, folder, asked.processes, line.show, like, asked.only)
    processes = f"{asked.processes} process{'es' if asked.processes > 1 else ''}"
    print(
        f"Compiled {result.compiled} of {result.functions} functions for {_words(level)} in {result.seconds:.0f} s "
        f"with {processes}: {result.path} ({result.megabytes:.1f} MB)",
        flush=True,
    )
    if not result.functions:
        result.failed["everything"] = "no function of the package was found; this is a fault of maxmargin"
    for what in sorted(set(result.missing.values())):
        names = ", ".join(job for job, missing in result.missing.items() if missing == what)
        print(f"Left out, because {what} is not installed: {names}")
    for job, why in sorted(result.failed.items()):
        print(f"Failed: {job} ({why})", file=sys.stderr)
    return result


def _words(level: str) -> str:
    return "this processor" if level == HOST else level


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Line:
    """One line of progress: drawn anew on a terminal, else written every ten seconds."""

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        self._last = -10.0

    def show(self, progress: Progress) -> None:
        """Say how far it is."""
        text = (
            f"Compiling for {_words(progress.level)}: {progress.functions} functions in {progress.seconds:.0f} s, "
            f"{progress.done} of {progress.total} jobs done"
        )
        if self._terminal:
            print(f"\r{text}\x1b[K", end="", flush=True)
        elif progress.seconds - self._last >= 10:
            self._last = progress.seconds
            print(text, flush=True)

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", flush=True)
