"""The graph of a picture's pixels, which normalised cuts segment (Shi and Malik, PAMI 22, 2000)."""

from __future__ import annotations

from math import isqrt, sqrt
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...engine import memory_size

_PAIR = 96  # bytes that a pair of pixels takes on the way to the graph: both ends and the value, both ways, and copies


def image_graph(
    image: Any, *, radius: float = 3.0, colour_scale: float = 0.1, distance_scale: float = 4.0
) -> sp.csr_array:
    """Similarities of the pixels of a picture that are near each other.

    Two pixels at most `radius` apart have the similarity ::

        exp(-||colour - colour'||^2 / colour_scale^2) * exp(-||place - place'||^2 / distance_scale^2)

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, n_channels)
        Grey values or colours; 8 bits are taken as parts of 255.
    radius : float, default=3.0
        Largest distance in pixels of a pair, at least 1.
    colour_scale : float, default=0.1
        Difference of colours that matters.
    distance_scale : float, default=4.0
        Distance in pixels that matters.

    Returns
    -------
    csr_array of shape (height * width, height * width)
        Symmetric, without loops; pixels row by row, as ``image.reshape(height * width, -1)`` has them. It is the X of
        ``SpectralClustering(affinity="precomputed")``.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.cluster import SpectralClustering, image_graph
    >>> image = np.zeros((8, 10))
    >>> image[2:6, 3:8] = 1.0
    >>> model = SpectralClustering(2, affinity="precomputed", assign_labels="best_ncut").fit(image_graph(image))
    >>> bool(np.array_equal(model.labels_.reshape(8, 10), image))
    True
    """
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or 0 in pixels.shape:
        raise ValueError(f"image must have shape (height, width) or (height, width, n_channels); got {pixels.shape}.")
    if pixels.dtype.kind not in "buif":
        raise ValueError(f"image must have real numbers; got {pixels.dtype.name}.")
    pixels = pixels.astype(np.float64) * (1 / 255 if pixels.dtype == np.uint8 else 1.0)
    if not np.isfinite(pixels).all():
        raise ValueError("image must have finite values.")
    if not isinstance(radius, Real) or not 1 <= radius < np.inf:
        raise ValueError(f"radius must be a finite number, at least 1; got {radius!r}.")
    for name, value in (("colour_scale", colour_scale), ("distance_scale", distance_scale)):
        if not isinstance(value, Real) or not 0 < value < np.inf:
            raise ValueError(f"{name} must be a positive, finite number; got {value!r}.")
    height, width = pixels.shape[:2]
    reaches = _reaches(height, width, float(radius))
    _refuse_too_many(height, width, reaches, radius)
    pixels = pixels.reshape(height, width, -1)
    number = np.arange(height * width).reshape(height, width)
    starts, ends, values = [], [], []
    for down, reach in enumerate(reaches):
        for right in range(-reach if down else 1, reach + 1):  # each pair once
            here = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))
            there = (slice(down, height), slice(max(0, right), width - max(0, -right)))
            with np.errstate(over="ignore"):  # an infinite difference is no similarity
                apart = np.square((pixels[here] - pixels[there]) / colour_scale).sum(axis=2)
                apart += np.square(np.hypot(down, right) / distance_scale)
            starts.append(number[here].ravel())
            ends.append(number[there].ravel())
            values.append(np.exp(-apart).ravel())
    if not values:
        return sp.csr_array((height * width, height * width))
    pairs = np.concatenate(starts), np.concatenate(ends)
    half = sp.csr_array((np.concatenate(values), pairs), shape=(height * width, height * width))
    return sp.csr_array(half + half.T)


def _reaches(height: int, width: int, radius: float) -> list[int]:
    """For each number of rows down, how many columns aside a pixel at most `radius` apart can be, in this image."""
    radius = min(radius, float(height + width))  # no two pixels are farther apart
    rows = range(min(height - 1, int(radius)) + 1)
    square = int(radius * radius)
    square += sqrt(square + 1) <= radius  # the square of a rounded root may be below the whole number that it is of
    return [min(width - 1, isqrt(square - down * down)) for down in rows]


def _refuse_too_many(height: int, width: int, reaches: list[int], radius: float) -> None:
    pairs = 0
    for down, reach in enumerate(reaches):
        aside = reach * width - reach * (reach + 1) // 2  # pairs of a row with those `down` below it, to the right
        pairs += (height - down) * (aside if down == 0 else 2 * aside + width)
    there = memory_size()
    if _PAIR * pairs > there:
        raise MemoryError(
            f"radius={radius!r} joins {pairs} pairs of pixels of an image of {height} x {width}: "
            f"{_PAIR * pairs / 2**30:.1f} GiB, and there are {there / 2**30:.1f} GiB of memory. Lower radius, or "
            f"shrink the image."
        )
