"""Windows of pictures: grey values, pictures of all sizes, and what a classifier sees of a window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.ndimage import uniform_filter1d, zoom

_GREY = np.array([0.299, 0.587, 0.114])  # how bright red, green and blue appear (ITU-R BT.601)
_BRIGHTEST = 1e100  # squares of larger values would overflow
_FLAT = 1e-3  # a window that varies less is flat, where 1 is bright


def grey_values(image: Any) -> np.ndarray:
    """A picture of shape (height, width), or (height, width, 3 or 4), as grey values between 0 and 1."""
    found = np.asarray(image)
    if found.dtype.kind not in "buif":
        raise ValueError(f"an image must have real numbers; got {found.dtype.name}.")
    if found.ndim == 3 and found.shape[2] in (3, 4):
        found = found[:, :, :3].astype(np.float64) @ _GREY * (1 / 255 if found.dtype == np.uint8 else 1.0)
    elif found.ndim == 2:
        found = found.astype(np.float64) * (1 / 255 if found.dtype == np.uint8 else 1.0)
    else:
        raise ValueError(f"an image must have shape (height, width) or (height, width, 3); got {found.shape}.")
    if not np.isfinite(found).all():
        raise ValueError("an image must have finite values.")
    if found.size and (largest := float(np.abs(found).max())) > _BRIGHTEST:
        raise ValueError(f"an image must have values of at most {_BRIGHTEST:g} in size; got {largest:g}: scale it.")
    return found


def resized(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """A picture in another size: averaged where it shrinks, and interpolated linearly."""
    for axis, size in enumerate((height, width)):
        shrink = image.shape[axis] / size
        if shrink > 1:
            image = uniform_filter1d(image, max(1, round(shrink)), axis=axis, mode="nearest")
    factors = height / image.shape[0], width / image.shape[1]
    return zoom(image, factors, order=1, mode="nearest", grid_mode=True)


def pyramid(image: np.ndarray, window: tuple[int, int], scale: float) -> Iterator[tuple[float, np.ndarray]]:
    """The picture, smaller by a factor each time, as long as a window fits; and by how much it is smaller."""
    size = 1.0
    while True:
        height, width = round(image.shape[0] / size), round(image.shape[1] / size)
        if height < window[0] or width < window[1]:
            return
        yield size, image if size == 1.0 else resized(image, height, width)
        size *= scale


def places(shape: tuple[int, ...], window: tuple[int, int], step: int) -> tuple[np.ndarray, np.ndarray]:
    """Tops and lefts of the windows of a picture, the last ones at its edge."""
    ends = [shape[k] - window[k] for k in range(2)]
    tops, lefts = (np.unique(np.append(np.arange(0, end + 1, min(step, end + 1)), end)) for end in ends)
    return tops, lefts


def described(windows: np.ndarray) -> np.ndarray:
    """Windows of shape (n, height, width) as rows: grey values less their mean, over their spread."""
    rows = windows.reshape(len(windows), -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.mean(rows**2, axis=1, keepdims=True))
    return rows / np.maximum(spread, _FLAT)


def cropped(image: np.ndarray, box: np.ndarray, window: tuple[int, int]) -> np.ndarray | None:
    """What is in a box, in the size of the window; None if the box leaves the picture."""
    top, left, bottom, right = np.rint(box)  # whole numbers, of any size
    if top < 0 or left < 0 or bottom > image.shape[0] or right > image.shape[1] or bottom <= top or right <= left:
        return None
    return resized(image[int(top) : int(bottom), int(left) : int(right)], *window)
