"""The multiclass machine of Crammer and Singer (JMLR 2001): one problem for all classes together.

    minimise over W, b    1/2 sum_k ||w_k||^2 + sum_i c_i max_k (e_ik + f_ik - f_i,y_i),     f_ik = <x_i, w_k> + b_k,

with e_ik = 1 for every class but the sample's own, where it is 0. The intercepts b_k are not penalised. Variables are
one matrix of shape (classes, d + 1) whose last column is b (0 without an intercept). The partner, in alpha:

    maximise over alpha   - 1/2 sum_k ||v_k||^2 - sum_ik e_ik alpha_ik,     v_k = sum_i alpha_ik x_i,
    subject to            alpha_ik <= C_ik,   sum_k alpha_ik = 0,

where C_ik = c_i for the sample's own class and 0 for the others; and sum_i alpha_ik = 0 if there are intercepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..data import Rows, decision_pass, sum_pass
from ..engine import run_parallel
from ..penalties import Penalty, make_penalty
from ._of_rows import OfRows


@dataclass(frozen=True)
class CrammerSingerRisk(OfRows):
    """One multiclass problem.

    Attributes
    ----------
    rows : Rows
        The samples.
    labels : ndarray of shape (n,), int64
        Number of each sample's class, from 0.
    classes : int
        Number of classes.
    weights : ndarray of shape (n,), float64
        c_i: C times the weights of sample and class.
    fit_intercept : bool
        Whether there are b_k.
    threads : int
        Threads that a pass over the rows may use; one class is one task.

    """

    kind: ClassVar[str] = "crammer-singer"
    smooth: ClassVar[bool] = False
    is_custom: ClassVar[bool] = False
    curved: ClassVar[bool] = False
    penalty: ClassVar[Penalty] = make_penalty("l2")

    rows: Rows
    labels: np.ndarray
    classes: int
    weights: np.ndarray
    fit_intercept: bool = True
    threads: int = 1

    def start(self) -> np.ndarray:
        """The origin."""
        return np.zeros((self.classes, self.d + 1))

    def as_rows(self, W: np.ndarray) -> np.ndarray:
        """The variables as a linear model has them, one row (w, b) a class: as they are."""
        return W

    def from_rows(self, rows: np.ndarray) -> np.ndarray:
        """The variables of a linear model's rows (w, b)."""
        return rows

    def bounds(self) -> np.ndarray:
        """C_ik, the upper bounds of alpha."""
        C = np.zeros((self.n, self.classes))
        C[np.arange(self.n), self.labels] = self.weights
        return C

    def decision(self, W: np.ndarray) -> np.ndarray:
        """f_ik for all samples and classes."""
        f = np.empty((self.classes, self.n))
        self._each(lambda k: decision_pass(self.rows.arrays, 0, self.n, np.ascontiguousarray(W[k]), f[k]))
        return np.ascontiguousarray(f.T)

    def transposed(self, alpha: np.ndarray) -> np.ndarray:
        """``sum_i alpha_ik (x_i, 1)`` as a row for each class; the last column is 0 if there is no intercept."""
        out = np.zeros((self.classes, self.d + 1))
        columns = np.ascontiguousarray(alpha.T)
        self._each(lambda k: sum_pass(self.rows.arrays, 0, self.n, columns[k], out[k]))
        if not self.fit_intercept:
            out[:, -1] = 0.0
        return out

    def margins(self, f: np.ndarray) -> np.ndarray:
        """``e_ik + f_ik``, whose largest value over the own one is the loss."""
        g = f + 1.0
        g[np.arange(self.n), self.labels] -= 1.0
        return g

    def losses(self, f: np.ndarray) -> np.ndarray:
        """The loss of each sample, without its weight."""
        return self.margins(f).max(axis=1) - f[np.arange(self.n), self.labels]

    def value(self, W: np.ndarray) -> float:
        """The primal objective."""
        return float((self.weights * self.losses(self.decision(W))).sum()) + 0.5 * float(np.square(W[:, :-1]).sum())

    def _each(self, work) -> None:  # type: ignore[no-untyped-def]
        parts = max(1, min(self.threads, self.classes))
        run_parallel(lambda p: [work(k) for k in range(p, self.classes, parts)], [(p,) for p in range(parts)])
