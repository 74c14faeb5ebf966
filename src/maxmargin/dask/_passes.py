"""Several solvers side by side, whose questions go to the cluster by one pass.

A solver is a generator: it yields a question about its problem and is sent the answer of all partitions. So problems of
one fit share each reading of the rows, and a solver reads like one for rows in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

from ._partitions import Partitions
from ._risk_tasks import answers

Solver: TypeAlias = Generator[Any, Any, Any]

# Bytes of answers of a pass, more of which are divided among several passes.
_ROOM = 2**27


def run_side_by_side(
    samples: Partitions,
    spec: Any,
    solvers: Sequence[Solver],
    name: str,
    size: float,
    heard: Callable[[], bool],
) -> list[Any]:
    """What each solver returns, the k-th being about problem k.

    Parameters
    ----------
    samples : Partitions
        Where the rows are.
    spec : RiskSpec or another that has `risks`
        What a partition makes of its rows.
    solvers : sequence of generators
        One a problem.
    name : str
        What the tasks are called.
    size : float
        Bytes of the largest answer.
    heard : callable
        Asked after each pass whether the fit shall end early: solvers are sent None then, and return what they have.

    """
    results: list[Any] = [None] * len(solvers)
    asked: dict[int, Any] = {}
    for k, solver in enumerate(solvers):
        _advance(solver, k, None, asked, results)
    at_once = max(1, int(_ROOM / max(size, 1.0)))
    while asked:
        numbers = sorted(asked)[:at_once] if len(asked) > at_once else sorted(asked)
        questions = [(k, asked.pop(k)) for k in numbers]
        found = samples.cluster.total(name, answers, samples.parts, spec, questions)
        stop = heard()
        for (k, _), answer in zip(questions, found, strict=True):
            _advance(solvers[k], k, (answer, stop), asked, results)
    return results


def _advance(solver: Solver, k: int, answer: Any, asked: dict[int, Any], results: list[Any]) -> None:
    try:
        asked[k] = solver.send(answer)
    except StopIteration as end:
        results[k] = end.value
