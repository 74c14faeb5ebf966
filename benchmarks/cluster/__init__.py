"""Clusters: k-means from the same start, normalised cuts of the same graph, and growth with the number of rows."""

from __future__ import annotations

from typing import Any

from ..options import Options
from ..parts import run_cases, run_parts
from ..side_by_side import Result, case_text, raw, run_side_by_side, targets
from ..targets import targets_text
from . import growth
from .cases import CASES, KMeansCase, SpectralCase
from .contenders import contenders
from .judge import KMEANS_FIGURES, SAME_INERTIA, SPECTRAL_FIGURES, KMeansJudge, SpectralJudge

MINUTES = 9.0
_OTHER = {"kmeans-growth": growth.run_kmeans, "spectral-growth": growth.run_spectral}
PARTS = (*(case.name for case in CASES), *_OTHER)

READING = f"""How to read it. Seconds are medians of `fit`. k-means: everybody starts from the same rows and takes
Lloyd's steps with tol=0. "inertia" is the referee's, in float64 from the centres; "change" is the share of points that
would change their cluster, "move" how far a centre is from the mean of its points, over the root mean square distance.
Ours counts against a peer if its inertia is not above the peer's by more than {SAME_INERTIA:g} of it. Spectral: "ncut"
is the normalised cut of the labels in scikit-learn's own graph of neighbours; ours has to be as small as the peer's or
smaller. "ratio" is the peer's time over ours; the required one is for the fastest algorithm of a library. "peak MB" is
memory beyond data and imports."""


def run_case(case: KMeansCase | SpectralCase, options: Options) -> Result:
    data = case.data(options)
    about = f"{data.X.shape[0]} x {data.X.shape[1]} {data.X.dtype}; data: {data.origin}"
    if isinstance(case, SpectralCase):
        judge, rehearsal = SpectralJudge(case, data.X), [("fit", {})]
        return run_side_by_side(case, about, contenders(case), (data.X,), options, judge, ("fit",), rehearsal)
    case = case.small() if options.quick else case
    subjects = (data.X, case.start(data, options))
    return run_side_by_side(
        case, about, contenders(case), subjects, options, KMeansJudge(case, data.X), ("fit",), [("rehearse", {})]
    )


def result_text(result: Result) -> str:
    """The table of a case."""
    figures = SPECTRAL_FIGURES if isinstance(result.case, SpectralCase) else KMEANS_FIGURES
    return case_text(result, "fit", figures)


def run(options: Options) -> dict[str, Any]:
    """Run what was asked for, print each table as soon as it is there, return the raw numbers."""
    print(READING, end="\n\n", flush=True)
    results, cases = run_cases(options, CASES, run_case, result_text, raw)
    others = run_parts(options, _OTHER)
    if results:
        print(targets_text(targets(results, "fit"), options.quick), flush=True)
    return {"cases": cases, **others}
