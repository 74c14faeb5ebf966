"""A forest from sums over all rows: edges of bins, trees in batches, and the error out of bag.

The forest is a function of the rows in their order and of the seeds alone. It does not depend on how the rows are
divided into parts: bags are drawn row by row, sums are of whole numbers, and edges of bins come from a sample that is
drawn row by row, too (of up to 200,000 rows: all of them, where there are no more).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ...certificates import Guarantee
from ...tree import Bins, Tree, columns_a_split, limits_of, prune
from ._bags import SummedBags
from ._contents import leaf_squares, root_contents
from ._growth import Asked, Growth, GrowthLimits
from ._histograms import Question
from ._judging import guarantee_of, judged_sums
from ._rows import Ranges, Scales, Survey
from ._search import Splits
from ._settings import refuse_unsummed
from ._trees import means_of, trees_of

# Trees that are grown side by side.
_BATCH = 32


class SumsOverRows(Protocol):
    """Coded rows somewhere, of which sums can be had."""

    def total(self, name: str, function: Callable[..., tuple], *shared: Any) -> tuple:
        """The sum of ``function(rows, *shared)`` over the parts, place by place."""

    def splits(self, question: Question, about: Asked) -> Splits:
        """The best splits of the nodes of a question."""


class SummedRows(Protocol):
    """Rows somewhere that can be looked at, and coded."""

    n: int
    d: int

    def survey(self) -> Survey:
        """What there is to know of them first."""

    def coded(self, edges: np.ndarray, bins: np.ndarray, scales: Scales) -> tuple[SumsOverRows, Ranges]:
        """The same rows as codes, and the ranges of the bins."""


def grow_forest(model: Any, rows: SummedRows, seeds: np.ndarray, report: Callable[[str], None]) -> None:
    """Grow the trees of these seeds; `model` knows its classes and the names of its columns."""
    n, d, classes = rows.n, rows.d, model._classes_count
    bags = SummedBags(n, refuse_unsummed(model, n))
    survey = rows.survey()
    found = Bins.of(np.concatenate(survey.sample), None, 1)
    copies = len(bags.bounds)
    scales = Scales.of(n, copies, survey.heaviest, survey.whole, survey.low, survey.high, classes)
    coded, ranges = rows.coded(found.low, found.binned.n_bins, scales)
    low, high = ranges.padded(found.low)
    model._rows = model._sample_weight = model._categories = None
    model._n_samples, model.n_outputs_, model._foreign, model._bags = n, 1, 0, bags
    model.max_features_ = min(d, columns_a_split(model.max_features, d))
    limits = limits_of(model, n, d, np.ones(1), classes)
    unit = 1.0 if classes else (scales.weight / scales.product) ** 2
    trees: list[Tree] = []
    for first in range(0, len(seeds), _BATCH):
        batch = seeds[first : first + _BATCH].astype(np.uint64)
        grown = _grown(coded, batch, bags, scales, GrowthLimits(limits, unit), d, survey)
        trees += trees_of(*grown, low, high)
        report(f"{len(trees)} of {len(seeds)} trees")
    trees = [prune(tree, model.ccp_alpha) for tree in trees]
    model.estimators_ = [model._member(int(seed), tree) for seed, tree in zip(seeds, trees, strict=True)]
    model.certificate_ = _certified(model, coded, seeds.astype(np.uint64), bags)


def _grown(
    coded: SumsOverRows,
    seeds: np.ndarray,
    bags: SummedBags,
    scales: Scales,
    limits: GrowthLimits,
    d: int,
    survey: Survey,
) -> tuple[Growth, Scales, np.ndarray | None]:
    """A batch of trees, and the squares about the means of their leaves where these are values."""
    bounds = bags.bounds
    totals, many = coded.total("roots", root_contents, seeds, bounds, scales.classes)
    growth = Growth(d, seeds, bounds, totals, many, limits)
    while (asked := growth.question()) is not None:
        growth.answer(coded.splits(*asked))
    if scales.classes:
        return growth, scales, None
    means = means_of(growth, scales)
    size = survey.heaviest * scales.weight * (survey.high - survey.low) ** 2
    scale = 2.0 ** (51 - np.frexp(size)[1]) if size > 0 else 1.0
    tables = growth.left, growth.feature, growth.below.astype(np.int16)
    (found,) = coded.total("leaves", leaf_squares, seeds, bounds, tables, means, scale)
    squares = (found[:, 0] * 2.0**26 + found[:, 1]) / (scale * scales.weight)
    return growth, scales, squares


def _certified(model: Any, coded: SumsOverRows, seeds: np.ndarray, bags: SummedBags) -> Guarantee:
    """The guarantee, and the curve of the error out of bag."""
    trees, classes = [member.tree_ for member in model.estimators_], model._classes_count
    if not model.bootstrap:
        model.oob_error_curve_ = np.full(len(trees), np.nan)
        return guarantee_of(model, bags, np.zeros((max(1, classes), 5)))
    values, only = model._leaf_values(trees)
    paths, depths = [tree.paths_by_code() for tree in trees], [tree.max_depth for tree in trees]
    curve, of_class = coded.total("out-of-bag", judged_sums, paths, depths, values, only, seeds, bags, classes)
    losses, judged = curve.T
    model.oob_error_curve_ = np.where(judged > 0, losses / np.maximum(judged, 1), np.nan)
    return guarantee_of(model, bags, of_class)
