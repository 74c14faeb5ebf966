"""Linear and kernel machines: C and gamma by the searches that share what they compute.

A search of a kernel machine over a wide grid is made where the kernel matrix of its rows is small. Where there are more
rows, the best candidate of a draw of them and its better neighbours in C and gamma (of a regressor, in gamma) are
cross-validated on all: the best C and gamma move slowly with the number of rows, while the time grows with its square.

Of very many rows the machine itself is approximated, by `LargeSVC` and `LargeSVR`, whose certificate says between what
bounds the exact optimum lies.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates import Status
from ..linear_model import LogisticRegression, LogisticRegressionCV, Ridge
from ..messages import counted, number
from ..svm import (
    SVC,
    SVCCV,
    SVR,
    SVRCV,
    LargeSVC,
    LargeSVR,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    bracket_words,
    is_large,
    terms_of,
)
from ._search import Job, OutOfTimeError, Reporting, SearchResult, search_each, table_row
from ._table import coarse_rows, make_folds

# Rows up to which the wide grid is searched on all of them. 36 candidates, 5 folds, 20 columns: 2500 rows take a
# classifier 5 s of one core (4000: 13 s), 1500 rows a regressor 9 s (2500: 30 s).
_COARSE, _COARSE_VALUES = 2500, 1500
_SMALL, _SIDE, _SMALL_SIDE = 1000, 6, 8  # values of C and of gamma
_WITHOUT_GAMMA = ("linear",)
KERNELS = ("rbf", "linear", "poly", "sigmoid")
# Half the width of the tube of a regressor, in standard deviations of the target.
_TUBE = 0.1
# Rows up to which the machine is the exact one. Of more, the exact optimum is bracketed to the relative gap, and the
# fit ends after these minutes, if no others are asked for.
_EXACT_ROWS, _GAP, _MINUTES = 50_000, 0.01, 30.0


class _ReportingSVCCV(Reporting, SVCCV):
    """Tells of its candidates."""


class _ReportingSVRCV(Reporting, SVRCV):
    """Tells of its candidates."""


def tube(y: np.ndarray) -> float:
    """Half the width of a regressor's tube: a tenth of the spread of the target."""
    return _TUBE * float(np.std(y))


def search_kernel(job: Job) -> SearchResult:
    """C and gamma, those that are not given."""
    n = len(job.y)
    kernel = job.fixed["kernel"]
    side = _SMALL_SIDE if n <= _SMALL else _SIDE
    Cs, gammas = _asked(job, "C", side), _asked(job, "gamma", side)
    if isinstance(Cs, list) and (isinstance(gammas, list) or kernel in _WITHOUT_GAMMA):
        if _is_large(job):
            return replace(_search_large(job, Cs, None if kernel in _WITHOUT_GAMMA else gammas), note="as given")
        return _run(job, Cs, gammas, "as given")
    most = _COARSE if job.classes else _COARSE_VALUES
    if n <= most:
        return _run(job, Cs, gammas, "")
    rows = coarse_rows(job.codes, n, most, job.seed)
    codes = None if job.codes is None else job.codes[rows]
    order = job.order.take(rows)
    folds = make_folds(codes, len(rows), len(job.folds), job.seed, order)
    part = Job(**{**vars(job), "X": job.X[rows], "y": job.y[rows], "codes": codes, "folds": folds, "order": order})
    wide = _run(part, Cs, gammas, "")
    # a regressor's time grows with C: 6400 rows at C=77 took 7 times as long as at C=15, and a larger C would follow
    Cs = _neighbours(wide, "C") if job.classes or kernel in _WITHOUT_GAMMA else [wide.params["C"]]
    gammas = None if kernel in _WITHOUT_GAMMA else _neighbours(wide, "gamma")
    count = len(Cs) * (1 if gammas is None else len(gammas))
    found = _search_large(job, Cs, gammas) if _is_large(job) else _run(job, Cs, gammas, "")
    for row in wide.table:
        row["status"] = f"on {len(rows)} rows; {row['status']}"
    note = f"{len(wide.table)} candidates on {len(rows)} rows, then {count} on {n}"
    return SearchResult(found.params, found.fold_scores, found.table + wide.table, note)


def _asked(job: Job, name: str, side: int) -> Any:
    return side if job.fixed.get(name) is None else [float(job.fixed[name])]


def _neighbours(found: SearchResult, name: str) -> list[float]:
    """The best value and the better of those next to it, with the other parameter at its best."""
    others = {key: value for key, value in found.params.items() if key != name}
    line = [row for row in found.table if all(row["params"][key] == value for key, value in others.items())]
    line.sort(key=lambda row: row["params"][name])
    values = [row["params"][name] for row in line]
    best = values.index(found.params[name])
    near = [k for k in (best + 1, best - 1) if 0 <= k < len(values)]
    if not near:
        return [values[best]]
    # of equal ones the larger: more rows bear a larger C and a narrower kernel
    second = max(near, key=lambda k: (line[k]["score"], k))
    return sorted([values[best], values[second]])


