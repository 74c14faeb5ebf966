"""``cv_results_`` as a table of cells: which parameters span it, what became of each cell, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...search import standard_error
from .._look import value_text

SCORED, DROPPED, FAILED, UNFINISHED, ABSENT = "scored", "dropped", "failed", "unfinished", "absent"


@dataclass(frozen=True)
class SearchTable:
    """The candidates of a search as a table over one or two parameters.

    Parameters
    ----------
    names : tuple of one or two str
        Parameters of the rows and, if there are two, of the columns.
    values : tuple of ndarray
        Their values, in rising order.
    mean, error : ndarray of shape (n_rows,) or (n_rows, n_columns)
        Mean score over the folds and its standard error; nan where there is none.
    state : ndarray of str of the same shape
        "scored", "dropped" (by a race), "failed", "unfinished" or "absent" (not a candidate).
    fixed : dict
        Parameters that have the same value everywhere.
    folds : int
        Number of folds.
    candidate : ndarray of int of the same shape
        Which candidate of the search each cell is; -1 if none.

    """

    names: tuple[str, ...]
    values: tuple[np.ndarray, ...]
    mean: np.ndarray
    error: np.ndarray
    state: np.ndarray
    fixed: dict[str, Any]
    folds: int
    candidate: np.ndarray

    @property
    def best(self) -> tuple[int, ...] | None:
        """The cell with the best mean; of equals that of the first candidate. None if no cell has a score."""
        scored = np.argwhere(self.state == SCORED)
        if not len(scored):
            return None
        return min(map(tuple, scored.tolist()), key=lambda cell: (-self.mean[cell], self.candidate[cell]))

    @property
    def near(self) -> np.ndarray:
        """Cells whose mean is within one standard error of the best."""
        if self.best is None:
            return np.zeros(self.mean.shape, dtype=bool)
        return (self.state == SCORED) & (self.mean >= self.floor)

    @property
    def floor(self) -> float:
        """The best mean less its standard error."""
        return np.nan if self.best is None else float(self.mean[self.best] - self.error[self.best])

    @property
    def simplest(self) -> tuple[int, ...] | None:
        """Of the cells within one standard error, the one with the smallest C, then the smallest gamma."""
        cells = [tuple(cell) for cell in np.argwhere(self.near).tolist()]
        return min(cells, default=None)

    def cell_of(self, candidate: int | None) -> tuple[int, ...] | None:
        """Where a candidate is."""
        found = [] if candidate is None else np.argwhere(self.candidate == candidate).tolist()
        return tuple(found[0]) if found else None

    def text(self, cell: tuple[int, ...]) -> str:
        """The name of a cell, such as "C = 10, gamma = 0.1"."""
        pairs = zip(self.names, (v[k] for v, k in zip(self.values, cell, strict=True)), strict=True)
        return ", ".join(f"{name} = {value_text(value)}" for name, value in pairs)

    def lowest_shown(self) -> float:
        """Where a scale of scores should start, so that a few awful cells do not leave the good ones one colour.

        The lowest score that is at most five times as far from the best as is typical: as the median of those beyond
        one standard error, or a smaller quantile where the median itself is awful (a hundred times as far as that).
        """
        scores = self.mean[self.state == SCORED]
        distance = scores.max() - scores
        far = distance[distance > scores.max() - self.floor]
        if not len(far):
            return float(scores.min())
        typical, *smaller = np.quantile(far, [0.5, 0.25, 0.1])
        for quantile in smaller:
            typical = quantile if typical > 100 * quantile else typical
        return float(scores[distance <= 5 * typical].min())


def read_results(results: Mapping[str, Any], metric: str = "score") -> SearchTable:
    """The table of ``cv_results_``, ours or scikit-learn's."""
    if f"mean_test_{metric}" not in results:
        known = sorted(key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_"))
        raise ValueError(f"These results have no mean_test_{metric}; the metrics are {', '.join(known) or 'none'}.")
    columns, fixed = _parameters(results)
    values, places = zip(*(_rising(column) for column in columns.values()), strict=True)
    folds = _fold_scores(results, metric)
    shape = tuple(len(v) for v in values)
    candidate = np.full(shape, -1)
    for k, cell in enumerate(zip(*places, strict=True)):
        if candidate[cell] >= 0:
            raise ValueError(f"Candidates {candidate[cell]} and {k} have the same {' and '.join(columns)}.")
        candidate[cell] = k
    mean = np.asarray(results[f"mean_test_{metric}"], dtype=np.float64)
    error = np.array([standard_error(row) for row in folds])
    state = _states(results, mean)

    def table(column: np.ndarray, missing: Any) -> np.ndarray:
        return np.where(candidate >= 0, column[candidate], missing)

    return SearchTable(
        names=tuple(columns),
        values=values,
        mean=table(mean, np.nan),
        error=table(error, np.nan),
        state=table(state, ABSENT),
        fixed=fixed,
        folds=folds.shape[1],
        candidate=candidate,
    )


def _parameters(results: Mapping[str, Any]) -> tuple[dict[str, list], dict[str, Any]]:
    """Columns of the parameters that vary, C before others, and values of those that do not."""
    columns = {key.removeprefix("param_"): list(results[key]) for key in results if key.startswith("param_")}
    if not columns:
        raise ValueError("These results have no parameters (param_...).")
    varying = {name: column for name, column in columns.items() if len({str(value) for value in column}) > 1}
    if len(varying) > 2:
        raise ValueError(f"A search over {len(varying)} parameters has no surface: {', '.join(varying)}. Pick two.")
    chosen = varying or dict(list(columns.items())[:1])
    chosen = dict(sorted(chosen.items(), key=lambda item: item[0].split("__")[-1] != "C"))
    fixed = {name: column[0] for name, column in columns.items() if name not in chosen}
    return {_short(name): column for name, column in chosen.items()}, {_short(n): v for n, v in fixed.items()}


def _short(name: str) -> str:
    """A parameter of a step of a pipeline, without the step."""
    return name.split("__")[-1]


def _rising(column: list) -> tuple[np.ndarray, list[int]]:
    """The different values, in order, and the place of each entry; words keep the order that they came in."""
    numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in column)
    different = sorted(set(column)) if numbers else list(dict.fromkeys(map(str, column)))
    place = {value: k for k, value in enumerate(different)}
    values = np.array(different, dtype=np.float64 if numbers else object)
    return values, [place[value if numbers else str(value)] for value in column]


