"""The dual problem of every kernel machine, in signed variables.

    minimise    1/2 beta' K beta - p' beta
    subject to  lower <= beta <= upper,   sum of beta over each group = its total

and, with f = K beta and r = p - f - b, its partner (what users call the primal):

    minimise    1/2 ||w||^2 + sum_i max(upper_i r_i, lower_i r_i) + sum_g total_g b_g      over w and b.

Soft-margin classifier: beta_i = y_i alpha_i, p = y, the box [0, C_i] for y = +1 and [-C_i, 0] for y = -1, one group,
total 0: the max above is C_i max(0, 1 - y_i (f_i + b)), the hinge loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels import Gram


@dataclass(frozen=True)
class BoxQP:
    """One box QP.

    Attributes
    ----------
    gram : Gram
        Access to the kernel matrix of the samples.
    p, lower, upper : ndarray of shape (n,), float64
        Linear term and box. ``upper`` may be infinite only in problems that bound beta otherwise.
    totals : tuple of float
        The fixed sum of beta in each group.
    group : ndarray of int8 or None
        Group of each variable; None means that there is one.
    sample : ndarray of int64 or None
        Row of the Gram matrix that each variable belongs to (two variables of a regressor share a row); None: its own.
    p_error : float
        How far p may be off by rounding, relative to itself: that of a regressor is y -+ epsilon.

    """

    gram: Gram
    p: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    totals: tuple[float, ...] = (0.0,)
    group: np.ndarray | None = None
    sample: np.ndarray | None = None
    p_error: float = 0.0

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.p)

    @classmethod
    def classifier(cls, gram: Gram, sign: np.ndarray, C: np.ndarray) -> BoxQP:
        """The soft-margin classifier: labels `sign` in {-1, +1}, a bound C_i for each sample."""
        positive = sign > 0
        return cls(gram, sign.astype(np.float64), np.where(positive, 0.0, -C), np.where(positive, C, 0.0))

    @classmethod
    def regressor(cls, gram: Gram, y: np.ndarray, C: np.ndarray, epsilon: float) -> BoxQP:
        """The epsilon-insensitive regressor: two variables a sample, one for each side of the tube."""
        n = len(y)
        return cls(
            gram,
            np.concatenate([y - epsilon, y + epsilon]),
            np.concatenate([np.zeros(n), -C]),
            np.concatenate([C, np.zeros(n)]),
            (0.0,),
            None,
            np.tile(np.arange(n), 2),
            2.0**-53,
        )

    @classmethod
    def nu_regressor(cls, gram: Gram, y: np.ndarray, C: np.ndarray, nu: float) -> BoxQP:
        """The regressor that finds its own tube: each side's multipliers sum to half of nu times all bounds."""
        n, half = len(y), nu * float(C.sum()) / 2
        return cls(
            gram,
            np.tile(y, 2),
            np.concatenate([np.zeros(n), -C]),
            np.concatenate([C, np.zeros(n)]),
            (half, -half),
            np.repeat(np.array([0, 1], dtype=np.int8), n),
            np.tile(np.arange(n), 2),
        )

    @classmethod
    def nu_classifier(cls, gram: Gram, sign: np.ndarray, bound: np.ndarray, nu: float) -> BoxQP:
        """The classifier that finds its own margin: each class's multipliers sum to half of nu times all bounds."""
        positive, half = sign > 0, nu * float(bound.sum()) / 2
        return cls(
            gram,
            np.zeros(len(sign)),
            np.where(positive, 0.0, -bound),
            np.where(positive, bound, 0.0),
            (half, -half),
            np.where(positive, 0, 1).astype(np.int8),
        )

    @classmethod
    def one_class(cls, gram: Gram, bound: np.ndarray, nu: float) -> BoxQP:
        """The machine that separates the data from the origin: multipliers sum to nu times all bounds."""
        return cls(gram, np.zeros(len(bound)), np.zeros(len(bound)), bound, (nu * float(bound.sum()),))

    @classmethod
    def hull_distance(cls, gram: Gram, sign: np.ndarray) -> BoxQP:
        """Half the squared distance of the classes' convex hulls in feature space.

        beta holds the weights of two convex combinations, those of the negative class with a minus sign. The
        hard-margin machine is its solution, scaled; distance 0 means that no such machine exists.
        """
        positive = sign > 0
        return cls(
            gram,
            np.zeros(len(sign)),
            np.where(positive, 0.0, -1.0),
            np.where(positive, 1.0, 0.0),
            (1.0, -1.0),
            np.where(positive, 0, 1).astype(np.int8),
        )

    def feasible_start(self) -> np.ndarray:
        """Zero where that is feasible; else enough variables at their bounds, picked at random but always alike."""
        beta = np.zeros(self.n)
        for g, total in enumerate(self.totals):
            if total == 0:
                continue
            index = np.arange(self.n)[self.members(g)]
            index = index[np.random.default_rng(0).permutation(len(index))]
            bound = (self.upper if total > 0 else self.lower)[index]
            missing = total - np.concatenate([[0.0], np.cumsum(bound)[:-1]])  # before each variable takes its part
            beta[index] = np.clip(missing, 0.0, bound) if total > 0 else np.clip(missing, bound, 0.0)
        return beta

    def members(self, g: int) -> np.ndarray | slice:
        """Which variables belong to group g."""
        return slice(None) if self.group is None else self.group == g

    def by_group(self) -> np.ndarray:
        """All variables, ordered by group."""
        return np.arange(self.n) if self.group is None else np.argsort(self.group, kind="stable")

    def group_ends(self, ordered: np.ndarray) -> np.ndarray:
        """Where each group ends among variables ordered by group."""
        if self.group is None:
            return np.array([len(ordered)])
        return np.searchsorted(self.group[ordered], np.arange(len(self.totals)), side="right")

    def matrix(self, ordered: np.ndarray, dtype: type) -> np.ndarray:
        """K of all variables of a small problem in the given order; not to be written to."""
        K = self.gram.whole(dtype)
        if self.group is None and self.sample is None:
            return K
        rows = self.rows_of(ordered)
        return K[rows[:, None], rows]

    def rows_of(self, variables: np.ndarray) -> np.ndarray:
        """Rows of the Gram matrix that the variables belong to."""
        return variables if self.sample is None else self.sample[variables]

    def columns_product(
        self,
        variables: np.ndarray,
        values: np.ndarray,
        dtype: type = np.float64,
        only: np.ndarray | None = None,
    ) -> np.ndarray:
        """``K[only, variables] @ values`` (all if `only` is None); kernel values in `dtype`, sums in float64."""
        if self.sample is None:
            return self.gram.product(variables, values[None], dtype, only)[0]
        by_row = np.bincount(self.sample[variables], weights=values, minlength=self.gram.shape[0])
        touched = np.flatnonzero(by_row)
        if only is None:
            return self.gram.product(touched, by_row[None, touched], dtype)[0][self.sample]
        rows, back = np.unique(self.sample[only], return_inverse=True)
        return self.gram.product(touched, by_row[None, touched], dtype, rows)[0][back]

    def image(self, beta: np.ndarray) -> np.ndarray:
        """``f = K beta`` in float64 for every variable, from the non-zero ones alone."""
        support = np.flatnonzero(beta)
        return self.columns_product(support, beta[support])
