"""Pictures of the result, through scikit-learn's own displays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._plan import HALF, Plan
from ._subject import BINARY, Subject
from ._words import shortened, spoken

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
        caption = "At every threshold: rows found of those that are, against false alarms. Chance is the diagonal."
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
    ax.set(xlabel="false alarms", ylabel="found", title="")
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
        "residuals", "result", "Residuals", "What is left over. A bend or a widening is something not yet explained.",
        HALF, draw("residual_vs_predicted"),
    )  # fmt: skip


def _dress(ax: Any) -> None:
    ax.set_aspect("auto")
    ax.grid(color="#E4E4E4", linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
