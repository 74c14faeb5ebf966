"""The pictures of a page."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import plotting
from ._model_pictures import of_ensemble, of_plane
from ._plan import Plan
from ._result_pictures import of_classes, of_values
from ._subject import REGRESSION, Subject
from ._svg import draw_svg
from ._tuning import results_of
from ._words import shortened


@dataclass(frozen=True)
class Picture:
    """Where a picture stands, what it shows, and its SVG; or why there is none."""

    name: str
    section: str
    title: str
    caption: str
    wide: bool
    svg: str

    def facts(self) -> dict[str, Any]:
        """All but the drawing itself, as plain values."""
        keys = ("name", "section", "title", "caption", "wide")
        return {key: getattr(self, key) for key in keys}


def draw_pictures(subject: Subject, account: Mapping[str, Any]) -> tuple[list[Picture], list[str]]:
    """All pictures that this model has, and sentences about those that could not be drawn."""
    drawn, notes = [], []
    for plan in _plans(subject, account):
        try:
            with warnings.catch_warnings():
                # A model that was trained on a data frame is drawn from numbers, which have no names.
                warnings.filterwarnings("ignore", message="X does not have valid feature names")
                warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
                svg = draw_svg(plan.name, plan.size, plan.draw, label=plan.title, keep=plan.keep)
        except (TypeError, ValueError) as error:
            notes.append(f"“{plan.title}” is not drawn: {shortened(error, 300)}")
            continue
        drawn.append(Picture(plan.name, plan.section, plan.title, plan.caption, plan.wide, svg))
    return drawn, notes


def _plans(subject: Subject, account: Mapping[str, Any]) -> Iterator[Plan]:
    yield from of_tuning(subject, account)
    if subject.classifies and subject.judged.y is not None:
        yield from of_classes(subject)
    if subject.task == REGRESSION and subject.judged.y is not None:
        yield from of_values(subject)
    yield from of_ensemble(subject)
    yield from of_plane(subject)


def of_tuning(subject: Subject, account: Mapping[str, Any]) -> Iterator[Plan]:
    results, winner, metric = results_of(subject, account)
    if results is None or len(results["mean_test_score"]) < 2:
        return
    varying = [k for k in results if k.startswith("param_") and len({str(v) for v in results[k]}) > 1]
    if not 1 <= len(varying) <= 2:  # a table has room for more, a surface has not
        return

    def draw(figure: Any) -> None:
        plotting.SearchDisplay.from_results(results, winner=winner, score_name=metric, ax=figure.add_subplot())

    cells = len(results["mean_test_score"])
    caption = f"{cells} candidates. Those within one standard error of the best are as good, for all that is known."
    yield Plan("search", "tuning", "Scores of the candidates", caption, (8.2, 4.8), draw, True, keep=True)