def _run(job: Job, Cs: Any, gammas: Any, note: str) -> SearchResult:
    kernel = job.fixed["kernel"]
    options: dict[str, Any] = {
        "Cs": Cs,
        "kernel": kernel,
        "cv": job.folds,
        "scoring": job.scoring,
        "refit": False,
        "memory": job.memory,
        "n_jobs": job.n_jobs,
        "error_score": "raise",
    }
    if kernel not in _WITHOUT_GAMMA:
        options["gammas"] = gammas
    search: Any
    if job.classes:
        search = _ReportingSVCCV(class_weight=job.class_weight, calibration=None, **options)
    else:
        search = _ReportingSVRCV(epsilon=tube(job.y), **options)
    return run_search(search, job, note)


def run_search(search: Any, job: Job, note: str) -> SearchResult:
    """Run one of our searches, whose candidates are told to the job's reporter."""
    search.reporter, search.family = job.reporter, job.family
    try:
        search.fit(job.X, job.y)
    except ValueError as error:
        if search.monitor is not None and search.monitor.stopped:
            raise OutOfTimeError from error
        raise
    table, best = search.cv_results_, search.best_index_
    split = np.array([table[f"split{k}_test_score"] for k in range(len(job.folds))]).T
    seconds = (table["mean_fit_time"] + table["mean_score_time"]) * len(job.folds)
    finished = np.flatnonzero(np.isfinite(split).all(axis=1)).tolist()
    rows = [table_row(_plain(table["params"][k]), split[k], seconds[k], str(table["status"][k])) for k in finished]
    if not note:
        note = f"{len(split)} candidates on {len(job.y)} rows"
    if len(finished) < len(split):
        note += f"; the time was over after {len(finished)} of {len(split)}"
    return SearchResult(_plain(table["params"][best]), split[best], rows, note)


def _plain(params: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in params.items()}


def _is_large(job: Job) -> bool:
    """Whether the exact machine would take too long; a sigmoid kernel has no other, for want of a lower bound."""
    return len(job.y) > _EXACT_ROWS and job.fixed["kernel"] != "sigmoid"


def _search_large(job: Job, Cs: list[float], gammas: list[float] | None) -> SearchResult:
    """Candidates of very many rows, one after the other: each fold's machine is approximate, as the last one is."""
    candidates = [{"C": C} | ({} if gammas is None else {"gamma": gamma}) for C in Cs for gamma in gammas or [0.0]]
    make = make_svc if job.classes else make_svr

    def in_time(**params: float) -> Any:
        left = None if job.reporter.deadline is None else job.reporter.deadline - time.perf_counter()
        return make(job, params).set_params(time_limit=left if left is None else max(left, 1.0))

    return search_each(job, candidates, in_time, "")


def _seconds(job: Job) -> float:
    """For a fit that can be cut short and still says how far it is from the optimum."""
    return 60.0 * (_MINUTES if job.minutes is None else job.minutes)


def make_svc(job: Job, params: dict[str, Any]) -> SVC | LargeSVC:
    """The classifier of a candidate."""
    common: dict[str, Any] = {"kernel": job.fixed["kernel"], "class_weight": job.class_weight, "n_jobs": job.n_jobs}
    if _is_large(job):
        return LargeSVC(**common, **_of_large(job), **params)
    return SVC(cache_size=job.memory, **common, **params)


def make_svr(job: Job, params: dict[str, Any]) -> SVR | LargeSVR:
    """The regressor of a candidate; the tube is that of all training rows."""
    common: dict[str, Any] = {"kernel": job.fixed["kernel"], "epsilon": tube(job.y), "n_jobs": job.n_jobs}
    if _is_large(job):
        return LargeSVR(**common, **_of_large(job), **params)
    return SVR(cache_size=job.memory, **common, **params)


def _of_large(job: Job) -> dict[str, Any]:
    return {"gap_tol": _GAP, "memory": job.memory, "time_limit": _seconds(job), "random_state": job.seed}


def large_remark(job: Job, model: Any) -> str:
    """What an approximate machine is, and how near to the exact one."""
    if not is_large(model):
        return ""
    rows, made_of = len(job.y), counted(len(model.support_), terms_of(model, several=False))
    words = (
        f"{job.family} of more than {_EXACT_ROWS:,} rows (here {rows:,}) is fitted by {type(model).__name__} "
        f"({made_of}) until its gap is {_GAP:g} or less: {bracket_words(model.certificate_)}"
    )
    if model.certificate_.status is Status.BUDGET_EXHAUSTED:
        words += f". The time, {number(_seconds(job) / 60)} minutes, was over before: more minutes make the gap smaller"
    return words


_LINEAR_SIDE = 8  # values of C of a linear machine
# Of sparse rows of so many columns, times classes, fewer values are tried, and candidates are compared by machines that
# are within a hundredth of the optimum; the final one is within its own tolerance.
_WIDE_WORK, _WIDE_SIDE, _ROUGH = 200_000, 5, 1e-2


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
    side, rough = _LINEAR_SIDE, {}
    if sp.issparse(job.X) and job.codes is not None:
        machines = 1 + int(job.codes.max())
        if machines * job.X.shape[1] > _WIDE_WORK:  # one machine a class, each over all words
            side, rough = _WIDE_SIDE, {"tol": _ROUGH}
    return {
        **rough,
        "Cs": side if job.fixed.get("C") is None else [float(job.fixed["C"])],
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
