"""The graph of a picture's pixels, which normalised cuts segment (Shi and Malik, PAMI 22, 2000)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


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
    pixels = pixels.astype(np.float64) * (1 / 255 if pixels.dtype == np.uint8 else 1.0)
    if not np.isfinite(pixels).all():
        raise ValueError("image must have finite values.")
    for name, value, least in (("radius", radius, 1.0), ("colour_scale", colour_scale, 0.0)):
        if not value >= least or not np.isfinite(value) or value == 0:
            raise ValueError(f"{name} must be a finite number, at least 1 for radius and above 0; got {value!r}.")
    if not 0 < distance_scale < np.inf:
        raise ValueError(f"distance_scale must be a positive number; got {distance_scale!r}.")
    height, width = pixels.shape[:2]
    pixels = pixels.reshape(height, width, -1)
    number, reach = np.arange(height * width).reshape(height, width), int(radius)
    starts, ends, values = [], [], []
    for down in range(reach + 1):
        for right in range(-reach if down else 1, reach + 1):  # each pair once
            if down**2 + right**2 > radius**2 or down >= height or abs(right) >= width:
                continue
            here = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))
            there = (slice(down, height), slice(max(0, right), width - max(0, -right)))
            apart = np.square(pixels[here] - pixels[there]).sum(axis=2) / colour_scale**2
            starts.append(number[here].ravel())
            ends.append(number[there].ravel())
            values.append(np.exp(-apart - (down**2 + right**2) / distance_scale**2).ravel())
    if not values:
        return sp.csr_array((height * width, height * width))
    pairs = np.concatenate(starts), np.concatenate(ends)
    half = sp.csr_array((np.concatenate(values), pairs), shape=(height * width, height * width))
    return sp.csr_array(half + half.T)
