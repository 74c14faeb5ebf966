"""What ``make demo`` runs: the command line tool on a bundled table, ending with the path of its report.

The table is made up, by ``maxmargin.demo._apples``: 600 crates of apples and whether they keep over the winter. It
has what tables have: numbers, categories, dates, missing values, commas in quotes, an identifier and a constant.
"""

from collections.abc import Sequence
from pathlib import Path

__all__ = ["main", "table_path"]


def table_path() -> Path:
    """Where the bundled table is.

    Returns
    -------
    Path
        A CSV file; its target is the column ``keeps``.

    Examples
    --------
    >>> from maxmargin.demo import table_path
    >>> table_path().name
    'apples.csv'

    """
    return Path(__file__).with_name("apples.csv")


def main(argv: Sequence[str] | None = None) -> int:
    """Train on the bundled table and write model and report; the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        ``--out FOLDER`` for another folder than ``build/demo``.

    Returns
    -------
    int
        That of ``maxmargin train``.

    """
    import argparse
    import shlex

    parser = argparse.ArgumentParser(prog="python -m maxmargin.demo", description="Train on the bundled table.")
    parser.add_argument("--out", type=Path, default=Path("build", "demo"), metavar="FOLDER", help="where files go")
    folder = parser.parse_args(argv).out
    words = [
        "train", str(_from_here(table_path())), "--target", "keeps", "--out", str(folder / "apples.mm"),
        "--report", str(folder / "report.html"), "--force",
    ]  # fmt: skip
    print(f"$ maxmargin {shlex.join(words)}", flush=True)
    return _run(words)


def _run(words: Sequence[str]) -> int:
    from ..cli import main as run

    return run(words)


def _from_here(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
