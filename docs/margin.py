"""Draw the picture of the front page, ``docs/_static/margin.png``: ``python docs/margin.py``.

An RBF machine on the breast cancer data that scikit-learn brings along, three quarters of them for training.
"""

import argparse
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC

PLACE = Path(__file__).parent / "_static" / "margin.png"


def draw():
    """The picture as a figure."""
    bunch = load_breast_cancer()
    X, _, y, _ = train_test_split(bunch.data, bunch.target, test_size=0.25, random_state=0, stratify=bunch.target)
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    figure = Figure(figsize=(8.0, 7.4), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)  # draws into memory: no window, no display
    ax = figure.add_subplot()
    MarginDisplay.from_estimator(model, X, y, class_names=[str(name) for name in bunch.target_names], ax=ax)
    title = figure.suptitle(
        "The margin of an RBF machine, trained on breast cancer data", ha="left", fontsize="x-large"
    )
    figure.draw_without_rendering()  # lays out: then the title can stand where the axes begin
    title.set_x(ax.get_position().x0)
    return figure


def write(path=PLACE):
    """Write the picture in 256 colours: a third of the size, and no difference to see."""
    draw().savefig(path, dpi=150)
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=PLACE)
    write(parser.parse_args().out)
