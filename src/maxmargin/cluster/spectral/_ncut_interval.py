"""What is proven of a normalised cut: how far from the best one it can be.

For every partition into K clusters of positive volume, with indicators z_k of length ``z_k' D z_k = 1``,

    Ncut = trace(Z' (D - W) Z),  Z' D Z = I,

and the minimum of that trace over all such Z is the sum of the K smallest eigenvalues of (D - W) v = lambda D v (Ky
Fan). For two clusters this is lambda_2, because lambda_1 = 0. So

    lambda_1 + ... + lambda_K  <=  best Ncut  <=  Ncut found.

The computed values theta_k, with orthonormal vectors and a matrix R of residuals, are within ||R|| of as many
eigenvalues (Kahan). That these are the *smallest* is shown by a count: factors of (I - S) - s I have as many negative
pivots as there are eigenvalues below s (Sylvester).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ...certificates import Guarantee, Status, rounded_down
from ._cuts import ncut
from ._eigen import Spectrum, components, degrees, residuals, scaled
from ._elimination import elimination_work, factorised

_NAME = "interval of the best normalised cut"
# Up to so many points (dense) or multiplications (sparse), a few seconds, the eigenvalues are counted.
_COUNT_DENSE = 2000
_COUNT_SPARSE = 5e10
# Residuals up to this are what double precision can do.
RESIDUAL = 1e-7


def ncut_interval(W: Any, labels: np.ndarray, k: int, spectrum: Spectrum, steps: int = 0) -> Guarantee:
    """The guarantee of a cut, all of it recomputed from the graph, the labels and the vectors."""
    degree = degrees(W)
    isolated = int((degree == 0).sum())
    parts = components(W)[0] - isolated
    value = ncut(W, labels, k)
    first = Spectrum(spectrum.values[:k], spectrum.vectors[:, :k])
    residual = eigen_residual(W, spectrum, k)
    residual = residual if np.isfinite(residual) else np.inf  # vectors that prove nothing
    skew = float(np.abs(first.vectors.T @ first.vectors - np.eye(first.vectors.shape[1])).max())
    lower, counted = _lower(W, degree, first, residual, parts)
    lower = min(lower, value)  # rounding, where the two are equal
    figures = {
        "ncut": value,
        "best ncut at least": lower,
        "above the best at most": value - lower,
        "eigen-residual": residual,
        "eigenvalues counted": float(counted),
        "components": float(parts),
        "isolated points": float(isolated),
    }
    solved = residual <= RESIDUAL and skew <= RESIDUAL
    status = Status.CONVERGED if solved else Status.STALLED
    holds = solved and len(np.unique(labels[degree > 0])) == k
    return Guarantee(_NAME, figures, _words(figures, k, bool(counted)), holds, status, steps)


def eigen_residual(W: Any, spectrum: Spectrum, k: int) -> float:
    """Norm of the residuals of the first k pairs."""
    return float(np.linalg.norm(residuals(W, Spectrum(spectrum.values[:k], spectrum.vectors[:, :k]))))


def _words(figures: dict[str, float], k: int, counted: bool) -> str:
    value, lower, parts = figures["ncut"], figures["best ncut at least"], int(figures["components"])
    if value == 0:
        return f"The graph has {parts} components, and the {k} clusters cut none of them: Ncut 0, the best there is."
    words = f"Ncut {value:.6g}; no cut into {k} clusters has one below {rounded_down(lower, 6)}"
    if parts > 1:
        words += f" (the graph has {parts} components)"
    if not counted:
        words += ", unless the solver has missed an eigenvalue, which was not ruled out"
    return words + "."


def _lower(W: Any, degree: np.ndarray, spectrum: Spectrum, residual: float, parts: int) -> tuple[float, bool]:
    """A lower bound of the sum of the smallest eigenvalues, and whether they were counted."""
    theta = spectrum.values
    known = min(parts, len(theta))  # a zero for each component, needing no proof
    if known == len(theta):
        return 0.0, True
    if not np.isfinite(residual):
        return 0.0, False
    limit = theta[-1] - max(1e-6 * theta[-1], 10 * residual)
    below = int((theta < limit).sum()) if limit > 0 else 0
    found = _count_below(W, degree, limit) if limit > 0 else None
    counted = found is not None and found <= below
    bounds = np.maximum(np.minimum(theta, limit) - residual, 0.0)
    return float(bounds[known:].sum()), counted


def _count_below(W: Any, degree: np.ndarray, limit: float) -> int | None:
    """How many eigenvalues of I - S are below the limit, those of isolated points apart; None: not counted."""
    beyond = int((degree == 0).sum()) if limit > 1 else 0  # a row of zeros in S: the eigenvalue 1
    if sp.issparse(W):
        if elimination_work(W, components(W)[1]) > _COUNT_SPARSE:
            return None
        try:
            factors = factorised(sp.csc_array((1 - limit) * sp.eye_array(len(degree)) - scaled(W, degree)))
        except RuntimeError:  # exactly singular: the limit is an eigenvalue
            return None
        if (factors.perm_r != factors.perm_c).any():  # pivots beside the diagonal tell nothing of signs
            return None
        return int((factors.U.diagonal() < 0).sum()) - beyond
    if len(degree) > _COUNT_DENSE:
        return None
    L = -scaled(W, degree)
    L[np.diag_indices_from(L)] += 1 - limit
    blocks = scipy.linalg.ldl(L)[1]  # of one or two rows along the diagonal
    return int((scipy.linalg.eigvalsh_tridiagonal(np.diag(blocks), np.diag(blocks, 1)) < 0).sum()) - beyond
