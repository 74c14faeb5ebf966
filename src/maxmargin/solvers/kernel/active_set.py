"""The primal active-set method: solve on the free variables, then let the worst of the others join them.

At each moment the variables are feasible, some at a bound (the active ones) and the others, F, free. With the residuals
r = p - K beta,

    the optimum of the face solves   K_FF d + A' b = r_F,   A d = 0        (A: the groups),

and the step d is taken as far as the box allows; a variable that it meets a bound with leaves F. Where the face's
optimum is reached, r is one number b in each group of F, and a variable at a bound is right there if r - b points out
of the box. If none is wrong the point is the optimum, else those that are wrong by most join F: the next step takes
one of them into the box and the objective down (Nocedal and Wright 2006, algorithm 16.3). Each optimum of a face is
lower than the last, and there are finitely many faces.

Where K_FF is singular (more free samples of a linear kernel than features, duplicates) and r_F is not in its range, the
objective falls for ever along a direction without curvature: the box ends the step. It needs the whole matrix, and one
system of |F| equations a step.
"""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...problems import BoxQP
from .._trace import Figures
from ._box_figures import box_extremes, box_violation, figures_at
from ._polish import definite_step
from ._whole_matrix import WholeMatrixSolver

_FACE = 0.1  # of the tolerance: how exactly a face's optimum is found before another variable joins
_REFRESH = 50  # steps after which the residuals are recomputed, and the rounding of their updates forgotten
_FLAT = 1e-10  # eigenvalues, relative to the largest, that count as none


class ActiveSet(WholeMatrixSolver):
    """Minimises a box QP of moderate size until the largest KKT violation is at most the tolerance.

    An iteration is a step on a face, and what joins or leaves it.
    """

    name = "active_set"

    def __init__(
        self, problem: BoxQP, start: np.ndarray | None, tolerance: float, slopes: np.ndarray | None = None
    ) -> None:
        super().__init__(problem, start, tolerance)
        self.group = np.zeros(problem.n, dtype=np.int8) if problem.group is None else problem.group
        self.free = (self.theta > problem.lower) & (self.theta < problem.upper)
        self.residual = self._fresh_residual()

    def finished(self, last: bool) -> Status | None:
        self.extremes = box_extremes(self.problem, self.theta, self.residual)
        self.violation = box_violation(self.extremes)
        return Status.CONVERGED if self.violation <= self.tolerance else None

    def step(self, most: int) -> Status | None:
        moved = False
        if self._spread() > _FACE * self.tolerance:
            moved = self._minimise_on_face()
        elif self._join():
            moved = self._minimise_on_face()
        self.iterations += 1
        if self.iterations % _REFRESH == 0 or not moved:
            self.residual = self._fresh_residual()
        return None if moved or self._join() else Status.STALLED

    def _spread(self) -> float:
        """By how much the residuals of free variables of one group differ: 0 at the optimum of the face."""
        worst = 0.0
        for g in range(len(self.problem.totals)):
            r = self.residual[self.free & (self.group == g)]
            if r.size:
                worst = max(worst, float(r.max() - r.min()))
        return worst

    def _join(self) -> bool:
        """Add the worst pair of the group that is violated most to the free variables; False if both are there."""
        g = int(np.argmax([high - low for high, low in self.extremes]))
        here, r = self.group == g, self.residual
        up = np.where(here & (self.theta < self.problem.upper), r, -np.inf)
        down = np.where(here & (self.theta > self.problem.lower), r, np.inf)
        i, j = int(up.argmax()), int(down.argmin())
        if not up[i] > down[j] or (self.free[i] and self.free[j]):
            return False
        self.free[[i, j]] = True
        return True

    def _minimise_on_face(self) -> bool:
        """A step to the optimum of the face, or to the first bound; False if it moves nothing."""
        F = np.flatnonzero(self.free)
        d = self._direction(F)
        if d is None:
            return False
        beta, lower, upper = self.theta[F], self.problem.lower[F], self.problem.upper[F]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            room = np.where(d > 0, (upper - beta) / d, np.where(d < 0, (lower - beta) / d, np.inf))
        # one that has just joined, or came to its bound by rounding, and would leave the box at once
        blocked = room <= 0
        if blocked.any():
            self.free[F[blocked]] = False
            return bool(self.free.any())
        length = min(1.0 if self.bent else np.inf, float(room.min()))
        new = np.clip(beta + length * d, lower, upper)
        met = room <= length
        new[met] = np.where(d[met] > 0, upper[met], lower[met])
        self.theta[F] = new
        self.residual -= self.K[:, F] @ (new - beta)
        self.free[F[met]] = False
        return True

    def _direction(self, F: np.ndarray) -> np.ndarray | None:
        """Newton's step on the face, `bent`; or a direction without curvature along which the objective falls."""
        self.bent = True
        if len(F) < 2:
            return None
        K, r = self.K[F[:, None], F], self.residual[F]
        A = [self.group[F] == g for g in np.unique(self.group[F])]
        d = definite_step(K, r, A)
        if d is None:
            d = self._flat_step(K, r, A)
        for a in A:  # the sums are constraints: what rounding left over goes back
            d[a] -= d[a].mean()
        return d if np.isfinite(d).all() and np.abs(d).max() > 0 else None

    def _flat_step(self, K: np.ndarray, r: np.ndarray, A: list[np.ndarray]) -> np.ndarray:
        P = np.eye(len(r))
        for a in A:
            P[np.ix_(a, a)] -= 1 / a.sum()
        values, vectors = np.linalg.eigh(P @ K @ P)
        steep = values > _FLAT * max(values[-1], 1e-300)
        V, g = vectors[:, steep], P @ r
        along = V.T @ g
        rest = P @ (g - V @ along)
        if np.abs(rest).max() > 0.1 * _FACE * self.tolerance:
            self.bent = False
            return rest
        return V @ (along / values[steep])

    def figures(self) -> Figures:
        return figures_at(self.problem, self.theta, self.residual)
