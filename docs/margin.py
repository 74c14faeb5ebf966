"""Draw the picture of the README, ``docs/_static/margin.png``: ``python docs/margin.py``.

It is that of the front page of the manual, by the script of the gallery: a machine in two dimensions with its margin,
multipliers and slacks.
"""

import argparse
import runpy
from pathlib import Path

import matplotlib
from PIL import Image

PLACE = Path(__file__).parent / "_static" / "margin.png"
SCRIPT = Path(__file__).parent / "examples" / "margins" / "plot_margin.py"


def draw():
    """The picture as a figure."""
    matplotlib.use("Agg")
    return runpy.run_path(str(SCRIPT))["figure"]


def write(path=PLACE):
    """Write the picture in 256 colours: a third of the size, and no difference to see."""
    draw().savefig(path, dpi=150)
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=PLACE)
    write(parser.parse_args().out)
