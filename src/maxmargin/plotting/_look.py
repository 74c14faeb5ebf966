"""How pictures look: colours and signs of classes and clusters, legends and notes, names and numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from .. import messages
from ._matplotlib import Axes

INK = "#222222"
FAINT = "#8C8C8C"
# In this order each colour differs from all before it by 20 or more in CIELAB, also in the simulations of Machado et
# al. (2009) of an eye without long, middle or short wave cones; an eighth would not. What is beyond has another marker.
COLOURS = ("#0055A4", "#E66100", "#3DBBE0", "#7A3A46", "#F0B68C", "#8A3FE0", "#C94F8F")
MARKERS = ("o", "^", "s", "D", "v", "<", "X", ">")  # no "P": small ones vanish
STAR: dict[str, Any] = {"marker": "*", "markersize": 15, "markerfacecolor": "white", "markeredgewidth": 1.2}
_PALE = 0.2  # share of the colour in the region of a class, the rest being white
_ROOM = 600  # points of full size
_MOST_NAMED = 8  # classes or clusters with a line of their own in the legend

_SHORTEST = 12  # letters of a line above the axes

# Of two axes, how much longer one may be than the other for both to have the same scale.
_STRIP = 3.0


def colour(k: int) -> str:
    """Colour of class or cluster k."""
    return COLOURS[k % len(COLOURS)]


def marker(k: int) -> str:
    """Marker of class or cluster k; seven colours and eight markers come together again after 56."""
    return MARKERS[k % len(MARKERS)]


def pale(k: int, strength: Any = 1.0) -> np.ndarray:
    """Red, green and blue of the region of class or cluster k; less than full strength is closer to white."""
    from matplotlib.colors import to_rgb

    return 1 - _PALE * np.multiply.outer(strength, 1 - np.array(to_rgb(colour(k))))


def edge(k: int) -> Any:
    """The rim of the points of class or cluster k: white, or a darker tone of a colour that is light itself."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(colour(k)))
    return "white" if rgb @ (0.2126, 0.7152, 0.0722) < 0.7 else tuple(0.55 * rgb)


def crowded(size: float, count: int, room: int) -> float:
    """The size of each of so many markers: smaller where there are more than the picture has room for."""
    return size * float(np.clip((room / max(1, count)) ** 0.75, 0.12, 1.0))


def scatter(ax: Axes, points: np.ndarray, label: np.ndarray, count: int, **options: Any) -> list[Any]:
    """Points in the colours and markers of their classes or clusters, a collection for each."""
    style: dict[str, Any] = {"s": 28, "linewidths": 0.6, "zorder": 4} | options
    shrunk = crowded(1.0, len(points), _ROOM)
    # of a small marker a rim would leave nothing
    style |= {"s": shrunk * style["s"], "linewidths": style["linewidths"] * (shrunk > 0.5)}
    return [
        ax.scatter(*points[label == k].T, marker=marker(k), facecolors=colour(k), **{"edgecolors": edge(k)} | style)
        for k in range(count)
    ]


def mark(text: str, sign: str, face: str, rim: Any = "white", size: float = 8, width: float = 1.0) -> Any:
    """An entry of the legend: a marker and its meaning."""
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], linestyle="", marker=sign, markersize=size, markerfacecolor=face, markeredgecolor=rim,
        markeredgewidth=width, label=text,
    )  # fmt: skip


