"""What comes out of a training: its result, or what is said of data and arguments that cannot be trained on."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from ..messages import Argument, InputError


@dataclass(frozen=True)
class Score:
    """A figure on rows that the model has not seen, with its 95 % interval.

    Attributes
    ----------
    name : str
        ``"accuracy"``, ``"balanced accuracy"``, ``"macro F1"`` (mean over the classes), ``"AUC"`` (two classes); for
        regression ``"R2"``, ``"RMSE"``, ``"MAE"``.
    value : float
    low, high : float
        Ends of the interval; NaN where there is none (fewer than two rows).
    method : str
        How the interval was found: ``"Wilson"``, ``"bootstrap"``, ``"DeLong"``.
    more_is_better : bool
        False for RMSE and MAE.

    """

    name: str
    value: float
    low: float
    high: float
    method: str
    more_is_better: bool = True

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True)
class FamilyResult:
    """One row of the table of families.

    Attributes
    ----------
    family : str
    score, std, error : float
        Mean over the folds, standard deviation, standard error of the mean; NaN if it was left out.
    seconds : float
        Time of its search.
    params : dict
        Of its best candidate, as plain values.
    fold_scores : tuple of float
        Score of the best candidate on each fold; the folds are the same for all families.
    behind, behind_error : float
        How far it is behind the best mean, and the standard error of that difference over the folds (0 for the best
        itself).
    note : str
        In words: what was searched and on how many rows; or why it was left out.
    chosen : bool
        Whether this family won.
    rows : int
        Training rows that it was judged on; 0 if all families were judged on the same.

    """

    family: str
    score: float
    std: float
    error: float
    seconds: float
    params: dict[str, Any] = field(hash=False)
    fold_scores: tuple[float, ...] = ()
    behind: float = float("nan")
    behind_error: float = float("nan")
    note: str = ""
    chosen: bool = False
    rows: int = 0

    @property
    def judged(self) -> bool:
        """Whether it has a score."""
        return bool(np.isfinite(self.score))


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows were trained on and which were held out.

    Attributes
    ----------
    test : float
        Share of rows that are held out; 0 if none.
    seed : int
    stratified : bool
        Whether the classes keep their proportions.
    train_rows, test_rows : ndarray of int
        Row numbers in the table as it was given, in ascending order.
    dropped_rows : int
        Rows without a target that were left out.
    kind : {"random", "time", "groups"}
        Whether rows were drawn, the last ones in the order of time were held out, or whole groups.
    column : str or None
        The column that tells the time or the group.
    together : int
        Rows that are equal to another one; equal rows are on the same side.

    """

    test: float
    seed: int
    stratified: bool
    train_rows: np.ndarray
    test_rows: np.ndarray
    dropped_rows: int = 0
    kind: str = "random"
    column: str | None = None
    together: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Training:
    """A table turned into a tuned, proven model, with the account of how; made by :func:`train`.

    Attributes
    ----------
    model : Pipeline
        ``model[:-1]`` prepares (step ``"prepare"``), ``model[-1]`` is the fitted estimator (step ``"model"``). It
        predicts from tables like the one that it was trained on.
    task : {"binary", "multiclass", "regression"}
    task_reason : str
        Why, and how to change it.
    target : str or None
        Name of the target column; None for sparse tables, which have only one.
    classes : tuple or None
        Labels in the order of ``model.classes_``, as plain Python values; None for regression.
    class_counts : dict or None
        Training rows of each class, by label as text.
    metric : str
        What families and candidates were compared by, as in `train`; errors count negatively there.
    metric_reason : str
    family : str
        Which family won, one of `FAMILIES`.
    reason : str
        Why it won, in words.
    candidates : tuple of FamilyResult
        All families, best score first, those that were left out last.
    tuning : dict
        Plain: ``metric``, ``folds``, ``rows`` (those that were cross-validated on) and ``families``: for each family
        ``parameters`` (names in order) and ``candidates``, a list of ``{"params", "score", "std", "fold_scores",
        "seconds", "status"}``.
    scores : dict of str to Score
        On the held-out rows, in reading order; empty if none were held out.
    baseline : dict of str to Score
        The same figures of a model that always says the most frequent class, or the mean, of the training rows.
    baseline_name : str
        Which model that is, in words.
    certificate : ModelCertificate or Guarantee
        The proof of the final fit, ``model[-1].certificate_``.
    summary : TableSummary or None
        What was found in the table; None for sparse tables.
    columns : tuple of ColumnPlan
        What was made of each column; empty for sparse tables.
    split : Split
    fingerprint : dict of str to str
        ``data`` (the whole table) and ``training_rows`` (prepared training rows and their targets).
    settings : dict
        The arguments of `train` that make this training again, as plain values.
    notes : tuple of str
        What a reader should know: decisions, rows left out, warnings of the machines. One sentence each.
    seconds : dict of str to float
        Time by stage: ``data``, ``prepare``, ``tune``, ``fit``, ``evaluate``, ``total``.
    findings : tuple of Finding
        What endangers trust in the result: copies of the target, equal rows, and how rows were held out.
    rows : Divided or None
        The rows that were trained on and those that were held out, for a report; they are not pickled.

    """

    model: Any
    task: str
    task_reason: str
    target: str | None
    classes: tuple | None
    class_counts: dict[str, int] | None
    metric: str
    metric_reason: str
    family: str
    reason: str
    candidates: tuple[FamilyResult, ...]
    tuning: dict[str, Any]
    scores: dict[str, Score]
    baseline: dict[str, Score]
    baseline_name: str
    certificate: Any
    summary: Any
    columns: tuple
    split: Split
    fingerprint: dict[str, str]
    settings: dict[str, Any]
    notes: tuple[str, ...]
    seconds: dict[str, float]
    findings: tuple = ()
    rows: Any = field(default=None, repr=False)

    def lines(self) -> list[tuple[str, str]]:
        """What a reader wants first, each with its name: the findings, the model, its scores, its proof.

        Returns
        -------
        list of (str, str)

        """
        trained, held = len(self.split.train_rows), len(self.split.test_rows)
        serious = [finding for finding in self.findings if finding.serious]
        what = f"{self.target!r}" if self.target is not None else "the labels"
        lines = [("Before you trust it", str(finding)) for finding in serious]
        lines += [
            ("Task", f"{self.task} of {what}, {trained:,} rows trained on, {held:,} held out ({self.split.kind})"),
            ("Chosen", self.reason),
        ]
        for name, score in list(self.scores.items())[:2]:
            constant = self.baseline.get(name)
            beside = "" if constant is None else f"; {self.baseline_name}: {constant.value:.4g}"
            lines.append((name, f"{score.value:.4g} (95 % interval {score.low:.4g} to {score.high:.4g}){beside}"))
        if hasattr(self.certificate, "relative_gap"):
            proof = f"{self.certificate.status}, relative duality gap {self.certificate.relative_gap:.1e}"
        else:
            proof = f"{self.certificate.name}: {self.certificate.statement}".rstrip(".")
        lines.append(("Training", f"{proof}. Of new rows the held-out ones speak." if held else proof))
        return lines

    def __repr__(self) -> str:
        found = [line for name, words in self.lines() for line in _wrapped(name, words)]
        return "\n".join(["Training", *found])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left;vertical-align:top;padding-right:1em'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(words)}</td></tr>"
            for name, words in self.lines()
        )
        return f"<table><caption>Training</caption>{rows}</table>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rows": None}  # nobody expects the table in a pickle

    def provenance(self) -> dict[str, Any]:
        """Everything but the model as plain JSON values, for ``maxmargin.save(model, path, provenance=...)``.

        Returns
        -------
        dict
            The attributes of these names, and ``format`` (1), ``parameters`` (of the estimator), ``versions``. NaN
            stands as None.

        """
        from ._account import provenance_of

        return provenance_of(self)


