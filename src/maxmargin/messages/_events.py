"""What fits, trainings and readers tell while they work: classes with fields, and no text.

`train(..., progress=f)` calls f with one of these, one at a time; events of a search may come from its threads.
`ProgressDisplay` shows them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class ProgressEvent:
    """What all events are."""


@dataclass(frozen=True)
class Stage(ProgressEvent):
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
class Candidate(ProgressEvent):
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
class Judged(ProgressEvent):
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
class Fitting(ProgressEvent):
    """A model is being fitted (in a training, the winner on all training rows): how far its solver is.

    Attributes
    ----------
    iteration : int
    gap : float
        Relative duality gap or violation so far; NaN where it is not known.
    seconds : float
        Since the fit began.
    problem : str
        Which of several binary problems this is; empty if there is one.
    violation : float
        Largest violation of the optimality conditions; NaN where it is not known.

    """

    iteration: int
    gap: float
    seconds: float
    problem: str = ""
    violation: float = float("nan")


@dataclass(frozen=True)
class BytesRead(ProgressEvent):
    """A file is being read.

    Attributes
    ----------
    done : int
        Bytes so far.
    total : int or None
        Bytes of the file, where that is known.

    """

    done: int
    total: int | None = None


@dataclass(frozen=True)
class RowsPredicted(ProgressEvent):
    """A table is being predicted.

    Attributes
    ----------
    rows : int
        So far.

    """

    rows: int
