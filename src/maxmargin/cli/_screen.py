"""Where words go. Results: standard output. Progress and remarks: standard error. ``--json``: one document instead."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..messages import jsonable
from ._errors import printable

if TYPE_CHECKING:
    from rich.console import Console

    from ._options import Manner

# Of what is not a terminal nobody can tell the width. Prose is folded here, tables are never cut.
_PAGE = 100


@dataclass(frozen=True)
class Table:
    """A heading, rows of equal length, and perhaps names of the columns; columns in `right` hold numbers."""

    heading: str
    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ()
    right: Sequence[int] = ()


class Screen:
    """What a command says, in the manner that was asked for."""

    def __init__(self, manner: Manner) -> None:
        self.manner = manner
        self._begun = self._wrote = False

    @property
    def speaks(self) -> bool:
        """Whether an account is wanted on standard output."""
        return not (self.manner.json or self.manner.quiet)

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

            console = make_console(sys.stdout)
            if gap:
                self._gap(console)
            if folded and not console.is_terminal:
                text, folded = (
                    "\n".join(textwrap.wrap(text, _PAGE, break_long_words=False, break_on_hyphens=False)),
                    False,
                )
            console.print(Text(text), soft_wrap=not folded)

    def table(self, table: Table) -> None:
        """A table of the account."""
        if self.speaks and table.rows:
            console = make_console(sys.stdout)
            self._gap(console)
            show_table(console, table)

    def note(self, text: str) -> None:
        """A remark beside the results: standard error."""
        if not self.manner.quiet:
            from rich.text import Text

            make_console(sys.stderr).print(Text(printable(text), style="dim"), soft_wrap=True)

    def document(self, contents: dict[str, Any]) -> None:
        """The one document that ``--json`` prints; nothing otherwise."""
        if self.manner.json:
            print(json.dumps(jsonable(contents), indent=2, ensure_ascii=False, allow_nan=False))

    def _gap(self, console: Console) -> None:
        """An empty line between two parts of the account."""
        if self._begun:
            console.print()
        self._begun = True


def make_console(stream: Any) -> Console:
    """A rich console; NO_COLOR, TERM=dumb and COLUMNS are respected by rich itself."""
    from rich.console import Console

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PAGE
    return console


def draw_table(table: Table) -> Any:
    """A table as something that rich can print."""
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(
        title=Text(table.heading, style="bold cyan") if table.heading else None,
        title_justify="left",
        show_header=bool(table.columns),
        header_style="dim",
        box=None,
        padding=(0, 0, 0, 2),
    )
    for k in range(len(table.columns or table.rows[0])):
        name = Text(printable(table.columns[k])) if table.columns else ""
        drawn.add_column(name, style="dim" if k == 0 else "", justify="right" if k in table.right else "left")
    for row in table.rows:
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    return drawn


def show_table(console: Console, table: Table) -> None:
    """Print a table: folded into a terminal; elsewhere as wide as it is, with no blanks at the ends of lines."""
    if console.is_terminal:
        console.print(draw_table(table))
        return
    console.width = 100_000
    with console.capture() as captured:
        console.print(draw_table(table))
    console.width = _PAGE
    text = "\n".join(line.rstrip() for line in captured.get().splitlines())
    console.file.write(text + "\n")


def _fill(text: str) -> str:
    return textwrap.fill(text, _PAGE, break_long_words=False, break_on_hyphens=False)
