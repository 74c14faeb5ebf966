"""Who watches a fit: the display, the callback, and the trace that an estimator keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..solvers import Monitor, Trace


def monitor_of(estimator: Any) -> Monitor:
    """The monitor that an estimator's parameters ask for."""
    from ..solvers import Monitor, Trace  # not for estimators that no solver trains

    trace = Trace() if getattr(estimator, "trace", False) else None
    return Monitor(getattr(estimator, "verbose", False), getattr(estimator, "callback", None), trace=trace)


def keep_trace(estimator: Any, trace: Trace | None) -> None:
    """Give an estimator ``trace_``, or take away that of an earlier fit."""
    if trace is not None:
        estimator.trace_ = trace
    elif "trace_" in vars(estimator):
        del estimator.trace_
