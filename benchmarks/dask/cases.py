"""Linear machines on covtype: what each library takes for the same objective."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import table
from ..datasets import Data, load, standardised
from ..options import Options
from ..progress import say
from ..referee import Binary, binary, with_constant
from ..worker import ContenderError
from .cluster import spread
from .peers import PEERS

# The excess over the best bound, relatively, up to which objectives are equal; iterations that peers try in turn.
EQUAL = 1e-3
LADDER = (5, 10, 20, 40, 80, 160, 320, 640)
REQUIRED = 5.0
PARTITIONS = 29
_QUICK = 50_000
_RUNS = 3
_PATIENCE = 240.0  # seconds of all rungs together, after which a peer is given up


@dataclass(frozen=True)
class Case:
    """A machine and what it minimises."""

    estimator: str
    room: str
    loss: str
    params: dict[str, Any]
    C: float = 1.0


CASES = {
    "dask_logistic": Case("LogisticRegression", "maxmargin.linear_model", "logistic", {"tol": 1e-4}),
    "dask_hinge": Case("LinearSVC", "maxmargin.svm", "hinge", {"loss": "hinge", "tol": 1e-4}),
    "dask_squared_hinge": Case("LinearSVC", "maxmargin.svm", "squared_hinge", {"loss": "squared_hinge", "tol": 1e-4}),
}


@dataclass
class Line:
    """What a contender took, and the excess of its objective."""

    name: str
    seconds: float | None = None
    excess: float | None = None
    note: str = ""


def run_case(name: str, client: Any, options: Options) -> dict[str, Any]:
    """A table; the numbers of it."""
    case, data = CASES[name], _covtype(options)
    X, y = np.ascontiguousarray(data.X, dtype=np.float64), (data.y == 2).astype(np.int64)
    problem = _problem(X, y, case)
    Xd, yd = spread(client, X, PARTITIONS), spread(client, y, PARTITIONS)
    ours, one = _estimators(case, client)
    runs = 1 if options.hurried else _RUNS
    lines, best = [], -np.inf
    small_X, small_y = Xd[:2000], yd[:2000]
    for label, fit, warm in (
        ("maxmargin on the cluster", lambda: ours.fit(Xd, yd), lambda: ours.fit(small_X, small_y)),
        ("maxmargin on one machine", lambda: one.fit(X, y), lambda: one.fit(X[:2000], y[:2000])),
    ):
        say(f"  {label}")
        warm()
        seconds, model = _timed(fit, runs)
        theta = np.append(np.ravel(model.coef_), model.intercept_)
        best = max(best, problem.dual(theta), model.certificate_.dual)
        lines.append(Line(label, seconds, problem.value(theta)))
    for label, make in PEERS.items():
        say(f"  {label}")
        try:
            lines.append(_up_the_ladder(label, make(case.loss, Xd, yd, X, y, case.C), problem, best))
        except ContenderError as error:
            lines.append(Line(label, note=str(error)))
    for line in lines:
        if line.excess is not None:
            line.excess = (line.excess - best) / abs(best)
    print(_text(f"{name}: {case.estimator}, C={case.C:g}, {data.shape_text}, {data.origin}", lines), flush=True)
    return {line.name: vars(line) for line in lines}


def _covtype(options: Options) -> Data:
    data = standardised(load("covtype", options.data, options.seed))
    if options.quick:
        chosen = np.random.default_rng(options.seed).choice(len(data.y), min(_QUICK, len(data.y)), replace=False)
        data = data.rows(np.sort(chosen))
    return data


def _problem(X: np.ndarray, y: np.ndarray, case: Case) -> Binary:
    return binary(with_constant(X), 2.0 * y - 1.0, case.loss, C=case.C)


def _estimators(case: Case, client: Any) -> tuple[Any, Any]:
    import importlib

    import maxmargin.dask

    ours = getattr(maxmargin.dask, case.estimator)(client=client, C=case.C, **case.params)
    return ours, getattr(importlib.import_module(case.room), case.estimator)(C=case.C, **case.params)


def _timed(fit: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """The median of some runs, and the last answer."""
    laps, found = [], None
    for _ in range(runs):
        begin = time.perf_counter()
        found = fit()
        laps.append(time.perf_counter() - begin)
    return statistics.median(laps), found


def _up_the_ladder(name: str, fit: Callable[[int], np.ndarray], problem: Binary, bound: float) -> Line:
    """The first rung whose objective is equal to the best; without one, the best that was found."""
    found = Line(name, note="not equal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit(2)
        except Exception as error:  # of another library: any
            return Line(name, note=f"fails: {type(error).__name__}: {error}"[:200])
        spent = 0.0
        for iterations in LADDER:
            seconds, theta = _timed(lambda k=iterations: fit(k), 1)  # type: ignore[misc]
            value = problem.value(theta)
            if found.excess is None or value < found.excess:
                found.seconds, found.excess, found.note = seconds, value, f"{iterations} iterations, not equal"
            if (value - bound) / abs(bound) <= EQUAL:
                found.note = f"{iterations} iterations"
                return found
            spent += seconds
            if spent + 2 * seconds > _PATIENCE:
                break
    return found


def _text(title: str, lines: list[Line]) -> str:
    first, rows = lines[0].seconds, []
    for line in lines:
        share = None if line.seconds is None or first is None else line.seconds / first
        wanted = REQUIRED if line.name in PEERS else None
        right = line.excess is not None and line.excess <= EQUAL
        cells = [table.seconds(line.seconds), table.small(line.excess), table.ratio(share, at_least=not right)]
        rows.append([line.name, *cells, table.verdict(share, wanted) if share else "", line.note])
    header = ["", "seconds", "excess", "times ours", f">= {REQUIRED:g}", ""]
    return f"{title}\n{table.render(header, rows)}\n"