def _fold_scores(results: Mapping[str, Any], metric: str) -> np.ndarray:
    """Scores of all folds, a row for each candidate."""
    pattern = re.compile(rf"split(\d+)_test_{re.escape(metric)}")
    found = {int(match[1]): key for key in results if (match := pattern.fullmatch(key))}
    if not found:
        raise ValueError(f"These results have no scores of the folds (split0_test_{metric}, ...).")
    return np.column_stack([np.asarray(results[found[k]], dtype=np.float64) for k in sorted(found)])


def _states(results: Mapping[str, Any], mean: np.ndarray) -> np.ndarray:
    words = [str(word) for word in results.get("status", [""] * len(mean))]
    known = (DROPPED, FAILED, UNFINISHED)
    without = [word if word in known else FAILED for word in words]
    return np.where(np.isin(words, known) | ~np.isfinite(mean), np.array(without, dtype=object), SCORED)


_MOST_TICKS = 14
_LETTER = 6.0  # points that a digit of a label takes across


class CellAxis:
    """Cells along one axis: on a log scale if the values are positive numbers, else side by side."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        numbers = values.dtype != object and bool(np.isfinite(values).all())
        self.log = numbers and bool((values > 0).all())
        self._u = np.log10(values) if self.log else np.arange(len(values), dtype=np.float64)
        middle = (self._u[1:] + self._u[:-1]) / 2
        first, last = (middle[0], middle[-1]) if len(middle) else (self._u[0] - 0.5, self._u[0] + 0.5)
        outer = (2 * self._u[0] - first, 2 * self._u[-1] - last) if len(middle) else (first, last)
        self._edges = np.concatenate([[outer[0]], middle, [outer[1]]])

    @property
    def edges(self) -> np.ndarray:
        return 10**self._edges if self.log else self._edges

    @property
    def centres(self) -> np.ndarray:
        return self.values if self.log else self._u

    def at(self, k: int, share: float) -> float:
        """Within cell k, so much of its size away from the value."""
        place = self._u[k] + share * (self._edges[k + 1] - self._edges[k])
        return float(10**place if self.log else place)

    def apply(self, axis: Any, name: str) -> None:
        """Scale, ticks at the values and the name; with many values the ticks of a log scale."""
        axis.set_label_text(name)
        if self.log:
            getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
        labels = [self._tick(v) for v in self.values]
        step = self._step(axis, labels) if self.log else 1
        axis.set_ticks(self.centres[::step], labels=labels[::step])
        axis.set_ticks([], minor=True)

    @staticmethod
    def _step(axis: Any, labels: list[str]) -> int:
        """Every how many values have a tick: so many that their labels do not touch."""
        step = -(-len(labels) // _MOST_TICKS)
        if axis.axis_name == "x":
            points = axis.axes.get_window_extent().width * 72 / axis.axes.figure.dpi
            wanted = _LETTER * (max(map(len, labels)) + 1)
            step = max(step, int(np.ceil(wanted * len(labels) / points)))
        return step

    @staticmethod
    def _tick(value: Any) -> str:
        """Short wherever it is: powers of ten have to stand side by side with other ticks."""
        return value_text(value, 3 if isinstance(value, float) and 1e-3 <= abs(value) < 1e5 else 2).replace("-", "−")


def score_text(score: float) -> str:
    """Three decimals of the scores that have a limit of one, less of larger numbers."""
    size = abs(score)
    text = f"{score:.3f}" if size < 10 else f"{score:.1f}" if size < 1000 else f"{score:.0e}".replace("e+0", "e")
    return text.replace("-", "−")
