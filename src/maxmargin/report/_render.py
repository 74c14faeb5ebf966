"""From facts and pictures to the page.

A Matplotlib figure becomes SVG for the middle of a page: the same for the same figure, small, and of the page's font.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from threading import RLock
from typing import Any

import numpy as np

from . import _words
from ._words import power

_SETTING = RLock()
_MARK = "#222223"  # a colour that no picture has
_MOST_MARKS = 700  # of a collection with more, the marks become a picture: a mark of SVG takes 70 bytes
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and recoloured
    "svg.hashsalt": "maxmargin",
    "svg.image_inline": True,
    # Names of columns and classes are written as they are; a dollar sign in them would start a formula.
    "text.parse_math": False,
    "font.size": 9.0,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#8C8C8C",
    "xtick.color": "#8C8C8C",
    "ytick.color": "#8C8C8C",
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
    "axes.labelcolor": "#222222",
    "text.color": "#222222",
    "savefig.dpi": 120,
    "figure.dpi": 100,
    "path.simplify": True,
}


def draw_svg(
    name: str, size: tuple[float, float], draw: Callable[[Any], Any], *, label: str, keep: bool = False
) -> str:
    """The picture that `draw` makes in a new figure; `name` keeps its parts apart from those of other pictures.

    On a dark page the lightness of a picture is turned round. One whose colours are a scale is kept as it is (`keep`):
    only what stands around its axes takes the colour of the page's text.
    """
    from matplotlib.figure import Figure

    with _own_settings():
        figure = Figure(figsize=size, layout="constrained", facecolor="none")
        draw(figure)
        _make_light(figure)
        if keep:
            _mark_surroundings(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return _for_page(file.getvalue(), name, label, "kept" if keep else "turned")


def _mark_surroundings(figure: Any) -> None:
    """Give texts and lines outside of the axes a colour of their own, by which they are found in the SVG."""
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_color(_MARK)
            axis.set_tick_params(which="both", labelcolor=_MARK)
        for title in (ax.title, ax._left_title, ax._right_title):
            title.set_color(_MARK)
        legend = ax.get_legend()
        if legend is not None:
            for part in [
                *legend.get_texts(),
                *(line for line in legend.get_lines() if line.get_marker() in ("", "None")),
            ]:
                part.set_color(_MARK)


@contextmanager
def _own_settings() -> Iterator[None]:
    """Matplotlib's defaults and ours: what a user has set elsewhere is left outside, and comes back.

    There is one set of settings a process. Two threads that changed them by turns would draw with each other's, and the
    last one to leave would put back those of the other: one draws at a time.
    """
    import matplotlib as mpl

    with _SETTING, mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def _make_light(figure: Any) -> None:
    from matplotlib.collections import PathCollection
    from matplotlib.colors import to_rgba
    from matplotlib.ticker import FuncFormatter, LogFormatter, NullFormatter

    figure.patch.set_alpha(0.0)
    for ax in figure.axes:
        if to_rgba(ax.get_facecolor()) == (1.0, 1.0, 1.0, 1.0):  # the page's own paper is under it
            ax.patch.set_alpha(0.0)
        for part in ax.collections:
            if isinstance(part, PathCollection) and len(np.asarray(part.get_offsets())) > _MOST_MARKS:
                part.set_rasterized(True)
        for axis in (ax.xaxis, ax.yaxis):  # powers of ten are formulas to Matplotlib
            if isinstance(axis.get_major_formatter(), LogFormatter):
                axis.set_major_formatter(FuncFormatter(lambda value, _: power(value)))
                axis.set_minor_formatter(NullFormatter())


def _few_colours(coded: str) -> str:
    """A picture of pixels in 256 colours: a third of the size, and no difference to see."""
    from PIL import Image

    picture = Image.open(io.BytesIO(base64.b64decode(coded))).convert("RGBA")
    opaque = picture.getchannel("A").getextrema() == (255, 255)
    # the better method takes no transparency
    method = Image.Quantize.MEDIANCUT if opaque else Image.Quantize.FASTOCTREE
    picture = picture.convert("RGB") if opaque else picture
    file = io.BytesIO()
    picture.quantize(256, method=method, dither=Image.Dither.NONE).save(file, "png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


# A tag, or a comment. In texts and attributes Matplotlib writes the brackets of names as entities.
_TAG = re.compile(r"(<[^>]*>)")


def _for_page(text: str, name: str, label: str, tone: str) -> str:
    """Without prologue, metadata, fixed size and fixed font, its ids under the picture's own name.

    Tags alone are changed: texts are names of columns and classes, which may look like anything.
    """
    from html import escape

    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    width, height = re.match(r'<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups()  # type: ignore[union-attr]
    head = (
        f'<svg class="picture {tone}" viewBox="0 0 {width} {height}" style="--width: {float(width):.0f}px" role="img" '
        f'aria-label="{escape(label, quote=True)}" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    parts = _TAG.split(text)  # texts and tags take turns
    parts[1::2] = [head, *(_own_tag(tag, name) for tag in parts[3::2])]
    return re.sub(r"\n\s*", "\n", "".join(parts)).strip()


def _own_tag(tag: str, name: str) -> str:
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", tag)
    tag = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', tag)
    tag = re.sub(r"font-family: [^;\"]+", "font-family: inherit", tag)
    tag = re.sub(r"(font: [^;\"]*?\d+(?:\.\d+)?px )[^;\"]+", r"\1var(--sans)", tag)
    tag = tag.replace(_MARK, "currentColor")
    return re.sub(r"data:image/png;base64,([^\"]+)", lambda found: _few_colours(found[1]), tag)


# Halves of characters, which UTF-8 cannot write, and control characters, which a page may not have.
_NO_CHARACTERS = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def require_extras() -> None:
    """Raise ImportError, naming the extra, where Jinja2 or Matplotlib is not installed."""
    for module, name in (("jinja2", "Jinja2"), ("matplotlib", "Matplotlib")):
        if find_spec(module) is None:
            raise ImportError(f"a report needs {name}, which is not installed: pip install 'maxmargin[report]'")


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("maxmargin.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "figure": _words.figure,
        "fixed": _words.fixed,
        "number": _words.number,
        "tiny": _words.tiny,
        "percent": _words.percent,
        "count": _words.count,
        "shortened": _words.shortened,
        "plural": _words.plural,
    }
    return environment.get_template("page.html")


def render(data: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    """The page. Texts are escaped by the template; pictures are SVG of our own making."""
    from markupsafe import Markup

    drawn = {name: Markup(svg) for name, svg in pictures.items()}
    return _NO_CHARACTERS.sub("\ufffd", _template().render(**data, drawn=drawn))
