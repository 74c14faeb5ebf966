"""Draw the picture of the page that helps to choose, and make its tables: ``python docs/choosing.py``.

The figures are those of ``docs/choosing.json``, which ``python -m benchmarks.choosing`` measures.
"""

import csv
import io
import json
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

DOCS = Path(__file__).parent
FIGURES, PICTURE = DOCS / "choosing.json", DOCS / "_static" / "choosing.png"
TABLES = {"accuracy": DOCS / "choosing_accuracy.csv", "fitting": DOCS / "choosing_seconds.csv"}

NAMES = {"news20_tfidf": "news20 (tf-idf)", "fashion_mnist": "Fashion-MNIST"}
PLACES = 0.15, 4.35, 7.55  # inches from the left: cases, methods, proofs
# Question, methods, what is proven.
BRANCHES = [
    (
        "Labels or numbers to predict",
        [
            ("text, sparse rows, more columns than rows", "LinearSVC, LogisticRegression", "duality gap"),
            ("columns acting together, up to 100,000 rows", "SVC, SVR", "duality gap"),
            ("the same, and more rows", "LargeSVC, LargeSVR", "bracket of the exact optimum"),
            (
                "a table: mixed columns, unscaled, with gaps",
                "forests, gradient boosting",
                "estimate; falling loss",
            ),
            ("few columns of many matter", "Lasso, penalty='l1'", "duality gap"),
            ("rules a little better than guessing", "AdaBoost", "bound on the training error"),
            ("a straight line is enough, or has to be", "LinearSVC, Ridge, LinearSVR", "duality gap"),
            (
                "probabilities that mean something",
                "LogisticRegression, SVCCV",
                "duality gap; calibration",
            ),
            ("one positive in a thousand", "CascadeClassifier", "rates on the training rows"),
            ("reasons by example, no training", "KNeighbors", "the neighbours are the nearest"),
        ],
    ),
    (
        "No labels",
        [
            ("compact groups", "KMeans, elbow", "a fixed point of both steps"),
            ("groups of any shape", "SpectralClustering", "bound on every other cut"),
            ("what does not belong", "OneClassSVM", "duality gap"),
        ],
    ),
]


def draw():
    """The picture as a figure."""
    rows = sum(len(cases) + 1 for _, cases in BRANCHES)
    figure = Figure(figsize=(10.6, 0.4 * rows + 0.7), facecolor="white")
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 10.6), ylim=(-rows - 0.1, 1.0))
    ax.set_axis_off()
    for x, words in zip(PLACES, ("what you have", "what to take", "what it proves"), strict=True):
        ax.text(x, 0.4, words, fontsize=12, fontweight="bold", va="center")
    y = 0
    for question, cases in BRANCHES:
        y -= 1
        ax.axhspan(y, y + 0.85, color="#dbe7f3", zorder=0)
        ax.text(PLACES[0], y + 0.425, question, va="center", fontsize=12)
        for case, methods, proof in cases:
            y -= 1
            case_at, methods_at, proof_at = PLACES
            ax.text(case_at, y + 0.4, case, va="center", fontsize=11.5)
            ax.text(
                methods_at, y + 0.4, methods, va="center", fontsize=11.5, family="monospace",
                bbox={"boxstyle": "round,pad=0.2", "facecolor": "#fff3d6", "edgecolor": "#8a6d1a"},
            )  # fmt: skip
            ax.text(proof_at, y + 0.4, proof, va="center", fontsize=11.5)
    return figure


def table(what):
    """One row a set, one column a method: the best accuracy of a row has a star."""
    sets = json.loads(FIGURES.read_text(encoding="utf-8"))["sets"]
    methods = list(next(iter(sets.values()))["methods"])
    rows = [["", "rows x columns, classes", *methods]]
    for name, facts in sets.items():
        found = [facts["methods"][method].get(what) for method in methods]
        best = max(value for value in found if value is not None)
        cells = ["refused" if value is None else _cell(value, what, value == best) for value in found]
        size = f"{facts['rows']} x {facts['features']}, {facts['classes']}"
        rows.append([NAMES.get(name, name), size, *cells])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell(value, what, is_best):
    if what == "accuracy":
        return f"**{100 * value:.1f}**" if is_best else f"{100 * value:.1f}"
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def write():
    matplotlib.rcParams["font.family"] = "DejaVu Sans"
    draw().savefig(PICTURE, dpi=130)
    Image.open(PICTURE).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    for what, file in TABLES.items():
        file.write_text(table(what), encoding="utf-8")


if __name__ == "__main__":
    write()
