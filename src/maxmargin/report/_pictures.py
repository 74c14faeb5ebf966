"""The pictures of a page: of the result through scikit-learn's displays, of the model through `maxmargin.plotting`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import plotting
from ..kernels import kernel_name
from ..svm import is_large, terms_of
from ._making import results_of
from ._render import draw_svg
from ._subject import BINARY, CLUSTERS, REGRESSION, Subject, numbers_of
from ._words import count, plural, shortened, spoken

# Inches of a picture that has half of the page's width, or all of it; curves are lower than planes.
HALF, WIDE, CURVE = (4.7, 3.9), (8.2, 6.2), (8.2, 4.0)


@dataclass(frozen=True)
class Plan:
    """Where a picture stands, what it shows, and a function that draws it in a figure of a size."""

    name: str
    section: str
    title: str
    caption: str
    size: tuple[float, float]
    draw: Callable[[Any], Any]
    wide: bool = False
    keep: bool = False


_FEW = 6  # classes of a matrix that has room in half of the width, and of curves that can be told apart
_MOST = 60  # classes of a matrix that can be read
_SHADES = ("#0055A4", "#E66100", "#3DBBE0", "#7A3A46", "#8A3FE0", "#C94F8F")


def of_classes(subject: Subject) -> Iterator[Plan]:
    k = len(subject.class_names)
    if k <= _MOST:
        size = HALF if k <= _FEW else (8.2, 7.2)
        caption = "Rows that are of one class and predicted as another. The diagonal is right."
        yield Plan("confusion", "result", "Confusion matrix", caption, size, lambda f: _confusion(subject, f), k > _FEW)
    if subject.decisions is not None and k <= _FEW and len(np.unique(subject.labels)) == k:
        caption = "Recall against the false positive rate, at every threshold. The diagonal is chance."
        yield Plan("roc", "result", "ROC curve" + "s" * (k > 2), caption, HALF, lambda f: _roc(subject, f))
    if subject.probabilities is not None and len(np.unique(subject.labels)) > 1:
        caption = "Of the rows given a probability, the share for which it came true. On the diagonal it can be taken "
        caption += "at its word."
        wide = k > _FEW  # it would stand alone in its row
        size = (6.4, 4.2) if wide else HALF
        yield Plan("calibration", "result", "Calibration", caption, size, lambda f: _calibration(subject, f), wide)


def _confusion(subject: Subject, figure: Any) -> None:
    from sklearn.metrics import ConfusionMatrixDisplay, confusion_matrix

    k = len(subject.class_names)
    matrix = confusion_matrix(subject.labels, subject.predicted_labels, labels=np.arange(k))
    names = [shortened(name, 14 if k <= 6 else 10) for name in subject.class_names]
    ax = figure.add_subplot()
    longest = max(map(len, names))
    ConfusionMatrixDisplay(matrix, display_labels=names).plot(
        ax=ax,
        cmap="Blues",
        colorbar=False,
        include_values=k <= 30,
        xticks_rotation="vertical" if longest > (10 if k <= 3 else 6 if k <= 6 else 2) else "horizontal",
        text_kw={"fontsize": 11 if k <= 6 else 7},
    )
    ax.set(xlabel="predicted class", ylabel="true class")
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _roc(subject: Subject, figure: Any) -> None:
    from sklearn.metrics import RocCurveDisplay

    ax, values = figure.add_subplot(), subject.decisions
    assert values is not None
    columns = [(1, values)] if values.ndim == 1 else [(k, values[:, k]) for k in range(values.shape[1])]
    for place, (k, column) in enumerate(columns):
        RocCurveDisplay.from_predictions(
            (subject.labels == k).astype(int),
            column,
            ax=ax,
            name=spoken(subject.class_names[k], 18),
            curve_kwargs={"color": _SHADES[place % len(_SHADES)], "linewidth": 1.8},
        )
    ax.plot([0, 1], [0, 1], color="#8C8C8C", linestyle="--", linewidth=0.9)
    ax.set(xlabel="false positive rate", ylabel="recall", title="")
    _dress(ax)
    ax.legend(loc="lower right", frameon=False, fontsize=8)


def _calibration(subject: Subject, figure: Any) -> None:
    from sklearn.calibration import CalibrationDisplay

    assert subject.probabilities is not None
    if subject.task == BINARY:
        came_true, given, what = subject.labels == 1, subject.probabilities[:, 1], subject.class_names[1]
    else:
        n = np.arange(len(subject.labels))
        given = subject.probabilities[n, subject.predicted_labels]
        came_true, what = subject.labels == subject.predicted_labels, "the predicted class"
    ax = figure.add_subplot()
    bins = int(np.clip(len(given) // 20, 3, 10))
    CalibrationDisplay.from_predictions(
        came_true.astype(int), np.clip(given, 0, 1), n_bins=bins, strategy="quantile", ax=ax, name="model",
        color=_SHADES[0], ref_line=False,
    )  # fmt: skip
    ax.plot([0, 1], [0, 1], color="#8C8C8C", linestyle="--", linewidth=0.9)
    ax.set(xlabel=f"probability of {shortened(what, 24)}", ylabel="came true", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    _dress(ax)
    if ax.get_legend() is not None:
        ax.get_legend().remove()


def of_values(subject: Subject) -> Iterator[Plan]:
    from matplotlib.ticker import AutoLocator, ScalarFormatter
    from sklearn.metrics import PredictionErrorDisplay

    y, said = np.asarray(subject.judged.y, dtype=np.float64), np.asarray(subject.predicted, dtype=np.float64)

    def draw(kind: str) -> Callable[[Any], None]:
        def inner(figure: Any) -> None:
            ax = figure.add_subplot()
            PredictionErrorDisplay.from_predictions(
                y, said, kind=kind, ax=ax, subsample=None,
                scatter_kwargs={"alpha": 0.55, "s": 16, "color": _SHADES[0], "linewidths": 0},
                line_kwargs={"color": "#8C8C8C", "linestyle": "--", "linewidth": 0.9},
            )  # fmt: skip
            ax.set(xlabel="predicted", ylabel="true value" if kind == "actual_vs_predicted" else "residual")
            for axis in (ax.xaxis, ax.yaxis):  # round numbers, where scikit-learn divides the range in four
                axis.set_major_locator(AutoLocator())
                axis.set_major_formatter(ScalarFormatter())
            ax.set_aspect("auto", adjustable="datalim")
            _dress(ax)

        return inner

    yield Plan(
        "predicted", "result", "Predicted and true values", "On the diagonal, the prediction is right.", HALF,
        draw("actual_vs_predicted"),
    )  # fmt: skip
    yield Plan(
        "residuals", "result", "Residuals", "A bend or a widening is something that the model does not explain.",
        HALF, draw("residual_vs_predicted"),
    )  # fmt: skip


def _dress(ax: Any) -> None:
    ax.set_aspect("auto")
    ax.grid(color="#E4E4E4", linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


_MOST_IN_MATRIX = 300  # rows of a kernel matrix: a dot for each pair is all that can be seen
_MOST_IN_MARGIN = 2000  # rows of a machine of many rows in the picture of its margin: more are one blot


def _shown(display: Any, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
    """Draws a display that takes one pair of axes."""
    return lambda figure: display.from_estimator(*arguments, **options, ax=figure.add_subplot())


def of_ensemble(subject: Subject) -> Iterator[Plan]:
    model, names = subject.estimator, [shortened(name, 34) for name in subject.feature_names]
    if hasattr(model, "tree_"):
        classes = [spoken(name, 20) for name in subject.class_names] or None
        depth = int(model.get_depth())
        caption = "The answer yes leads to the left."
        if depth > 3:
            caption += f" The tree has {plural(depth, 'level')} of questions; the first three are drawn."
        draw = _shown(plotting.TreeDisplay, model, max_depth=3, feature_names=names, class_names=classes)
        yield Plan("tree", "model", "The tree", caption, (11.5, 5.6), draw, True)
    if _has_importances(model):
        caption = (
            "The share of each feature in the gains of all splits. Features that carry the same information share it."
        )
        size = 8.2, 1.0 + 0.24 * (min(15, len(names)) + 1)
        draw = _shown(plotting.ImportanceDisplay, model, feature_names=names)
        yield Plan("importance", "model", "Importance of the features", caption, size, draw, True)
    held_out = _held_out(subject)
    if hasattr(model, "oob_error_curve_") and np.isfinite(np.asarray(model.oob_error_curve_)[-1:]).any():
        caption = "The error on rows that a learner has not seen, as learners are added."
        draw = _shown(plotting.OutOfBagDisplay, model, **held_out)
        yield Plan("out-of-bag", "model", "Error out of bag", caption, CURVE, draw, True)
    if subject.classifies and hasattr(getattr(model, "certificate_", None), "training_errors"):
        caption = "The bound falls with each learner, the faster the better the learner is."
        draw = _shown(plotting.BoostingDisplay, model, **held_out)
        yield Plan("boosting", "model", "Errors by round", caption, CURVE, draw, True)
        if subject.trained is not None:
            caption = "How clear the vote is for each training row."
            draw = _shown(plotting.BoostingMarginDisplay, model, subject.trained_as_seen, _targets(subject))
            yield Plan("margins", "model", "Margins of the vote", caption, CURVE, draw, True)


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
    if hasattr(model, "n_support_") and subject.task == BINARY:
        names = spoken(subject.class_names[0], 24), spoken(subject.class_names[1], 24)
        caption = (
            "Each side of the margin is as wide as the data allow at this price of slack. The rows in colour make "
            "the model; without those in grey it would be the same."
        )
        if is_large(model):  # whose rows are told apart by place alone
            caption = (
                f"The rows in colour are inside the margin. The model is a sum over {terms_of(model)}, grey or not."
            )
        shown, weights = np.arange(X.shape[0]), subject.sample_weight
        if is_large(model) and len(shown) > _MOST_IN_MARGIN:  # a place can be told of any row, a case of all together
            shown = np.sort(np.random.default_rng(0).choice(shown, _MOST_IN_MARGIN, replace=False))
            caption += f" Shown are {count(len(shown))} of {plural(X.shape[0], 'row')}, drawn at random."
            weights = None if weights is None else np.asarray(weights)[shown]
        options = {"sample_weight": weights, "class_names": names}
        draw = _shown(plotting.MarginDisplay, model, X[shown], _targets(subject)[shown], **options)
        yield Plan("margin", "model", "The margin", caption, WIDE, draw, True)
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
            options = {"features": section, "grid_resolution": 160}
            draw = _shown(plotting.NeighborsDisplay, model, X, _targets(subject), **options)
            caption = "The paler, the closer the vote."
            yield Plan("neighbours", "model", "Regions of the vote", caption, WIDE, draw, True)
    if subject.task == CLUSTERS:
        yield from _of_clusters(subject, X, section)


def _of_clusters(subject: Subject, X: Any, section: str | None) -> Iterator[Plan]:
    model = subject.estimator
    if hasattr(model, "cluster_centers_"):
        draw = _shown(plotting.KMeansDisplay, model, X, features=section, path=False)
        yield Plan("clusters", "model", "The clusters", "Each point belongs to the nearest centre.", WIDE, draw, True)
    elif hasattr(model, "affinity_matrix_") and not str(getattr(model, "affinity", "")).startswith("precomputed"):

        def graph(figure: Any) -> None:
            grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1.0))
            vector = figure.add_subplot(grid[0, 1])
            panels = figure.add_subplot(grid[:, 0]), vector, figure.add_subplot(grid[1, 1], sharex=vector)
            plotting.SpectralDisplay.from_estimator(model, X, features=section, max_edges=1500, ax=panels)

        caption = "The similarities, the eigenvector that separates the points, and the cuts along it."
        yield Plan("spectral", "model", "Graph and eigenvector", caption, (10.0, 5.2), graph, True)


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
