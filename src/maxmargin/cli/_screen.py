"""Where words go. Results: standard output, or standard error while a file is written to standard output.

Progress and remarks: standard error. ``--json``: one document instead.
"""

from __future__ import annotations

import json
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..messages import (
    PAGE_WIDTH,
    BytesRead,
    ProgressDisplay,
    ProgressEvent,
    RowsPredicted,
    TextTable,
    jsonable,
    make_console,
    printable,
    show_table,
)
from ._errors import UserError
from ._files import is_standard_output

if TYPE_CHECKING:
    from rich.console import Console

    from ._options import OutputOptions


class Screen:
    """What a command says, as far as it was asked to."""

    def __init__(self, output: OutputOptions, *files: Path | None) -> None:
        self.output = output
        self._begun = self._wrote = False
        # A file that is written to standard output would be spoilt by words around it.
        taken = any(file is not None and is_standard_output(file) for file in files)
        if taken and output.json:
            raise UserError("--json takes standard output; give --out and --report other places.")
        self._to_errors = taken

    def _console(self) -> Console:
        return make_console(sys.stderr if self._to_errors else sys.stdout)

    @property
    def speaks(self) -> bool:
        """Whether an account is wanted on standard output."""
        return not (self.output.json or self.output.quiet)

    @property
    def asks(self) -> bool:
        """Whether somebody is there to be asked: a terminal to read and to write."""
        return self.speaks and not self._to_errors and sys.stdin.isatty() and sys.stdout.isatty()

    def ask(self, question: str) -> str:
        """What is typed to a question; nothing at the end of the input."""
        self._gap(self._console())
        try:
            return input(printable(question))
        except EOFError:
            return ""

    def say(self, text: str) -> None:
        """A paragraph of the account."""
        self._print(printable(text), folded=True)

    def wrote(self, what: str, path: object) -> None:
        """Where a file is, in one piece however long, so that it can be copied."""
        self._print(f"{what}: {printable(str(path))}", folded=False, gap=not self._wrote)
        self._wrote = True

    def lines(self, text: str) -> None:
        """Text that has its own lines, as it is."""
        self._print("\n".join(printable(line) for line in text.splitlines()), folded=False)

    def _print(self, text: str, *, folded: bool, gap: bool = True) -> None:
        if self.speaks:
            from rich.text import Text

            console = self._console()
            if gap:
                self._gap(console)
            if folded and not console.is_terminal:
                text, folded = (
                    "\n".join(textwrap.wrap(text, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)),
                    False,
                )
            console.print(Text(text), soft_wrap=not folded)

    def table(self, table: TextTable) -> None:
        """A table of the account."""
        if self.speaks and table.rows:
            console = self._console()
            self._gap(console)
            show_table(console, table)

    def note(self, text: str) -> None:
        """A remark beside the results: standard error."""
        if not self.output.quiet:
            from rich.text import Text

            make_console(sys.stderr).print(Text(printable(text), style="dim"), soft_wrap=True)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Values that no training row had are told of in a note, each column once."""
        from ..tables import UnseenValuesWarning

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UnseenValuesWarning)
            yield
        for text in dict.fromkeys(str(warning.message) for warning in caught):
            self.note(f"Note: {text}")

    def document(self, contents: dict[str, Any]) -> None:
        """The one document that ``--json`` prints; nothing otherwise."""
        if self.output.json:
            print(json.dumps(jsonable(contents), indent=2, ensure_ascii=False, allow_nan=False))

    def _gap(self, console: Console) -> None:
        """An empty line between two parts of the account."""
        if self._begun:
            console.print()
        self._begun = True


# ---------------------------------------------------------------- progress, unless all shall be quiet


@contextmanager
def shown(quiet: bool) -> Iterator[Callable[[ProgressEvent], None] | None]:
    """A function for ``train(progress=...)``; what it is told shows while the block runs."""
    if quiet:
        yield None
        return
    with ProgressDisplay() as display:
        yield display.take


@contextmanager
def bytes_shown(quiet: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """A function for ``read_table(progress=...)``."""
    with shown(quiet) as take:
        yield None if take is None else lambda done, total: take(BytesRead(done, total))


@contextmanager
def rows_shown(quiet: bool) -> Iterator[Callable[[int], None]]:
    """A function that is told how many rows are done."""
    with shown(quiet) as take:
        yield lambda rows: None if take is None else take(RowsPredicted(rows))
