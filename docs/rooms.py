"""Draw the rooms of the package and the way of the data, for CONTRIBUTING: ``python docs/rooms.py``.

The rooms and their order are those of the import linter's contract in ``pyproject.toml``.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

ROOT = Path(__file__).parent.parent
# How many rooms of the contract stand beside each other, highest first, what they are for, and a colour.
STOREYS = [
    (6, "for people", "#dbe7f3"),
    (3, "from files to models", "#dbe7f3"),
    (3, "pictures, clusters of machines", "#dbe7f3"),
    (10, "estimators", "#dcefdc"),
    (4, "what estimators share", "#dcefdc"),
    (3, "optimum and proof", "#f8e5c8"),
    (3, "functions", "#f8e5c8"),
    (3, "ground", "#e6e6e6"),
]
# The way of the data: where, and what happens there.
WAY = [
    ("tables", "a file becomes rows, columns and types"),
    ("training", "rows are split; families and their\nparameters are compared (search)"),
    ("svm", "fit: X, y and weights are checked\n(data, estimators)"),
    ("problems", "what is minimised, from kernels,\nlosses and penalties"),
    ("solvers", "one table chooses the solver, one loop\nruns it and returns a Solution"),
    ("certificates", "primal, dual and gap, recomputed\nfrom the variables alone"),
    ("estimators", "conclude: the model keeps its proof,\nor warns what is missing"),
    ("persistence", "saved, with what is needed to verify"),
    ("report", "shown and explained (plotting,\nexplanation)"),
]
_LEFT, _WIDTH, _HEIGHT, _STEP = 1.75, 9.6, 0.62, 0.94


def rooms() -> list[str]:
    """The rooms, highest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [name.strip("()") for name in layers if "__" not in name]


def draw() -> Figure:
    """The picture."""
    names = rooms()
    if sum(count for count, *_ in STOREYS) != len(names):
        raise ValueError(f"STOREYS has places for {sum(c for c, *_ in STOREYS)} rooms; there are {len(names)}.")
    steps = {room: number for number, (room, _) in enumerate(WAY, 1)}
    figure = Figure(figsize=(14.6, 7.7))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 16.9), ylim=(-0.25, 8.6))
    axes.axis("off")
    axes.text(_LEFT + _WIDTH / 2, 8.2, "The rooms", ha="center", fontsize=15, weight="bold")
    axes.text(14.25, 8.2, "The way of the data", ha="center", fontsize=15, weight="bold")
    for level, (count, purpose, colour) in enumerate(STOREYS):
        y = 7.2 - level * _STEP
        axes.text(_LEFT - 0.15, y + _HEIGHT / 2, purpose.replace(" ", "\n", 1), ha="right", va="center", fontsize=10)
        gap, width = 0.14, (_WIDTH - 0.14 * (count - 1)) / count
        for place in range(count):
            name = names.pop(0)
            x = _LEFT + place * (width + gap)
            box = FancyBboxPatch((x, y), width, _HEIGHT, "round,pad=0,rounding_size=0.08", fc=colour, ec="#555")
            axes.add_patch(box)
            words = (
                name.replace("_", "_\n").replace("approximation", "approxi-\nmation") if count > 6 else name
            )  # narrow boxes take two lines
            axes.text(
                x + width / 2, y + _HEIGHT / 2, words, ha="center", va="center", fontsize=11.5, family="monospace"
            )
            if name in steps:
                _badge(axes, x + 0.02, y + _HEIGHT - 0.02, steps[name])
    axes.text(
        _LEFT + _WIDTH / 2,
        0.1,
        "A room imports only from rooms below it and, in a row, from those to its right.",
        ha="center",
        fontsize=10.5,
        style="italic",
    )
    for number, (room, text) in enumerate(WAY, 1):
        y = 7.62 - (number - 1) * 0.86
        _badge(axes, 12.2, y, number)
        axes.text(12.5, y + 0.02, room, va="center", fontsize=11, family="monospace", weight="bold")
        axes.text(12.5, y - 0.17, text, va="top", fontsize=10)
        if number < len(WAY):
            axes.annotate("", (12.2, y - 0.66), (12.2, y - 0.2), arrowprops={"arrowstyle": "->", "color": "#b4472f"})
    return figure


def _badge(axes: object, x: float, y: float, number: int) -> None:
    axes.text(  # type: ignore[attr-defined]
        x,
        y,
        str(number),
        ha="center",
        va="center",
        fontsize=9.5,
        color="white",
        weight="bold",
        zorder=5,
        bbox={"boxstyle": "circle,pad=0.25", "fc": "#b4472f", "ec": "none"},
    )


def main(path: str = str(ROOT / "docs/_static/rooms.svg")) -> None:
    """Write it, as SVG or as what the name of the file says."""
    with mpl.rc_context({"svg.hashsalt": "rooms", "svg.fonttype": "none", "font.family": "DejaVu Sans"}):
        about = {"Title": "Rooms of maxmargin", "Description": ", ".join(rooms()), "Date": None}
        draw().savefig(path, dpi=90, metadata=about if path.endswith("svg") else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
