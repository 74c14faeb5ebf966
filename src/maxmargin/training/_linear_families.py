"""Linear machines: one strength of the penalty."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linear_model import LogisticRegression, LogisticRegressionCV, Ridge
from ..svm import LinearSVC, LinearSVCCV, LinearSVR
from ._kernel_families import run_search, tube
from ._reporter import Reporting
from ._search import Job, SearchResult, search_each

_SIDE = 8  # values of C


class _ReportingLinearSVCCV(Reporting, LinearSVCCV):
    """Tells of its candidates."""


class _ReportingLogisticRegressionCV(Reporting, LogisticRegressionCV):
    """Tells of its candidates."""


def search_linear(job: Job) -> SearchResult:
    """C of a linear support vector machine."""
    if not job.classes:
        return _search_linear_svr(job)
    options = _options(job)
    return run_search(_ReportingLinearSVCCV(calibration=None, **options), job, _note(job))


def search_logistic(job: Job) -> SearchResult:
    """C of logistic regression."""
    return run_search(_ReportingLogisticRegressionCV(**_options(job)), job, _note(job))


def _options(job: Job) -> dict[str, Any]:
    return {
        "Cs": _SIDE if job.fixed.get("C") is None else [float(job.fixed["C"])],
        "class_weight": job.class_weight,
        "cv": job.folds,
        "scoring": job.scoring,
        "refit": False,
        "random_state": job.seed,
        "n_jobs": job.n_jobs,
        "error_score": "raise",
    }


def _note(job: Job) -> str:
    return "" if job.fixed.get("C") is None else "as given"


def _search_linear_svr(job: Job) -> SearchResult:
    """C of a linear support vector regressor.

    With standardised columns and weights of the size of the target's spread s, the pull of the penalty and that of the
    losses are alike at C = s/n: the grid begins at a tenth of it.
    """
    if job.fixed.get("C") is not None:
        values, note = [float(job.fixed["C"])], "as given"
    else:
        values = (np.std(job.y) / len(job.y) * np.logspace(-1, 4, 6)).tolist()
        note = f"{len(values)} candidates on {len(job.y)} rows"
    return search_each(job, [{"C": C} for C in values], lambda **params: make_linear(job, params), note)


def search_ridge(job: Job) -> SearchResult:
    """The penalty of ridge regression, in units of the number of rows (the size of X'X of standardised columns)."""
    alphas = (len(job.y) * np.logspace(1, -6, 8)).tolist()
    candidates = [{"alpha": alpha} for alpha in alphas]
    return search_each(
        job, candidates, lambda **params: Ridge(**params), f"{len(alphas)} candidates on {len(job.y)} rows"
    )


def make_linear(job: Job, params: dict[str, Any]) -> Any:
    """The linear support vector machine of a candidate."""
    common = {"random_state": job.seed, "n_jobs": job.n_jobs, **params}
    if job.classes:
        return LinearSVC(class_weight=job.class_weight, **common)
    return LinearSVR(epsilon=tube(job.y), **common)


def make_logistic(job: Job, params: dict[str, Any]) -> LogisticRegression:
    """The logistic regression of a candidate."""
    return LogisticRegression(class_weight=job.class_weight, random_state=job.seed, n_jobs=job.n_jobs, **params)


def make_ridge(job: Job, params: dict[str, Any]) -> Ridge:
    """The ridge regression of a candidate."""
    return Ridge(**params)
