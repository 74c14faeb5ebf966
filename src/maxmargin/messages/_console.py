"""Tables on a terminal, drawn by rich, and text that a terminal can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import Console

# Of what is not a terminal nobody can tell the width. Prose is folded here, tables are never cut.
PAGE_WIDTH = 100


@dataclass(frozen=True)
class TextTable:
    """A heading, rows of equal length, and perhaps names of the columns; columns in `right` hold numbers."""

    heading: str
    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ()
    right: Sequence[int] = ()

    def lines(self) -> list[str]:
        """The rows as text, without rich."""
        rows = [row for row in (self.columns, *self.rows) if row]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))] if rows else []
        return [
            "  ".join(
                cell.rjust(width) if k in self.right else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]


def printable(text: str) -> str:
    """Text whose control characters (a column name may hold any) are written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or category(c) == "Zs" else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def make_console(stream: Any) -> Console:
    """A rich console; NO_COLOR, TERM=dumb and COLUMNS are respected by rich itself."""
    from rich.console import Console

    class OpenConsole(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich would end the process, with an exit code of its own

    console = OpenConsole(file=stream, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PAGE_WIDTH
    return console


def draw_table(table: TextTable) -> Any:
    """A table as something that rich can print."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(
        title=Text(table.heading, style="bold cyan", no_wrap=True, overflow="ignore") if table.heading else None,
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


def show_table(console: Console, table: TextTable) -> None:
    """Print a table: folded into a terminal; elsewhere as wide as it is, with no blanks at the ends of lines."""
    if console.is_terminal:
        console.print(draw_table(table))
        return
    console.width = 100_000
    with console.capture() as captured:
        console.print(draw_table(table))
    console.width = PAGE_WIDTH
    text = "\n".join(line.rstrip() for line in captured.get().splitlines())
    console.file.write(text + "\n")
