"""Pictures of the model itself, through the displays of `maxmargin.plotting`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import plotting
from ..kernels import kernel_name
from ._plan import CURVE, WIDE, Plan
from ._subject import BINARY, CLUSTERS, Subject, numbers_of
from ._words import plural, shortened, spoken

_MOST_IN_MATRIX = 300  # rows of a kernel matrix: a dot for each pair is all that can be seen


def of_ensemble(subject: Subject) -> Iterator[Plan]:
    model, names = subject.estimator, [shortened(name, 34) for name in subject.feature_names]
    if hasattr(model, "tree_"):
        classes = [spoken(name, 20) for name in subject.class_names] or None
        depth = int(model.get_depth())
        caption = "The answer yes leads to the left."
        if depth > 3:
            caption += f" The tree has {plural(depth, 'level')} of questions; the first three are drawn."

        def tree(figure: Any) -> None:
            plotting.TreeDisplay.from_estimator(
                model, max_depth=3, feature_names=names, class_names=classes, ax=figure.add_subplot()
            )

        yield Plan("tree", "model", "The tree", caption, (11.5, 5.6), tree, True)
    if _has_importances(model):
        bars = min(15, len(names)) + 1

        def importance(figure: Any) -> None:
            plotting.ImportanceDisplay.from_estimator(model, feature_names=names, ax=figure.add_subplot())

        caption = "The part of the gains of all splits that each feature has made. Features that say the same share it."
        size = 8.2, 1.0 + 0.24 * bars
        yield Plan("importance", "model", "Importance of the features", caption, size, importance, True)
    held_out = _held_out(subject)
    if hasattr(model, "oob_error_curve_") and np.isfinite(np.asarray(model.oob_error_curve_)[-1:]).any():

        def bags(figure: Any) -> None:
            plotting.OutOfBagDisplay.from_estimator(model, **held_out, ax=figure.add_subplot())

        caption = "The error on rows that a learner has not seen, as learners are added."
        yield Plan("out-of-bag", "model", "Error out of bag", caption, CURVE, bags, True)
    if subject.classifies and hasattr(getattr(model, "certificate_", None), "training_errors"):

        def rounds(figure: Any) -> None:
            plotting.BoostingDisplay.from_estimator(model, **held_out, ax=figure.add_subplot())

        caption = "The bound falls by what each learner has to offer."
        yield Plan("boosting", "model", "Errors by round", caption, CURVE, rounds, True)
        if subject.trained is not None:

            def margins(figure: Any) -> None:
                plotting.BoostingMarginDisplay.from_estimator(
                    model, subject.trained_as_seen, _targets(subject), ax=figure.add_subplot()
                )

            caption = "How clear the vote is, on the training rows."
            yield Plan("margins", "model", "Margins of the vote", caption, CURVE, margins, True)


def _has_importances(model: Any) -> bool:
    """Whether a model or its members can say how much each feature counts."""
    if hasattr(model, "feature_importances_"):
        return bool(np.asarray(model.feature_importances_).size)
    members = getattr(model, "estimators_", None)
    return members is not None and len(members) > 0 and all(hasattr(m, "feature_importances_") for m in members)


def _held_out(subject: Subject) -> dict[str, Any]:
    if not subject.held_out:
        return {}
    return {"X_test": subject.judged_as_seen, "y_test": subject.judged.y}


def _targets(subject: Subject) -> np.ndarray:
    assert subject.trained is not None and subject.trained.y is not None
    return subject.trained.y


def of_plane(subject: Subject) -> Iterator[Plan]:
    """Pictures in the plane of two features or components; they take the training rows."""
    if subject.trained is None or subject.estimator.__class__.__name__ == "NearestNeighbors":
        return
    model, X = subject.estimator, numbers_of(subject.trained_as_seen)
    if X is None or X.shape[1] < 2 or X.shape[0] < 3 or kernel_name(getattr(model, "kernel", "")) == "precomputed":
        return
    section = "principal" if X.shape[1] > 2 else None
    if hasattr(model, "kkt_cases") and subject.task == BINARY:
        names = spoken(subject.class_names[0], 24), spoken(subject.class_names[1], 24)

        def margin(figure: Any) -> None:
            plotting.MarginDisplay.from_estimator(
                model, X, _targets(subject), sample_weight=subject.sample_weight, class_names=names,
                ax=figure.add_subplot(),
            )  # fmt: skip

        caption = (
            "Each side of the margin is as wide as the data allow at this price of slack. The rows in colour make "
        )
        caption += "the model; without those in grey it would be the same."
        yield Plan("margin", "model", "The margin", caption, WIDE, margin, True)
    if subject.classifies and hasattr(model, "support_vectors_"):

        def kernel(figure: Any) -> None:
            panels = figure.subplots(1, 2, width_ratios=(1.0, 1.1))
            display = plotting.KernelDisplay.from_estimator(
                model, X, _targets(subject), max_rows=_MOST_IN_MATRIX, class_names=classes, ax=panels
            )
            panels[0].set_title("", loc="left")  # above both there is more room for it
            figure.suptitle(display.title, x=0.01, ha="left", fontsize="medium")

        classes = [shortened(name, 14) for name in subject.class_names]
        caption = "How alike the rows are to the machine, class by class, and how many directions that takes."
        yield Plan("kernel", "model", "The kernel", caption, (9.6, 4.4), kernel, True)
    if subject.classifies and (hasattr(model, "kneighbors") or hasattr(model, "prototype_indices_")):
        if not sp.issparse(X) and getattr(model, "metric", "") != "precomputed" and len(subject.class_names) <= 12:

            def regions(figure: Any) -> None:
                plotting.NeighborsDisplay.from_estimator(
                    model, X, _targets(subject), features=section, grid_resolution=160, ax=figure.add_subplot()
                )

            yield Plan("neighbours", "model", "Regions of the vote", "The paler, the closer the vote.", WIDE,
                        regions, True)  # fmt: skip
    if subject.task == CLUSTERS:
        yield from _of_clusters(subject, X, section)


def _of_clusters(subject: Subject, X: Any, section: str | None) -> Iterator[Plan]:
    model = subject.estimator
    if hasattr(model, "cluster_centers_"):

        def cells(figure: Any) -> None:
            plotting.KMeansDisplay.from_estimator(model, X, features=section, path=False, ax=figure.add_subplot())

        yield Plan("clusters", "model", "The clusters", "Each point belongs to the nearest centre.", WIDE, cells, True)
    elif hasattr(model, "affinity_matrix_") and not str(getattr(model, "affinity", "")).startswith("precomputed"):

        def graph(figure: Any) -> None:
            grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1.0))
            vector = figure.add_subplot(grid[0, 1])
            panels = figure.add_subplot(grid[:, 0]), vector, figure.add_subplot(grid[1, 1], sharex=vector)
            plotting.SpectralDisplay.from_estimator(model, X, features=section, max_edges=1500, ax=panels)

        caption = "The similarities, the eigenvector that parts the points, and the cuts along it."
        yield Plan("spectral", "model", "Graph and eigenvector", caption, (10.0, 5.2), graph, True)
