"""What ``make demo`` runs: train on real data, read the certificate, check it, and draw the street."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from . import __version__
from .certificates import ModelCertificate, Status
from .plotting import MarginDisplay
from .svm import SVC

_PICTURE = Path("build", "demo", "street.png")
_MEANING = {
    "outside the street": "no part in the model",
    "on the kerb": "support vectors, fix the intercept",
    "inside, right side": "support vectors at the price C",
    "inside, wrong side": "support vectors at the price C, misclassified",
}


@dataclass(frozen=True)
class Table:
    """A heading, rows of equal length, and perhaps names of the columns."""

    heading: str
    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ()


@dataclass(frozen=True)
class Data:
    """Training rows, held-out rows, and the names of the two classes."""

    X: np.ndarray
    y: np.ndarray
    X_held_out: np.ndarray
    y_held_out: np.ndarray
    class_names: tuple[str, str]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demonstration; the exit code is 0 if `verify` confirms the certificate."""
    parser = argparse.ArgumentParser(prog="python -m maxmargin.demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=_PICTURE, metavar="PATH", help=f"the picture (default: {_PICTURE})")
    out = parser.parse_args(argv).out

    data = load_data()
    model = make_pipeline(StandardScaler(), SVC())
    _, first_seconds = _timed(model.fit, data.X, data.y)  # compiles, or loads what an earlier run compiled
    _, fit_seconds = _timed(model.fit, data.X, data.y)
    svc, X = model[-1], model[:-1].transform(data.X)
    certificate = svc.certificate_
    checked, check_seconds = _timed(certificate.verify, X, data.y)

    tables = [
        _describe(data, model),
        _describe_cases(svc.kkt_cases(X, data.y).counts()),
        _describe_certificate(certificate, checked),
        Table(
            "Seconds",
            [
                ("fit", f"{fit_seconds:.3f}", "solved and certified"),
                ("verify", f"{check_seconds:.3f}", "all figures again, by plain float64 code"),
                ("first fit", f"{first_seconds:.3f}", "with compiling, or loading what is compiled"),
            ],
        ),
    ]
    show(f"maxmargin {__version__}: a support vector machine and its proof", tables)
    proven = checked.status is Status.CONVERGED
    print(
        f"Proven: no model with these parameters has an objective lower by more than a fraction of "
        f"{checked.relative_gap:.1e}."
        if proven
        else "Not proven: verify does not confirm what fit claims."
    )
    print(_draw(model, data, out))
    return 0 if proven else 1


def load_data() -> Data:
    """The breast-cancer data that scikit-learn brings along, three quarters of it for training."""
    bunch = load_breast_cancer()
    X, X_held_out, y, y_held_out = train_test_split(
        bunch.data, bunch.target, test_size=0.25, random_state=0, stratify=bunch.target
    )
    first, second = (str(name) for name in bunch.target_names)
    return Data(X, y, X_held_out, y_held_out, (first, second))


def _timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    begin = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - begin


def _describe(data: Data, model: Pipeline) -> Table:
    n = len(data.y_held_out)
    right = int((model.predict(data.X_held_out) == data.y_held_out).sum())
    common = int(np.bincount(data.y).argmax())
    baseline = int((data.y_held_out == common).sum())
    first, second = np.bincount(data.y)
    return Table(
        "Model",
        [
            ("data", f"breast cancer Wisconsin: {data.X.shape[1]} features of {len(data.y) + n} tumours"),
            ("trained on", f"{len(data.y)} ({first} {data.class_names[0]}, {second} {data.class_names[1]})"),
            ("model", " -> ".join(repr(step) for step in model.named_steps.values())),
            ("held out", f"{right} of {n} right, {right / n:.1%}"),
            ("baseline", f"{baseline} of {n} right, {baseline / n:.1%} (always {data.class_names[common]})"),
        ],
    )


def _describe_cases(counts: dict[str, int]) -> Table:
    return Table("Training samples", [(case, f"{count:>4}", _MEANING[case]) for case, count in counts.items()])


def _describe_certificate(certificate: ModelCertificate, checked: ModelCertificate) -> Table:
    def row(name: str, form: Callable[[ModelCertificate], str]) -> tuple[str, str, str]:
        return name, form(certificate), form(checked)

    return Table(
        "Certificate",
        [
            row("status", lambda c: str(c.status)),
            row("the optimum is at most", lambda c: f"{c.primal:.12g}"),
            row("and at least", lambda c: f"{c.dual:.12g}"),
            row("relative gap", lambda c: f"{c.relative_gap:.1e}"),
            row("largest violation", lambda c: f"{c.kkt_violation:.1e}"),
        ],
        ("", "by fit", "by verify"),
    )


def _draw(model: Pipeline, data: Data, out: Path) -> str:
    """Write the picture and say where it is, or what it would take."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return "No picture: it needs Matplotlib, pip install 'maxmargin[plot]'"
    figure = Figure(figsize=(8.0, 7.4), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)  # draws into memory: no window, no display
    ax = figure.add_subplot()
    MarginDisplay.from_estimator(model, data.X, data.y, class_names=data.class_names, ax=ax)
    title = figure.suptitle(
        "The street of an RBF machine, trained on breast cancer data", ha="left", fontsize="x-large"
    )
    figure.draw_without_rendering()  # lays out: then the title can stand where the axes begin
    title.set_x(ax.get_position().x0)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=150)
    return f"Picture of the street: {out}"


def show(title: str, tables: Sequence[Table]) -> None:
    """Print tables, with rich on a terminal where it is installed, else as plain text."""
    if sys.stdout.isatty():
        try:
            _show_rich(title, tables)
            return
        except ImportError:
            pass
    _show_plain(title, tables)


def _show_plain(title: str, tables: Sequence[Table]) -> None:
    print(title)
    for table in tables:
        rows = [table.columns, *table.rows] if table.columns else table.rows
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        print(f"\n{table.heading}")
        for row in rows:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print()


def _show_rich(title: str, tables: Sequence[Table]) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(title, style="bold"))
    for table in tables:
        drawn = RichTable(
            title=Text(table.heading, style="bold cyan"),
            title_justify="left",
            show_header=bool(table.columns),
            header_style="dim",
            box=None,
            padding=(0, 0, 0, 2),
        )
        for k in range(len(table.rows[0])):
            drawn.add_column(table.columns[k] if table.columns else "", style="dim" if k == 0 else "")
        for row in table.rows:
            drawn.add_row(*(Text(cell) for cell in row))
        console.print()
        console.print(drawn)
    console.print()


if __name__ == "__main__":
    sys.exit(main())
