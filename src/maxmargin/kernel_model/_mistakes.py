"""Radius, margin and mistake bound of a kernel perceptron, recomputed from its coefficients and the kernel matrix.

Everything is measured in the feature space of k~, where the perceptron walks from w = 0. With samples of length at most
R there, two theorems bound the mistakes of T epochs in whatever order:

- Novikoff (1962): if some unit vector u has y_i <u, phi~(x_i)> >= gamma > 0 for all samples, at most (R / gamma)^2;
- Freund and Schapire (1999, theorem 2): for every unit vector u and gamma > 0, with d_i = max(0, gamma - y_i <u,
  phi~(x_i)>) and D^2 = T sum_i d_i^2 (each sample comes T times), at most ((R + D) / gamma)^2.

Any u gives a bound. Tried are the weights of the perceptron and their mean, and where the samples are not too many the
nearest point of the convex hull of all y_i phi~(x_i) to the origin, whose direction has the largest margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..certificates import Guarantee, Status, rounded_down, rounded_up
from ..kernels import MatrixGram
from ..messages import counted
from ..problems import BoxQP, KernelSeparation
from ..solvers import solve_certified

# Up to so many samples the largest margin is looked for, to these digits, with so many steps a sample.
_ROWS, _APART, _STEPS = 2000, 0.02, 50
_ROOM = 1 + 1e-9  # figures are sums of many rounded terms


@dataclass(frozen=True)
class Record:
    """What a run says of itself."""

    mistakes: int
    epochs: int
    status: Status
    label: str
    seconds: float


def mistake_guarantee(problem: KernelSeparation, last: np.ndarray, kept: np.ndarray, record: Record) -> Guarantee:
    """What holds of a run that ended at the coefficients `last`; predictions are made with `kept`."""
    K, y = problem.K, problem.y
    values = y * (K @ last)
    errors = int(np.count_nonzero(~(y * (K @ kept) > 0)))
    radius = _root_above(max(float(K.diagonal().max(initial=0.0)), 0.0))
    found = _margins(K, y, last, values)
    figures = {
        "mistakes": float(record.mistakes),
        "bound": math.inf,
        "training errors": float(errors),
        "radius": radius,
    }
    directions = [d for d in (found, _margins(K, y, kept, y * (K @ kept))) if d is not None]
    if (nearest := _nearest(K, y)) is not None:
        directions.append(nearest)
    margin = max((float(d.min()) for d in directions), default=-math.inf)
    start = f"{counted(record.mistakes, 'mistake')} in {counted(record.epochs, 'epoch')} ({record.status})"
    if problem.definiteness == "fails":
        words = f"{start}; the kernel is not positive semi-definite, and without a feature space there is no bound."
        return _guarantee(record, figures, words, False)
    start += f", samples of length at most {rounded_up(radius, 4)}"
    if problem.definiteness == "assumed":
        start += " (if the kernel is positive semi-definite, which is assumed)"
    if margin > 0:
        figures |= {"margin": margin, "bound": (radius * _ROOM / margin) ** 2}
        whole = math.floor(figures["bound"] * _ROOM)
        words = (
            f"{start} in feature space, and a margin of {rounded_down(margin, 4)}: there can be no more than {whole}."
        )
        return _guarantee(record, figures, words, record.mistakes <= figures["bound"] * _ROOM)
    bounds = [_with_deviations(d, radius * _ROOM, record.epochs) for d in directions]
    gamma, deviation, bound = min(bounds, key=lambda b: b[2], default=(0.0, 0.0, math.inf))
    most = float(problem.n * record.epochs)
    if not bound < most:
        words = f"{start}; the classes were not separated, and no bound is below a mistake on every sample: {most:.0f}."
        return _guarantee(record, figures | {"bound": most}, words, record.mistakes <= most)
    figures |= {"gamma": gamma, "deviation": deviation, "bound": bound}
    words = (
        f"{start}; the classes were not separated. With the deviations from a margin of {gamma:.4g}, whose squares add "
        f"up to {rounded_up(deviation**2, 4)} over all epochs, there can be no more than {math.floor(bound * _ROOM)}."
    )
    return _guarantee(record, figures, words, record.mistakes <= bound * _ROOM)


def error_range(problem: KernelSeparation, kept: np.ndarray, rounding: np.ndarray) -> tuple[int, int]:
    """Samples on the wrong side by more than rounding, and those that are not on the right one by more.

    Two ways of computing a value that is zero may see it on either side: so it is with samples of both classes that
    coincide.
    """
    values = problem.y * (problem.K @ kept)
    return int(np.count_nonzero(values < -2 * rounding)), int(np.count_nonzero(~(values > 2 * rounding)))


def _root_above(square: float) -> float:
    """The square root, rounded upwards."""
    root = math.sqrt(square)
    exact = not math.isfinite(square) or Fraction(root) ** 2 >= Fraction(square)
    return root if exact else math.nextafter(root, math.inf)


def _guarantee(record: Record, figures: dict[str, float], words: str, holds: bool) -> Guarantee:
    return Guarantee("mistake bound", figures, words, holds, record.status, record.epochs, record.seconds, record.label)


def _margins(K: np.ndarray, y: np.ndarray, a: np.ndarray, values: np.ndarray) -> np.ndarray | None:
    """Distances of all samples from the plane of a, on their own side, less a little for rounding."""
    square = float(a @ (K @ a))
    size = float(np.abs(a).sum()) * float(np.abs(K.diagonal()).max(initial=0.0))
    if not square > 1e-13 * size * float(np.abs(a).sum()):
        return None
    length = math.sqrt(square) * _ROOM
    return (values - 1e-13 * size) / length


def _nearest(K: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """The same for the direction of the largest margin, a few per cent below it; None for too many samples."""
    n = len(y)
    if n > _ROWS:
        return None
    signed = (y[:, None] * K) * y
    hull = BoxQP.one_class(MatrixGram(signed, symmetric=True), np.ones(n), 1 / n)
    beta, left, best = None, _STEPS * n, None
    size = float(K.diagonal().max(initial=0.0))
    while left > 0:
        solution = solve_certified(hull, beta, _APART * size, budget=left)
        beta, left = solution.variables, left - max(1, solution.iterations)
        best = _margins(K, y, y * beta, signed @ beta)
        square = float(beta @ signed @ beta)
        if best is None or solution.status is not Status.CONVERGED:
            break
        if float(best.min()) >= (1 - 2 * _APART) * math.sqrt(square) or square >= size:
            break
        size = min(size / 10, square)
    return best


def _with_deviations(distances: np.ndarray, radius: float, epochs: int) -> tuple[float, float, float]:
    """The best gamma of a grid, the deviation D of all epochs, and the bound ((R + D) / gamma)^2."""
    best = (0.0, 0.0, math.inf)
    for gamma in radius * np.geomspace(1e-4, 10.0, 60):
        short = np.maximum(0.0, gamma - distances)
        deviation = math.sqrt(epochs * float(short @ short)) * _ROOM
        bound = ((radius + deviation) / gamma) ** 2
        if bound < best[2]:
            best = float(gamma), deviation, bound
    return best
