"""The course of a fit: which steps there are to look at, and the figures along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..messages import InputError
from ._fit import Answer, fit
from ._methods import CURVE
from ._request import Question

_MOST_STEPS = 400


def course(question: Question, stopped: Callable[[], bool]) -> Answer:
    """Numbers of the steps, and curves by name, of the library's own trace where its solver keeps one.

    A step itself is then a question with its number: the same estimator, stopped there by its own parameter.
    """
    steps = question.method.steps
    if steps is None:
        raise InputError(f"{question.method.title} is not made in steps.")
    if steps.traced:
        numbers, curves, problem = _traced(question)
    else:
        numbers, curves = _refitted(question, stopped)
        problem = ""
    if not len(numbers):
        raise InputError("There is no step: the start is the answer already.")
    kept = _few(len(numbers))
    arrays = {"steps": numbers[kept].astype(np.int32)}
    arrays |= {f"curve {name}": np.ascontiguousarray(values[kept]) for name, values in curves.items()}
    return {"unit": steps.unit, "curves": list(curves), "last": int(numbers[-1]), "problem": problem}, arrays


def _traced(question: Question) -> tuple[np.ndarray, dict[str, np.ndarray], str]:
    """The trace of the library's solver; of several binary problems that of the longest, and its name."""
    steps = question.method.steps
    assert steps is not None
    usual = question.keywords.get(steps.parameter)
    keywords = question.keywords_at(steps.most if usual is None else usual)
    trace = fit(question, {**keywords, "trace": True}).model.trace_
    problem = ""
    if len(trace.problems) > 1:
        problem = max(trace.problems, key=lambda name: trace.part(name)["iteration"].max())
        trace = trace.part(problem)
    iterations = trace["iteration"]
    # the last row of an iteration is the certificate, where there is one
    last = np.append(np.diff(iterations) > 0, True) & (iterations > 0)
    names = [name for name in trace.columns if name not in ("iteration", "seconds", "violation")]
    return iterations[last], {name: trace[name][last] for name in names}, problem


def _refitted(question: Question, stopped: Callable[[], bool]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Curves of a method whose estimator keeps no trace: every step is fitted."""
    steps = question.method.steps
    assert steps is not None
    whole = fit(replace(question, step=None)).model
    last = min(steps.most, whole.tree_.n_leaves - 1 if hasattr(whole, "tree_") else len(whole.estimators_))
    numbers = np.arange(1, last + 1)[_few(last)]
    losses = []
    for number in numbers:
        if stopped():
            break
        model = fit(replace(question, step=int(number))).model
        said = model.predict(question.X)
        if question.method.task == CURVE:
            losses.append(float(np.mean((question.points[:, 1] - said) ** 2)))
        else:
            losses.append(float(np.mean(said != question.y)))
    name = "squared error" if question.method.task == CURVE else "training error"
    return numbers[: len(losses)], {name: np.array(losses)}


def _few(count: int) -> np.ndarray:
    """Places of all, or of so many that are spread evenly, the first twenty and the last among them."""
    if count <= _MOST_STEPS:
        return np.arange(count)
    return np.unique(np.concatenate([np.arange(20), np.linspace(20, count - 1, _MOST_STEPS - 20).astype(int)]))
