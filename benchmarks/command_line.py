"""Arguments, and which benchmarks there are."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .machine import describe
from .options import DEFAULT_PLOT, Options
from .progress import elapsed, say

ROOT = Path(__file__).resolve().parent.parent
# Each is a module with `PARTS`, the names that --cases knows, `MINUTES`, about what all of them take on two cores, and
# `run(options)`, which prints tables and returns what goes to the JSON file.
BENCHMARKS = {
    name: f"benchmarks.{name}"
    for name in (
        "kernel",
        "linear",
        "lasso",
        "kernel_ridge",
        "large",
        "search",
        "neighbors",
        "cluster",
        "ensemble",
        "boosting",
        "train",
        "indefinite",
        "scales",
        "first_contact",
        "playground",
        "cold",
        "dask",
    )
}
# Not among "all": two take longer than all others together, one starts a cluster and Spark.
LONG = ("large", "train", "dask")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    names = [name for name in BENCHMARKS if name not in LONG] if given.benchmark == "all" else [given.benchmark]
    modules = {name: importlib.import_module(BENCHMARKS[name]) for name in names}
    options = _checked(parser, given, modules)
    machine = describe()
    print("\n".join(f"{key}: {value}" for key, value in machine.items()), end="\n\n", flush=True)
    results: dict[str, Any] = {}
    try:
        for name, share in _shares(options, modules):
            results[name] = modules[name].run(share)
    except KeyboardInterrupt:
        say("stopped by Ctrl-C")
        return 130
    if given.json:
        record = {"machine": machine, "seed": options.seed, "quick": options.quick, "results": results}
        given.json.write_text(json.dumps(_plain(record), indent=1, allow_nan=False) + "\n")
        say(f"raw numbers: {given.json}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure maxmargin against other libraries at equal duality gap or tolerance.",
    )
    parser.add_argument(
        "benchmark", nargs="?", default="all", choices=["all", *BENCHMARKS], help="which one (default: all)"
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder of data files (default: ../shared/data if it exists)"
    )
    parser.add_argument("--quick", action="store_true", help="small subsets: everything in a few minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all raw numbers to this file")
    parser.add_argument("--cases", metavar="A,B", help="only these cases and parts")
    parser.add_argument("--contenders", metavar="A,B", help="only these contenders (for large)")
    parser.add_argument("--resume", action="store_true", help="go on from what an interrupted run measured (for large)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help=f"the plot of time against gap ({DEFAULT_PLOT})")
    parser.add_argument("--minutes", type=float, help="about how long the run may take (default: what its parts take)")
    return parser


def _shares(options: Options, modules: dict[str, Any]) -> Iterator[tuple[str, Options]]:
    """Each benchmark with its part of the time; what one leaves is divided among those that follow."""
    waiting = list(modules)
    while waiting:
        part = modules[waiting[0]].MINUTES / sum(modules[name].MINUTES for name in waiting)
        left = max(options.minutes - elapsed() / 60, 1e-3)
        yield waiting.pop(0), replace(options, minutes=part * left, start=elapsed())


def _checked(parser: argparse.ArgumentParser, given: argparse.Namespace, modules: dict[str, Any]) -> Options:
    """The options, or an error that names the argument."""
    if given.data is not None and not given.data.is_dir():
        parser.error(f"argument --data: {str(given.data)!r} is not a folder")
    minutes = sum(module.MINUTES for module in modules.values()) if given.minutes is None else given.minutes
    if not minutes > 0:
        parser.error(f"argument --minutes: must be positive, got {given.minutes:g}")
    known = [part for module in modules.values() for part in module.PARTS]
    parts = _names(parser, "cases", "case", given.cases, known)
    askable = [name for module in modules.values() for name in getattr(module, "CONTENDERS", ())]
    if not askable and (given.contenders is not None or given.resume):
        name = "resume" if given.resume else "contenders"
        parser.error(f"argument --{name}: only large takes it, not {given.benchmark}")
    contenders = _names(parser, "contenders", "contender", given.contenders, askable)
    for name in ("json", "plot"):
        _check_writable(parser, name, getattr(given, name))
    if given.plot is not None and given.plot.suffix.lower() not in (".png", ".svg", ".pdf"):
        parser.error(f"argument --plot: {str(given.plot)!r} must end in .png, .svg or .pdf")
    return Options(
        data=given.data or _default_data(),
        quick=given.quick,
        parts=parts,
        contenders=contenders,
        resume=given.resume,
        plot=given.plot or ROOT / _default_plot(given.quick),
        plot_asked_for=given.plot is not None,
        minutes=minutes,
    )


def _names(
    parser: argparse.ArgumentParser, argument: str, one: str, given: str | None, known: Sequence[str]
) -> tuple[str, ...] | None:
    """Names that are separated by commas, each of them known; None where the argument was not given."""
    if given is None:
        return None
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        wrong = f"unknown {one} {unknown[0]!r}" if unknown else f"no {one} named"
        parser.error(f"argument --{argument}: {wrong}; choose from {', '.join(known)}")
    return names


def _check_writable(parser: argparse.ArgumentParser, name: str, path: Path | None) -> None:
    """Better now than after half an hour."""
    if path is None:
        return
    if path.is_dir():
        parser.error(f"argument --{name}: {str(path)!r} is a folder, not a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"argument --{name}: cannot make the folder {str(path.parent)!r}: {error.strerror}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        parser.error(f"argument --{name}: {str(path)!r} cannot be written")


def _plain(value: Any) -> Any:
    """The same for JSON, which knows no infinity: what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _default_plot(quick: bool) -> Path:
    """A quick run shall not draw over the plot of a full one."""
    return DEFAULT_PLOT.with_stem(f"{DEFAULT_PLOT.stem}_quick") if quick else DEFAULT_PLOT


def _default_data() -> Path | None:
    folder = ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None