def _wrapped(name: str, words: str) -> list[str]:
    """A name, and its words beside it, folded."""
    lines = textwrap.wrap(words, 96, break_long_words=False) or [""]
    return [f"  {name:<20} {lines[0]}", *(f"  {'':<20} {line}" for line in lines[1:])]


class TrainingError(InputError):
    """A table or an argument that cannot be used as it is: what was found, and what would do.

    Attributes
    ----------
    argument : str or None
        Name of the argument of `train` that is to blame.
    column : str or None
        Name of the column that is to blame.

    """


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C in `train`: a KeyboardInterrupt that keeps what is known.

    Attributes
    ----------
    stage : str
        Where it came, as in `Stage`.
    candidates : tuple of FamilyResult
        The families that were finished, best first.
    best : dict
        Arguments of `train` that go on with the best of them without a search; empty if there is none.
    kept : path or None
        The file that keeps what was tuned: the same call goes on from there.
    parts : tuple of str and Argument
        What the error says, in which arguments can be told from text.

    """

    def __init__(
        self,
        stage: str,
        candidates: tuple[FamilyResult, ...] = (),
        best: dict[str, Any] | None = None,
        kept: Any = None,
    ) -> None:
        super().__init__(stage, candidates, best, kept)
        self.stage, self.candidates, self.best, self.kept = stage, candidates, best or {}, kept

    @property
    def parts(self) -> tuple[str | Argument, ...]:
        words: list[str | Argument] = [f"interrupted in the stage {self.stage!r}."]
        if self.best:
            words.append(f" The best so far is {self.best['model']}: go on with ")
            for name, value in self.best.items():
                words += [Argument(name, value), ", "]
            words[-1] = "."
        if self.kept is not None:
            words.append(f" What was tuned is in {self.kept}: the same command again goes on from there.")
        return tuple(words)

    @property
    def advice(self) -> str:
        """How to go on with the best of them, in words; empty if there is none."""
        return "".join(map(str, self.parts[1:])).lstrip()

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


def is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error.

    One that arrives while a compiled function is being called comes out as a SystemError ("returned a result with an
    exception set") whose cause it is.
    """
    seen: list[BaseException] = []
    while error not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__ or error
    return False
