"""Time against gap: each contender at several tolerances, as the referee sees it, drawn in logarithms."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import table
from ..contest import Contest
from ..datasets import thinned
from ..names import OURS
from ..options import Options
from ..progress import say
from .cases import CASES, Case, gamma_value
from .contenders import CONTENDERS
from .judge import judge_model

DRAWN = ("magic04-c1", "magic04-c100")
ROWS = 8000  # enough to tell them apart, and a fifth of the time of all rows
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4)
# seconds that a contender may have spent on a case before a tighter tolerance is tried
PATIENCE = 30.0
PATIENCE_IF_UNTARGETED = 5.0

Point = dict[str, float]  # tol, seconds, relative_gap


def run(options: Options) -> tuple[str, dict[str, Any]]:
    """Measure, draw the plot, and return the table and its raw numbers."""
    measured, texts = {}, []
    for case in [c for c in CASES if c.name in DRAWN]:
        points = _measure(replace(case, name=f"time against gap, {case.name}"), options)
        measured[case.name] = points
        rows = [
            (name, f"{p['tol']:g}", table.seconds(p["seconds"]), table.small(p["relative_gap"]))
            for name, line in points.items()
            for p in line
        ]
        head = f"time against gap, {case.name}, at most {ROWS} rows"
        texts.append(f"{head}\n{table.render(('contender', 'tol', 'seconds', 'gap'), rows)}\n")
    options.plot.parent.mkdir(parents=True, exist_ok=True)
    try:
        draw(measured, options.plot)
        texts.append(f"  plot: {_shown(options.plot)}\n")
    except ImportError:
        texts.append("  no plot: matplotlib is not installed\n")
    return "\n".join(texts), measured


def _shown(path: Path) -> str:
    """The path as short as it can be written from here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _measure(case: Case, options: Options) -> dict[str, list[Point]]:
    data = thinned(case.data(options), ROWS)
    gamma = gamma_value(case.gamma, data.X)
    lines: dict[str, list[Point]] = {}
    with Contest(CONTENDERS, case, (data.X, data.y), options, {OURS, *case.required}) as contest:
        patience = {n: PATIENCE if contest.targeted(n) else PATIENCE_IF_UNTARGETED for n in contest.names}
        for tol in TOLERANCES:
            for name in [n for n in contest.names if patience[n] > 0]:
                say(f"{case.name}: tol={tol:g}: {name}")
                seconds = _seconds(contest, name, tol, warm=bool(lines.get(name)))
                answer = contest.ask(name, "multipliers") if seconds else None
                if answer is not None:
                    gap = judge_model(case, data.X, data.y, gamma, answer.value).relative_gap
                    point = {"tol": tol, "seconds": statistics.median(seconds), "relative_gap": gap}
                    lines.setdefault(name, []).append(point)
                    patience[name] -= sum(seconds)
    return lines


def _seconds(contest: Contest, name: str, tol: float, warm: bool) -> list[float]:
    """One run, or three where it takes less than two seconds; the first fit of who compiles is a warm-up."""
    if not warm and contest.compiles(name):
        contest.ask(name, "fit", tol=tol)
    once = contest.ask(name, "fit", tol=tol)
    if once is None or once.seconds[0] > 2.0:
        return [] if once is None else once.seconds
    more = contest.ask(name, "fit", repeat=2, tol=tol)
    return once.seconds + ([] if more is None else more.seconds)


def draw(measured: dict[str, dict[str, list[Point]]], path: Path) -> None:
    """One panel a case: relative gap to the right, seconds upwards, both in logarithms."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        1, len(measured), figsize=(5.2 * len(measured), 4.4), sharey=True, squeeze=False, layout="constrained"
    )
    names = list(dict.fromkeys(name for lines in measured.values() for name in lines))
    markers = dict(zip(names, "osD^vP*", strict=False))
    colours = {name: f"C{k}" for k, name in enumerate(names)}
    for panel, (title, lines) in zip(panels[0], measured.items(), strict=True):
        for name, line in lines.items():
            gaps, times = [p["relative_gap"] for p in line], [p["seconds"] for p in line]
            panel.loglog(gaps, times, marker=markers[name], color=colours[name], label=name, linewidth=1.5)
        panel.set(title=title, xlabel="relative duality gap (referee, float64)")
        panel.invert_xaxis()  # better to the right
        panel.grid(True, which="major", alpha=0.3)
    panels[0][0].set_ylabel("seconds to fit")
    handles = [panels[0][0].plot([], [], marker=markers[n], color=colours[n])[0] for n in names]
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)
