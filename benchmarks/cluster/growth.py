"""How times grow with the number of rows: of some steps of k-means, and of a normalised cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contest import Contest
from ..datasets import Data
from ..growth import Times, growth_record, growth_text
from ..options import Options
from ..side_by_side import targeted
from .cases import INTELEX, SKLEARN, SKLEARN_ELKAN, SKLEARN_LLOYD, KMeansCase, SpectralCase, circles, covtype
from .contenders import contenders

KMEANS_SIZES = (12_500, 50_000, 200_000)
KMEANS_QUICK = (500, 1000, 2000)
SPECTRAL_SIZES = (2500, 5000, 10_000, 20_000)
SPECTRAL_QUICK = (500, 1000, 1500)


def run_kmeans(options: Options) -> tuple[str, dict[str, Any]]:
    """The table of k-means and its raw numbers."""
    sizes = KMEANS_QUICK if options.quick else KMEANS_SIZES
    peers = (SKLEARN_LLOYD, SKLEARN_ELKAN, INTELEX)
    case = KMeansCase("kmeans-growth", covtype, {SKLEARN: 2, INTELEX: 2}, peers, k=50, steps=20)
    data = covtype(options)
    X = np.ascontiguousarray(data.X[: sizes[-1]])
    start = case.start(Data(X[: sizes[0]], data.y, ""), options)
    return _run(case, (X, start), sizes, data.origin, options)


def run_spectral(options: Options) -> tuple[str, dict[str, Any]]:
    """The table of normalised cuts and its raw numbers."""
    sizes = SPECTRAL_QUICK if options.quick else SPECTRAL_SIZES
    case = SpectralCase("spectral-growth", circles, {SKLEARN: 2}, k=2)
    data = circles(options, sizes[-1])
    return _run(case, (data.X,), sizes, data.origin, options)


def _run(
    case: KMeansCase | SpectralCase, subjects: tuple, sizes: tuple[int, ...], origin: str, options: Options
) -> tuple[str, dict[str, Any]]:
    kinds = contenders(case)
    names = [contender.name for contender in kinds]
    times: Times = {name: {} for name in names}
    with Contest(kinds, case, subjects, options, targeted(names, case.required)) as contest:
        for n in sizes:
            for name in contest.names:
                contest.ask(name, "use_rows", n=n)
            for name, laps in contest.race("fit", hurried=True).items():
                times[name][n] = laps.median
    head = f"{case.name}: first n rows of {subjects[0].shape[1]} columns, {case.title}; data: {origin}"
    return growth_text(head, "n", sizes, times, contest.failed), growth_record(sizes, times)
