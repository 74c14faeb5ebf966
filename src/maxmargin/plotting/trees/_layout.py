"""Where the boxes of a tree stand: parents above the middle of their children, subtrees as close as they fit.

From the leaves upwards, a subtree is known by its outline: the leftmost and the rightmost edge on each of its levels.
Two siblings are pushed together until their outlines are one gap apart on the level where they are closest, and their
parent stands halfway between them (after Reingold and Tilford, IEEE Transactions on Software Engineering 7, 1981).
"""

from __future__ import annotations

import numpy as np

Outline = list[tuple[float, float]]


def from_the_root(left: np.ndarray, right: np.ndarray) -> list[int]:
    """All nodes, level by level from the root on; children of -1 are none."""
    order = [0]
    for node in order:  # grows on the way
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    return order


def tidy(left: np.ndarray, right: np.ndarray, width: np.ndarray, gap: float) -> np.ndarray:
    """Middles of the boxes of these widths along the x-axis, the root's at 0."""
    order = from_the_root(left, right)
    offset = np.zeros(len(width))
    outlines: dict[int, Outline] = {}
    for node in reversed(order):
        below: Outline = []
        if left[node] >= 0:
            a, b = outlines.pop(int(left[node])), outlines.pop(int(right[node]))
            # the outlines of both share at least the level of the children themselves
            apart = max(end - start + gap for (_, end), (start, _) in zip(a, b, strict=False))
            offset[left[node]], offset[right[node]] = -apart / 2, apart / 2
            below = _joined(a, b, apart / 2)
        outlines[node] = [(-width[node] / 2, width[node] / 2), *below]
    x = np.zeros(len(width))
    for node in order:
        for child in (left[node], right[node]):
            if child >= 0:
                x[child] = x[node] + offset[child]
    return x


def _joined(a: Outline, b: Outline, half: float) -> Outline:
    """The outline of two subtrees, one shifted to the left and the other to the right."""
    levels = []
    for k in range(max(len(a), len(b))):
        ends = [(s - half, e - half) for s, e in a[k : k + 1]] + [(s + half, e + half) for s, e in b[k : k + 1]]
        levels.append((ends[0][0], ends[-1][1]))
    return levels
