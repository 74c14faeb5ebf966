"""Rows of covtype or made ones, and the machine that is wanted of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..datasets import load
from ..options import SEED, Options

QUICK = 20_000  # rows of covtype in a quick run


@dataclass(frozen=True)
class Case:
    """What is asked, and who else is: `contenders` are keys of `CONTENDERS`, `LargeSVC` first."""

    name: str
    C: float
    contenders: tuple[str, ...]
    gamma: float | str = "scale"
    rows: int | None = None  # None: all of covtype
    columns: int = 54
    gap: float = 0.01
    memory: float = 7000.0  # MB
    minutes: float = 30.0  # the time limit of LargeSVC
    limited: bool = False  # whether it is told of that limit; otherwise it is ended by it

    def data(self, options: Options) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Training rows and labels, and a tenth that is held out; float32."""
        rng = np.random.default_rng(SEED)
        if self.rows is None:
            found = load("covtype", options.data)
            X, y = np.asarray(found.X, dtype=np.float32), np.where(found.y == 2, 1, 0)
            order = rng.permutation(len(X))[: QUICK if options.quick else None]
            X, y = X[order], y[order]
        else:
            X, y = made(self.rows // 100 if options.quick else self.rows, self.columns, rng)
        held = len(X) // 10
        mean, deviation = X[held:].mean(axis=0, dtype=np.float64), X[held:].std(axis=0, dtype=np.float64)
        X -= mean.astype(np.float32)
        X /= np.where(deviation > 0, deviation, 1.0).astype(np.float32)
        return X[held:], y[held:], X[:held], y[:held]

    def gamma_of(self, X: np.ndarray) -> float:
        return 1.0 / (X.shape[1] * float(X.var(dtype=np.float64))) if self.gamma == "scale" else float(self.gamma)


def made(n: int, columns: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a curved boundary and 5 % label noise."""
    X = rng.standard_normal(size=(n, columns), dtype=np.float32)
    y = (np.square(X[:, :4]).sum(axis=1) + np.sin(2 * X[:, 4]) * X[:, 5] > 3.3).astype(int)
    return X, np.where(rng.uniform(size=n) < 0.05, 1 - y, y)


_PEERS = ("subset", "linear", "sgd", "forest")
CASES = (
    Case("covtype-1", 1.0, ("ours", *_PEERS, "exact")),
    Case("covtype-10", 10.0, ("ours", *_PEERS, "exact")),
    Case("covtype-exact", 1.0, ("ours", "cold"), gap=1e-4),
    Case("covtype-local", 10.0, ("ours", *_PEERS), gamma=0.3, gap=0.05, minutes=25.0, limited=True),
    Case("made-million", 1.0, ("ours", *_PEERS), rows=1_111_111, columns=20),
    Case(
        "made-eleven-million",
        1.0,
        ("ours", *_PEERS),
        rows=11_000_000,
        columns=28,
        memory=12_000.0,
        minutes=25.0,
        limited=True,
    ),
)
