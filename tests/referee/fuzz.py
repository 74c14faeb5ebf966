"""Certificates against the exact optimum: ``python -m tests.referee.fuzz --count 20000 --seed 0``.

Each problem is fitted, its certificate and that of `verify` are held against the optimum (see `tests.referee.judge`),
and what is wrong is printed with the number of the problem; ``--only 17`` runs that one again and tells all about it.
The exit code is 1 if anything was wrong, or if more than one optimum in fifty could not be settled.
"""

import argparse
import sys
import time
import traceback
from collections import Counter, defaultdict

import numpy as np

from . import machines
from .hostile import MACHINES, case
from .judge import Verdict, judge


def run(count, seed, first=0, only="", patience=None):
    """Verdicts by number of the problem; those of machines whose names begin otherwise are left out."""
    began = time.perf_counter()
    for number in range(first, first + count):
        problem = case(seed, number)
        if not problem.kind.startswith(only):
            continue
        since = time.perf_counter()
        try:
            verdict = judge(problem)
        except Exception:  # the referee's own fault: never to be overlooked
            verdict = Verdict("raised", ["the referee raised " + traceback.format_exc(limit=-3)])
        yield number, problem, verdict, time.perf_counter() - since
        if patience is not None and time.perf_counter() - began > patience:
            return


class Summary:
    """Counts by kind of machine, and everything that was wrong."""

    def __init__(self):
        self.problems, self.optima, self.unsettled = Counter(), Counter(), Counter()
        self.misses, self.words, self.seconds = defaultdict(list), Counter(), Counter()
        self.widths = defaultdict(list)

    def add(self, number, problem, verdict, seconds):
        name = problem.machine
        self.problems[name] += 1
        self.optima[name] += verdict.optima
        self.unsettled[name] += verdict.unsettled
        self.words[verdict.word] += 1
        self.seconds[name] += seconds
        self.widths[name] += verdict.widths
        if verdict.complaints:
            self.misses[name].append((number, problem.kind, verdict.complaints))

    @property
    def wrong(self):
        return sum(len(m) for m in self.misses.values())

    def lines(self):
        heads = ("problems", "optima", "unsettled", "wrong", "rate", "median gap", "ms")
        yield "{:20} {:>8} {:>7} {:>9} {:>6} {:>7} {:>11} {:>6}".format("machine", *heads)
        for name in [m for m in MACHINES if self.problems[m]]:
            count = self.problems[name]
            widths = self.widths[name]
            median = f"{np.median(widths):11.1e}" if widths else " " * 11
            yield (
                f"{name:20} {count:8} {self.optima[name]:7} {self.unsettled[name]:9} {len(self.misses[name]):6} "
                f"{len(self.misses[name]) / count:7.2%} {median} {1000 * self.seconds[name] / count:6.0f}"
            )
        total, unsettled = sum(self.problems.values()), sum(self.unsettled.values())
        yield f"{total} problems: {self.wrong} wrong, {unsettled} of {sum(self.optima.values())} optima not settled"


def describe(problem):
    """The problem as it can be typed in."""
    np.set_printoptions(threshold=sys.maxsize, floatmode="unique")
    X = problem.X.toarray() if hasattr(problem.X, "toarray") else problem.X
    yield f"model = {problem.model!r}"
    for name, value in (("X", X), ("y", problem.y), ("sample_weight", problem.sample_weight)):
        yield f"{name} = {value!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument("--only", type=int, help="one problem, with all of its data")
    parser.add_argument(
        "--machine", default="", help="beginning of a machine's name, such as 'LinearSVC squared_hinge l1'"
    )
    parser.add_argument("--show", type=int, default=10, help="how many wrong problems of each machine are printed")
    parser.add_argument("--rounded", action="store_true", help="take the float64 product of C and weights as exact")
    options = parser.parse_args()
    machines.ROUNDED = options.rounded
    if options.only is not None:
        options.first, options.count, options.machine = options.only, 1, ""
        print(*describe(case(options.seed, options.only)), sep="\n")
    summary, began = Summary(), time.perf_counter()
    for number, problem, verdict, seconds in run(options.count, options.seed, options.first, options.machine):
        summary.add(number, problem, verdict, seconds)
        if options.only is not None:
            print(getattr(problem.model, "certificate_", ""))
    for name in MACHINES:
        for number, kind, complaints in summary.misses[name][: options.show]:
            print(
                f"--seed {options.seed} --only {number}  {kind}: {complaints[0]}"
                + f" (+{len(complaints) - 1})" * (len(complaints) > 1)
            )
    for word, count in sorted(summary.words.items()):
        print(f"{count:8} {word}")
    print(*summary.lines(), sep="\n")
    print(f"{time.perf_counter() - began:.0f} s")
    unsettled, known = sum(summary.unsettled.values()), sum(summary.optima.values())
    return 1 if summary.wrong or 50 * unsettled > known else 0


if __name__ == "__main__":
    sys.exit(main())
