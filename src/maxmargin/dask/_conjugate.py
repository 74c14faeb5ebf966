"""Newton's direction of many columns, by conjugate gradients: a product with the Hessian is one sum of vectors.

    (H + ridge) p = -g,      preconditioned by the diagonal,

until what the residual r leaves of the gap is small enough. The Hessian is never formed. A question about the product
H s is a pure function of the rows, the variables and s, so that no partition remembers anything from one to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

# Products of a direction at most: one that is cut short descends, too.
_MOST = 400
_MOST_HERE = 5000


def conjugate_direction(
    product: Callable[[np.ndarray], Any],
    ridge: np.ndarray,
    slope: np.ndarray,
    diagonal: np.ndarray,
    is_enough: Callable[[np.ndarray], bool],
    most: int = _MOST,
) -> Generator[Any, Any, np.ndarray]:
    """An inexact Newton direction; `product` makes the question about ``H s``, `diagonal` is that of H + ridge."""
    inverse = 1 / np.where(diagonal > 0, diagonal, 1.0)
    p, r = np.zeros_like(slope), -slope
    z = inverse * r
    s, rz = z, float(np.vdot(r, z))
    for _ in range(most):
        (image,), stop = yield product(s)
        image = image + ridge * s
        curvature = float(np.vdot(s, image))
        if not curvature > 0:  # rounding, or no row with curvature along s
            return p if p.any() else z
        t = rz / curvature
        p, r = p + t * s, r - t * image
        if stop or is_enough(r):
            break
        z = inverse * r
        before, rz = rz, float(np.vdot(r, z))
        s = z + (rz / before) * s
    return p


def direction_here(
    product: Callable[[np.ndarray], np.ndarray],
    ridge: np.ndarray,
    slope: np.ndarray,
    diagonal: np.ndarray,
    is_enough: Callable[[np.ndarray], bool],
) -> np.ndarray:
    """The same where `product` is known here."""
    steps = conjugate_direction(lambda s: s, ridge, slope, diagonal, is_enough, _MOST_HERE)
    s = next(steps)
    while True:
        try:
            s = steps.send(((product(s),), False))
        except StopIteration as end:
            return np.asarray(end.value)
