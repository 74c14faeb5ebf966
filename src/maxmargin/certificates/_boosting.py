"""What is proven of gradient boosting on its training rows, from the trees' values and the rows' ways alone.

Let f_t be the sums after round t and v_i the step that row i takes in round t, its leaf's value. For the losses here

    L(f + v) <= L(f) + g v + h v^2 psi(|v|),   psi(x) = (e^x - 1 - x) / x^2,

where g and h are derivatives at f: |L'''| <= L'' for the logistic loss (Bach 2010, proposition 1), and for Poisson and
gamma, where e^f is its own derivative, it is an equality with psi(v) or psi(-v). The squared error has psi = 1/2, and
equality. For the log loss of K classes the same holds with the variance of the step under the probabilities in the
place of h v^2, and the range of the step in that of |v|. So a round lowers the loss by at least

    B_t = - sum over leaves of (G v + H v^2 psi(|v|)),

with G and H sums over the rows of a leaf. For a Newton step with learning rate r, v = - r G / H, this is
sum of H v^2 (1/r - psi(|v|)): with r = 0.1 it is positive as long as |v| < 5.

The losses with a corner are convex, and a leaf's value is r times its best value v*: a round lowers the loss by at
least r times what the steps v* would lower it by.

Losses are those of the training rows: nothing is claimed about new ones, nor about the best sum of trees.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..engine import jit, run_portions, thread_count
from ._boosting_losses import BLOCK, LOSSES, block_derivatives, block_loss
from ._certificate import Status
from ._guarantee import Guarantee
from ._print import rounded_down

NAME = "decrease of the loss by rounds"
# What values of leaves may be off by, relative to what they are recomputed as; and sums of losses, to their size.
_AGREES, _ROUNDING = 1e-6, 1e-12
# At most so many tasks, whatever the number of threads: their sums are added up in their order.
_TASKS = 8


@dataclass(frozen=True, repr=False)
class GradientBoostingGuarantee(Guarantee):
    """The guarantee of gradient boosting, with its figures round by round.

    Attributes
    ----------
    losses : ndarray of shape (rounds + 1,)
        Mean loss of the training rows before the first round and after each.
    guaranteed : ndarray of shape (rounds,)
        By how much the steps of a round lower it at least; not positive where nothing is guaranteed.

    """

    losses: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    guaranteed: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)


class BoostingTrees(NamedTuple):
    """What trees say: the value of each leaf, trees of a round side by side, and where the nodes of each tree begin."""

    values: np.ndarray
    first: np.ndarray
    of_round: int


class BoostingSetting(NamedTuple):
    """The loss by its number and quantile, and how values of leaves were made: learning rate, penalty, and whether they
    are held within limits.
    """

    kind: int
    quantile: float
    rate: float
    l2: float
    limited: bool


class BoostingTarget(NamedTuple):
    """The targets (numbers of classes as floats) and weights of the training rows; no weights: all are 1."""

    y: np.ndarray
    weight: np.ndarray


# The leaf, by its number among all nodes, of rows from one to another in each tree: int32 of shape (trees, rows).
Routes = Callable[[int, int], np.ndarray]


@jit
def _follow(
    kind: int,
    q: float,
    rate: float,
    y: Any,
    weight: Any,
    leaves: Any,
    values: Any,
    f: Any,
    sums: Any,
    losses: Any,
    steps: Any,
) -> None:
    """Follow a block of rows through all rounds.

    Adds to the sums of first and second derivatives and of rows of each leaf, to the losses before each round and after
    the last, and in `steps` to the linear and the quadratic part of the bound, or to the losses that whole steps would
    give.
    """
    K, m = f.shape[0], y.size
    rounds = leaves.shape[0] // K
    g, h = np.empty((K, BLOCK)), np.empty((K, BLOCK))
    room, bits, other = np.empty((K + 2, BLOCK)), np.empty(BLOCK, dtype=np.int64), np.empty((K, BLOCK))
    by_rank = kind == 1 or kind == 2
    for t in range(rounds):
        block_derivatives(kind, q, y, weight, f, 0, m, g, h, room, bits)
        losses[t] += block_loss(kind, q, y, weight, f, 0, m, room, bits, True)
        if by_rank:
            for i in range(m):
                other[0, i] = f[0, i] + values[leaves[t, i]] / rate
            steps[t, 0] += block_loss(kind, q, y, weight, other, 0, m, room, bits, False)
        elif K > 1:
            for i in range(m):
                s = weight[i] if weight.size else 1.0
                mean = square = 0.0
                for k in range(K):
                    v = values[leaves[t * K + k, i]]
                    p = room[k, i] / room[K, i]
                    steps[t, 0] += g[k, i] * v
                    mean += p * v
                    square += p * v * v
                steps[t, 1] += s * max(square - mean * mean, 0.0)
        for k in range(K):
            line = leaves[t * K + k]
            for i in range(m):
                leaf = line[i]
                sums[leaf, 0] += g[k, i]
                sums[leaf, 1] += h[k, i]
                sums[leaf, 2] += 1.0
                f[k, i] += values[leaf]
    losses[rounds] += block_loss(kind, q, y, weight, f, 0, m, room, bits, False)


def _gather(
    routes: Routes, trees: BoostingTrees, setting: BoostingSetting, target: BoostingTarget, baseline: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sums of the leaves, the losses and the steps over all rows."""
    n, nodes, rounds = len(target.y), len(trees.values), (len(trees.first) - 1) // trees.of_round
    size = BLOCK * max(1, -(-n // (BLOCK * _TASKS)))

    def work(start: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sums, losses, steps = np.zeros((nodes, 3)), np.zeros(rounds + 1), np.zeros((rounds, 2))
        for begin in range(start, end, BLOCK):
            stop = min(begin + BLOCK, end)
            f = np.empty((trees.of_round, BLOCK))
            f[:] = baseline[:, None]
            weight = target.weight[begin:stop]
            _follow(
                *setting[:3], target.y[begin:stop], weight, routes(begin, stop), trees.values, f, sums, losses, steps
            )
        return sums, losses, steps

    parts = run_portions(
        work, [(start, min(start + size, n)) for start in range(0, n, size)], thread_count(None), long=True
    )
    totals = [part.copy() for part in parts[0]]
    for part in parts[1:]:
        for total, more in zip(totals, part, strict=True):
            total += more
    return totals[0], totals[1], totals[2]


def psi(x: np.ndarray) -> np.ndarray:
    """(e^x - 1 - x) / x^2, which is 1/2 at 0."""
    x = np.asarray(x, dtype=np.float64)
    small = np.abs(x) < 1e-2
    safe = np.where(small, 1.0, x)
    with np.errstate(over="ignore"):
        exact = (np.expm1(safe) - safe) / (safe * safe)
    return np.where(small, 0.5 + x / 6 + x * x / 24 + x**3 / 120, exact)


def _guaranteed(
    trees: BoostingTrees,
    setting: BoostingSetting,
    sums: np.ndarray,
    losses: np.ndarray,
    steps: np.ndarray,
    of_node: np.ndarray,
) -> np.ndarray:
    """By how much each round lowers the sum of the losses at least."""
    name, v, rounds = LOSSES[setting.kind], trees.values, len(steps)
    if name in ("absolute_error", "quantile"):
        return setting.rate * (losses[:-1] - steps[:, 0]) if setting.rate <= 1 else np.full(rounds, -math.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        if name == "multinomial":
            used = np.where(sums[:, 2] > 0, v, np.nan)
            high, low = np.full(len(trees.first) - 1, -math.inf), np.full(len(trees.first) - 1, math.inf)
            np.fmax.at(high, of_node, used)
            np.fmin.at(low, of_node, used)
            span = high.reshape(rounds, -1).max(axis=1) - low.reshape(rounds, -1).min(axis=1)
            return -(steps[:, 0] + steps[:, 1] * psi(span))
        factor = np.full(len(v), 0.5)
        if name != "squared_error":
            factor = psi({"poisson": v, "gamma": -v}.get(name, np.abs(v)))
        by_node = np.where(sums[:, 2] > 0, sums[:, 0] * v + sums[:, 1] * v * v * factor, 0.0)
        return -np.add.reduceat(by_node, trees.first[:-1])


def _deviation(trees: BoostingTrees, setting: BoostingSetting, sums: np.ndarray) -> float:
    """By how much values of leaves differ from Newton steps, relative to the largest step of all."""
    if setting.limited or LOSSES[setting.kind] in ("absolute_error", "quantile"):
        return 0.0
    lone = np.diff(trees.first) == 1  # a root that is not split has the value 0
    leaf = sums[:, 2] > 0
    leaf[trees.first[:-1][lone]] = False
    if not leaf.any():
        return 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        wanted = -setting.rate * sums[leaf, 0] / (sums[leaf, 1] + setting.l2 + 1e-15)
        off = np.abs(trees.values[leaf] - wanted) / np.maximum(np.abs(wanted).max(), np.finfo(np.float64).tiny)
    return float(np.max(off)) if np.isfinite(off).all() else math.inf


def boosting_guarantee(
    routes: Routes,
    trees: BoostingTrees,
    setting: BoostingSetting,
    target: BoostingTarget,
    baseline: np.ndarray,
    ending: str,
) -> GradientBoostingGuarantee:
    """The losses round by round, recomputed, and what the steps guarantee.

    Parameters
    ----------
    routes : callable
        The leaves of rows, see `Routes`, found by the thresholds of the trees on the rows as they are.
    trees, setting, target
        See there.
    baseline : ndarray of shape (trees of a round,)
        The sums before the first round.
    ending : str
        Why there were no more rounds, in words.

    """
    sums, losses, steps = _gather(routes, trees, setting, target, baseline)
    mass = float(target.weight.sum()) if target.weight.size else float(len(target.y))
    of_node = np.repeat(np.arange(len(trees.first) - 1), np.diff(trees.first))
    bounds = _guaranteed(trees, setting, sums, losses, steps, of_node)
    off = _deviation(trees, setting, sums)
    rounding = _ROUNDING * max(float(np.abs(losses).max()), abs(float(losses[0])), np.finfo(np.float64).tiny)
    with np.errstate(invalid="ignore"):  # losses may overflow
        decreases = losses[:-1] - losses[1:]
        rose = int(np.count_nonzero(~(decreases >= -rounding)))
        kept = bool((decreases >= bounds - rounding - 1e-9 * np.abs(bounds)).all())
        proven = int(np.count_nonzero((bounds >= -rounding) & np.isfinite(losses[1:])))
    holds = rose == 0 and kept and off <= _AGREES and bool(np.isfinite(losses).all())
    figures = {
        "rounds": float(len(steps)),
        "training loss before": float(losses[0] / mass),
        "training loss": float(losses[-1] / mass),
        "smallest decrease": float(decreases.min(initial=math.inf) / mass),
        "rounds in which it rose": float(rose),
        "rounds with a guaranteed decrease": float(proven),
        "sum of guaranteed decreases": float(np.maximum(bounds, 0.0).sum() / mass),
        "deviation of leaf values": off,
    }
    words = _words(figures, setting, kept, ending)
    status = Status.CONVERGED if holds else Status.STALLED
    return GradientBoostingGuarantee(
        NAME, figures, words, holds, status, len(steps), losses=losses / mass, guaranteed=bounds / mass
    )


def _words(figures: dict[str, float], setting: BoostingSetting, kept: bool, ending: str) -> str:
    rounds, rose, proven = (
        int(figures[name]) for name in ("rounds", "rounds in which it rose", "rounds with a guaranteed decrease")
    )
    made = f"after {rounds} round{'s' if rounds != 1 else ''} ({ending})"
    before, after = figures["training loss before"], figures["training loss"]
    if not math.isfinite(before):
        return f"The training loss overflows float64 {made}, and nothing is guaranteed. Scale y, or sample_weight."
    if rose or not math.isfinite(after):
        return (
            f"The training loss, recomputed, went from {before:.6g} to {after:.6g} {made}, but rose in {rose} of them: "
            "the steps were too long. Give a smaller learning_rate."
        )
    if not kept or figures["deviation of leaf values"] > _AGREES:
        return (
            f"The training loss, recomputed, fell from {before:.6g} to {after:.6g} {made}; the values of leaves are "
            f"not the Newton steps of their rows (they deviate by {figures['deviation of leaf values']:.3g})."
        )
    words = f"The training loss, recomputed, fell from {before:.6g} to {after:.6g} {made} and rose in none of them"
    if LOSSES[setting.kind] in ("absolute_error", "quantile") or setting.limited:
        steps = "the steps"
    else:
        steps = "the Newton steps of the leaves, recomputed,"
    words += f"; in {proven} of them {steps} guarantee that it falls, by at least"
    words += f" {rounded_down(figures['sum of guaranteed decreases'], 4)} together"
    return words + ". Nothing is claimed about new rows, nor about the best sum of trees."
