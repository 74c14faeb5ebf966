"""What a training tells while it runs.

`train(..., progress=f)` calls f with one of these, one at a time; events of a search may come from its threads.
Nothing is printed here: what to show is the caller's affair.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Stage:
    """A part of the work begins.

    Attributes
    ----------
    name : str
        One of ``"data"``, ``"split"``, ``"prepare"``, ``"tune"`` (once for each family), ``"choose"``, ``"fit"``,
        ``"evaluate"``.
    detail : str
        What is going on, in words: rows and columns, the family, its grid, why something is left out.

    """

    name: str
    detail: str


@dataclass(frozen=True)
class Candidate:
    """A candidate of a family has its scores on all folds.

    Attributes
    ----------
    family : str
    params : dict
        Plain numbers and strings by name, such as ``{"C": 1.0, "gamma": 0.1}``.
    score : float
        Mean over the folds; more is better, whatever the metric. NaN if it failed.
    error : float
        Standard error of that mean.
    seconds : float
        Time of training and scoring, over all folds.
    number, count : int
        This is the number-th of the family's count candidates, in the order of arrival, from 1.

    """

    family: str
    params: dict[str, Any] = field(hash=False)
    score: float
    error: float
    seconds: float
    number: int
    count: int


@dataclass(frozen=True)
class Judged:
    """A family is finished with its best candidate, or left out.

    Attributes
    ----------
    family : str
    params : dict
        Of its best candidate; empty if it was left out.
    score, error : float
        Mean and standard error over the folds; NaN if it was left out.
    seconds : float
        Time of the whole search of this family.
    note : str
        In words: on how many rows, what was fixed; or why it was left out.

    """

    family: str
    params: dict[str, Any] = field(hash=False)
    score: float
    error: float
    seconds: float
    note: str


@dataclass(frozen=True)
class Fitting:
    """The winner is being trained on all training rows; machines with a duality gap tell how far they are.

    Attributes
    ----------
    iteration : int
    gap : float
        Relative duality gap or violation so far; NaN where it is not known.
    seconds : float
        Since the fit began.
    problem : str
        Which of several binary problems this is; empty if there is one.

    """

    iteration: int
    gap: float
    seconds: float
    problem: str = ""


Event = Stage | Candidate | Judged | Fitting