def line(text: str, shade: str = INK, style: Any = "-", width: float = 1.6, **options: Any) -> Any:
    """An entry of the legend: a line and its meaning."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=shade, linestyle=style, linewidth=width, label=text, **options)


def named(texts: Sequence[str]) -> list[Any]:
    """Entries of the legend for classes or clusters; none if they are too many to name."""
    if len(texts) > _MOST_NAMED:
        return []
    return [mark(text, marker(k), colour(k), edge(k)) for k, text in enumerate(texts)]


def drawn_of(count: int, most: int) -> np.ndarray:
    """Which of so many samples are drawn: all, or so many of them at random, the same ones every time."""
    mask = np.ones(count, dtype=bool)
    if count > most:
        mask[:] = False
        mask[np.random.default_rng(0).choice(count, most, replace=False)] = True
    return mask


def sampled_note(drawn: np.ndarray) -> list[Any]:
    """An entry of the legend that says how many samples are drawn; none if all are."""
    if drawn.all():
        return []
    return [mark(f"drawn: {int(drawn.sum()):,} of {len(drawn):,}, at random", "", "none")]


def equal_scales(ax: Axes, a: np.ndarray, b: np.ndarray) -> None:
    """The same scale along both axes of a plane, unless one of them would become a strip: of units that differ."""
    ratio = float((b[-1] - b[0]) / (a[-1] - a[0]))
    if 1 / _STRIP < ratio < _STRIP:
        ax.set_aspect("equal", adjustable="box")


def legend_of_figure(figure: Any, handles: list[Any], columns: int) -> Any:
    """The legend below all that is in a figure, in as many of these columns as the figure is wide enough for.

    The layout makes room for it in height alone. A legend of the axes would make them narrower, and where something
    stands beside them it would leave the figure.
    """
    room = 0.97 * figure.bbox.width
    for count in range(min(columns, len(handles)), 0, -1):
        legend = figure.legend(handles=handles, loc="outside lower center", ncols=count, frameon=False, numpoints=1)
        width = legend.get_window_extent().width
        if width <= room or count == 1:
            break
        legend.remove()
    for text in legend.get_texts():
        text.set_fontsize(min(1.0, room / width) * text.get_fontsize())  # one line may be too long in one column
    return legend


def legend_below(ax: Axes, handles: list[Any], columns: int = 3, room: bool = True) -> Any:
    """The legend under the axes, clear of their label; without `room` in one column of small print.

    What stands side by side is as wide as its legends, if they are let: the axes would have what is left.
    """
    from matplotlib.transforms import ScaledTranslation

    extra: dict[str, Any] = {} if room else {"fontsize": "small", "labelspacing": 0.3}
    columns = columns if room else 1

    below = ax.transAxes + ScaledTranslation(0, -36 / 72, ax.figure.dpi_scale_trans)  # 36 points, for the label
    return ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=below,
        ncols=min(columns, len(handles)),
        frameon=False,
        numpoints=1,
        **extra,
    )


def head(ax: Axes, text: str) -> None:
    """A line above the axes; beside others it is broken to the width of its own."""
    title = ax.set_title(text, loc="left", fontsize="medium", color=INK)
    room, wide = ax.get_window_extent().width, title.get_window_extent().width
    if len(ax.figure.axes) > 1 and wide > room > 0:
        title.set_fontsize("small")
        letters = max(map(len, text.splitlines())) * room / title.get_window_extent().width
        title.set_text(textwrap.fill(text, max(_SHORTEST, int(0.95 * letters))))


def frame_plane(
    ax: Axes,
    names: tuple[str, str],
    ends: Any,
    section_of: int | None,
    effect: str = "they may appear in a region that is not theirs",
) -> None:
    """Names and ends of both axes; above them, that the plane is only a section, and what that does to the points."""
    ax.set(xlabel=names[0], ylabel=names[1], xlim=ends[0], ylim=ends[1])
    if section_of is not None:
        space = f"A section of the space of {section_of} features through the mean."
        head(ax, f"{space} Samples are projected on it,\nso that {effect}.")


def draw_regions(
    ax: Axes,
    a: np.ndarray,
    b: np.ndarray,
    shares: tuple[np.ndarray, np.ndarray, int],
    boost: float = 1.0,
    **options: Any,
) -> Any:
    """The class that wins on a grid in its colour, the paler the closer the vote.

    `shares` are the number of the class that wins, its share of the vote, and the number of classes. A vote that is
    split evenly among all of them leaves a third of the colour, so that it is seen who wins.
    """
    winner, share, count = shares
    even = 1 / max(2, count)
    strength = 1 / 3 + 2 / 3 * np.clip((share - even) / (1 - even), 0, 1)
    picture = np.ones((*winner.shape, 3))
    for k in range(count):
        picture[winner == k] = pale(k, boost * strength[winner == k])
    x, y = (a[1] - a[0]) / 2, (b[1] - b[0]) / 2  # a value is the middle of its pixel
    extent = (a[0] - x, a[-1] + x, b[0] - y, b[-1] + y)
    return ax.imshow(picture, extent=extent, origin="lower", aspect="auto", zorder=0, **options)


def class_names(classes: Any) -> tuple[str, ...]:
    """Labels that are words speak for themselves; a number alone would look like a count in the legend."""
    return tuple(label if isinstance(label, str) else f"class {label}" for label in np.asarray(classes).tolist())


def padded(points: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of both axes: a little beyond the smallest and the largest coordinates."""
    scale = float(np.abs(points).max(initial=0.0))
    ends = []
    for values in points.T:
        low, high = float(values.min()), float(values.max())
        # all points on one line: the plane needs some width all the same
        pad = 0.06 * (high - low) if high - low > 1e-9 * scale else scale or 1.0
        ends.append((low - pad, high + pad))
    return ends[0], ends[1]


def shortened(name: str, longest: int = 28) -> str:
    """A name of no more letters than there is room for, cut in the middle, where names differ least."""
    return messages.shortened(name, longest, middle=True)


def number(value: float, figures: int = 4) -> str:
    """So many figures of a number, all of those before the point below a million, and a proper minus."""
    return messages.typeset(messages.number(float(value), figures, missing="nan"))


def value_text(value: Any, digits: int = 3) -> str:
    """A parameter's value: three figures are enough to know it again."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return str(value)
    number = float(value)
    if 1000 <= abs(number) < 1e5:
        return f"{number:.0f}"
    mantissa, _, exponent = f"{number:.{digits}g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
