"""How the time of a fit to the same gap grows, with rows and with features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..contest import Contest
from ..datasets import Data, shuffled, standardised, thinned
from ..growth import Times, growth_record, growth_text
from ..names import OURS
from ..options import Options
from .cases import DUAL, GAP, SQUARED, Case, covtype_two, made
from .contenders import contenders, targeted
from .judge import Judge
from .tolerance import find

ROWS = (2500, 5000, 10000, 20000, 40000, 80000)
QUICK_ROWS = (250, 500, 1000, 2000)
FEATURES = (25, 50, 100, 200, 400)
QUICK_FEATURES = (10, 20, 40, 80)
MADE_ROWS = 10000
PATIENCE = 10.0  # seconds for a fit of a peer

_PEERS = {"squared_hinge": SQUARED[:1], "hinge": DUAL}


def run_rows(options: Options) -> tuple[str, dict[str, Any]]:
    """The tables of growth with n and their raw numbers."""
    sizes = QUICK_ROWS if options.quick else ROWS
    return _run("growth-n", "rows", _covtype_shuffled, sizes, options)


def run_features(options: Options) -> tuple[str, dict[str, Any]]:
    """The tables of growth with d and their raw numbers."""
    sizes = QUICK_FEATURES if options.quick else FEATURES
    return _run("growth-d", "features", _made_wide, sizes, options)


def _covtype_shuffled(options: Options) -> Data:
    """Its rows are ordered by place: for subsets that are its first rows it has to be mixed."""
    return standardised(thinned(shuffled(covtype_two(options)), (QUICK_ROWS if options.quick else ROWS)[-1]))


def _made_wide(options: Options) -> Data:
    return made(QUICK_ROWS[-1], QUICK_FEATURES[-1]) if options.quick else made(MADE_ROWS, FEATURES[-1])


def _run(
    name: str, what: str, prepare: Callable[[Options], Data], sizes: Sequence[int], options: Options
) -> tuple[str, dict[str, Any]]:
    data = prepare(options)
    n, d = data.X.shape
    shapes = [(k, d) if what == "rows" else (n, k) for k in sizes]
    of = f"{d} features" if what == "rows" else f"{n} rows"
    texts, record = [], {}
    for loss, peers in _PEERS.items():
        case = Case(f"{name}, {loss}", prepare, loss, peers, required=1.0)
        times, absent = _measure(case, data, shapes, sizes, options)
        head = f"{name}: the first {what} of {of}, {case.title}, to a gap of {GAP:g}; data: {data.origin}"
        texts.append(growth_text(head, "n" if what == "rows" else "d", sizes, times, absent))
        record[loss] = growth_record(sizes, times)
    return "\n".join(texts), record


def _measure(
    case: Case, data: Data, shapes: Sequence[tuple[int, int]], sizes: Sequence[int], options: Options
) -> tuple[Times, dict[str, str]]:
    times: Times = {contender.name: {} for contender in contenders(case)}
    tol = dict.fromkeys(case.peers, 1.0)  # what was far too loose for a smaller problem is not tried again
    with Contest(contenders(case), case, (data.X, data.y), options, targeted(case)) as contest:
        for (n, d), size in zip(shapes, sizes, strict=True):
            judge = Judge(case, data.X[:n, :d], data.y[:n])
            for name in contest.names:
                contest.ask(name, "use_part", n=n, d=d)
            able = [OURS]
            for name in [p for p in case.peers if p in contest.names]:
                found = find(contest, judge, name, PATIENCE, loosest=tol[name], by_halves=False)
                if found is not None and found.reached:
                    tol[name] = 10 * found.tol
                    able.append(name)
            for name, laps in contest.race("fit", only=able, hurried=True).items():
                times[name][size] = laps.median
    return times, contest.failed
