"""Progress of a fit: shown, recorded, and the way to stop it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from ..certificates import Certificate
from ..engine import was_interrupted
from ..messages import Fitting, ProgressDisplay
from ._trace import Figures, Trace, TracePoint


class Monitor:
    """Called by solvers at least twice a second with how far they are.

    Parameters
    ----------
    verbose : bool or int
        Show a line of progress: in place on a terminal (with rich, where it is installed) and in a notebook, one line a
        report elsewhere, on standard error.
    callback : callable, optional
        Called with a dict of ``problem, iteration, violation, gap, seconds``; returning True stops the fit. The gap is
        relative to the objective.
    interval : float
        Seconds between two shown lines. The callback hears every report.
    trace : Trace, optional
        Keeps every step.

    """

    def __init__(
        self,
        verbose: bool | int = False,
        callback: Callable[[dict], Any] | None = None,
        interval: float = 0.25,
        trace: Trace | None = None,
    ) -> None:
        self.verbose, self.callback, self.interval, self.trace = bool(verbose), callback, interval, trace
        self.label = ""
        self.stopped = False
        self._whole = self
        self._view: Callable[[Figures], Figures] | None = None
        self._until: Callable[[], bool] | None = None
        self._before = 0
        self.proves = True
        self._begin = time.perf_counter()
        self._shown = -float("inf")
        self._display = ProgressDisplay(pause=0.0)

    def named(self, label: str) -> Monitor:
        """A monitor for one of several problems: it speaks by name and stops with all the others."""
        part = copy(self)
        part.label, part._whole = label, self._whole
        return part

    def after(self, steps: int) -> Monitor:
        """A monitor for a solver that goes on where others have ended: its steps are counted on from theirs."""
        part = copy(self)
        part._before, part._whole = self._before + steps, self._whole
        return part

    def stop(self) -> None:
        """Ask every solver that reports here to stop."""
        self._whole.stopped = True

    @property
    def was_stopped(self) -> bool:
        """Whether a callback, or another problem of the same fit, has asked to stop."""
        return self._whole.stopped

    def until(self, over: Callable[[], bool], proves: bool = True) -> Monitor:
        """A monitor that also stops its solver when `over` says so, and nobody else.

        `proves`: whether there is time for figures of the whole kernel matrix at the end.
        """
        part = copy(self)
        part._until, part._whole, part.proves = over, self._whole, proves
        return part

    @property
    def out_of_time(self) -> bool:
        """Whether that which `until` was given says that it is over: solvers then leave figures to who asked them."""
        return self._until is not None and self._until()

    @property
    def wants_reports(self) -> bool:
        """Whether anyone listens: solvers skip figures that only a report needs."""
        return self.verbose or self.callback is not None or self.trace is not None

    def record(
        self, iteration: int, figures: Callable[[], Figures], variables: Callable[[], np.ndarray] | None = None
    ) -> Figures | None:
        """Keep a step in the trace, if there is one; the time that its figures take is no part of the fit's."""
        if self.trace is None:
            return None
        now = time.perf_counter()
        found, seconds = self.seen(figures()), now - self._begin
        kept = np.array(variables()) if self.trace.variables and variables is not None else None
        self.trace.points.append(TracePoint(self.label, self._before + iteration, found, seconds, kept))
        self._begin += time.perf_counter() - now
        return found

    def certified(self, certificate: Certificate) -> None:
        """Let the trace of a problem, if there is one, end with what is proven."""
        if self.trace is None:
            return
        it, before = certificate, self.trace.of(self.label)
        # a solver may count in smaller units than the certificate does
        iteration = before[-1].iteration - self._before if before else it.iterations
        self.record(iteration, lambda: Figures(it.kkt_violation, it.relative_gap, it.primal, it.dual))

    def viewing(self, view: Callable[[Figures], Figures]) -> Monitor:
        """A monitor for work on an equivalent problem: `view` gives its figures in terms of the one that was asked."""
        part = copy(self)
        part._view, part._whole = view, self._whole
        return part

    def seen(self, figures: Figures) -> Figures:
        """Figures of a solver in terms of the problem that was asked."""
        return figures if self._view is None else self._view(figures)

    def untraced(self) -> Monitor:
        """A monitor for work on another problem than the one that is traced, such as a sketch of it."""
        part = copy(self)
        part.trace, part._whole = None, self._whole
        return part

    def report(self, iteration: int, violation: float, gap: float) -> bool:
        """Tell the state of the fit; True means that the solver shall stop."""
        iteration, seconds = self._before + iteration, time.perf_counter() - self._begin
        if self.verbose and seconds - self._whole._shown >= self.interval:
            self._whole._shown = seconds
            self._whole._display.take(Fitting(iteration, gap, seconds, self.label, violation))
        if self.callback is not None:
            state = {
                "problem": self.label,
                "iteration": iteration,
                "violation": violation,
                "gap": gap,
                "seconds": seconds,
            }
            if self.callback(state):
                self.stop()
        # an interrupt that another solver of the same fit has kept ends this one too
        return self._whole.stopped or was_interrupted() or self.out_of_time

    def close(self, conclusion: str = "") -> None:
        """End the line of progress, leaving a last word."""
        self._whole._display.close()
        if self.verbose and conclusion:
            print(f"maxmargin: {conclusion}", file=sys.stderr, flush=True)
