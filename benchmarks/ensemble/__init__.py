"""Trees and ensembles: training and prediction, judged by their error on rows that were held out."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_cases, run_parts
from ..side_by_side import Result, case_text, raw, run_side_by_side, targets
from ..targets import targets_text
from . import accuracy, bias_variance, cascade, growth
from .cases import CASES, Case
from .contenders import contenders
from .judge import FIGURES, Judge

MINUTES = 16.0
_OTHER = {
    "forest-growth": growth.run,
    "accuracy": accuracy.run,
    "cascade": cascade.run,
    "bias-variance": bias_variance.run,
}
PARTS = (*(case.name for case in CASES), *_OTHER)

READING = """How to read it. Seconds are medians of fits, or of `predict` where the case is about prediction; everybody
has the same rows, all settings are the defaults but those named, and all cores may be used. "error" is that of the
predictions for rows held out, with its standard error; a ratio counts only where our error is not larger than the
peer's by more than three standard errors. "ratio" is the peer's time over ours. "peak MB" is memory beyond data and
imports. The table of accuracies is over five seeds."""


def run_case(case: Case, options: Options) -> Result:
    data = case.data(options)
    subjects = (data.X, data.y, data.X_test)
    methods = ("fit", "predict") if case.predicts else ("fit",)
    rehearsal = [(method, {}) for method in methods]
    return run_side_by_side(
        case, data.text, contenders(case), subjects, options, Judge(data.y_test), methods, rehearsal
    )


def _text(result: Result) -> str:
    what, beside = ("predict", "fit") if result.case.predicts else ("fit", "")
    return case_text(result, what, FIGURES, beside=beside)


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each table as soon as it is there, return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    results, cases = run_cases(options, CASES, run_case, _text, raw)
    others = run_parts(options, _OTHER)
    if results:
        print(targets_text(targets(results, "time"), options.quick), flush=True)
    return {"cases": cases, **others}
