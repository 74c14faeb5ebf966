"""The smallest eigenvalues of ``(D - W) v = lambda D v`` and their vectors.

With ``u = D^{1/2} v`` it is the symmetric problem ``(I - S) u = lambda u``, ``S = D^{-1/2} W D^{-1/2}``; eigenvalues
lie between 0 and 2. Of a connected graph the first is 0 and its vector known (u = D^{1/2} 1), so that solvers look only
in what is orthogonal to it. A graph in parts has one such pair for each part; the parts are solved one by one, because
iterations from a single vector cannot find an eigenvalue twice.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from ...engine import one_blas_thread
from ._elimination import factorised, levels

SOLVERS = ("arpack", "dense", "lobpcg")
# Points up to which all is done by dense matrices.
_SMALL = 800
# The shift of shift-invert: below all eigenvalues, so that the matrix to factorise is positive definite.
_SHIFT = 1e-4
# Nanoseconds of an inverse for each multiplication of its factors, and of a Lanczos iteration for each point, level
# of the graph and ten vectors: the steps that it takes grow with the distance that values have to travel.
_INVERSE_COST, _PLAIN_COST = 0.2, 750.0
# Relative to eigenvalues of about 2, where nothing else was asked for: far below the residual that is asked for.
_PLAIN_TOL = 1e-10
_SEED = 0
_STEPS = 1000
_GUARDS = 2  # vectors more than wanted: the last one converges slowest


@dataclass(frozen=True)
class Spectrum:
    """The smallest eigenvalues, ascending, and vectors u of unit length as columns."""

    values: np.ndarray
    vectors: np.ndarray


def degrees(W: Any) -> np.ndarray:
    """Sum of the similarities of each point."""
    return np.asarray(W.sum(axis=1)).ravel()


def components(W: Any) -> tuple[int, np.ndarray]:
    """Number of connected parts, and the part of each point."""
    if sp.issparse(W):
        count, part = connected_components(W, directed=False)
        return int(count), part
    part = np.full(len(W), -1)
    number = 0
    while (part < 0).any():
        reached = np.zeros(len(W), dtype=bool)
        reached[(part < 0).argmax()] = True
        while reached.any():  # a front at a time: of a full graph there are two
            part[reached] = number
            reached = (W[reached].max(axis=0) > 0) & (part < 0)
        number += 1
    return number, part


def scaled(W: Any, degree: np.ndarray) -> Any:
    """``S = D^{-1/2} W D^{-1/2}``; rows of points without similarities stay zero."""
    scale = np.zeros(len(degree))
    np.divide(1.0, np.sqrt(degree), out=scale, where=degree > 0)
    if sp.issparse(W):
        return sp.csr_array(sp.diags_array(scale) @ W @ sp.diags_array(scale))
    return scale[:, None] * W * scale


def smallest(W: Any, part: np.ndarray, count: int, solver: str | None, tolerance: float) -> Spectrum:
    """The `count` smallest eigenvalues of a graph whose parts are given; points without similarities are no part."""
    degree = degrees(W)
    S, n = scaled(W, degree), len(degree)
    values: list[float] = []
    vectors: list[np.ndarray] = []
    for number in np.unique(part[degree > 0]):
        index = np.flatnonzero(part == number)
        whole = len(index) == n
        block = S if whole else (S[index][:, index] if sp.issparse(S) else S[np.ix_(index, index)])
        found = _connected(block, degree[index], min(count, len(index)), solver, tolerance)
        values.extend(found.values)
        for column in found.vectors.T:
            vector = np.zeros(n)
            vector[index] = column
            vectors.append(vector)
    order = np.argsort(values, kind="stable")[:count]
    return Spectrum(np.array(values)[order], np.array(vectors)[order].T)


def residuals(W: Any, spectrum: Spectrum) -> np.ndarray:
    """Columns ``(I - S) u - lambda u``, in float64."""
    u = spectrum.vectors
    return u - scaled(W, degrees(W)) @ u - u * spectrum.values


def _connected(S: Any, degree: np.ndarray, count: int, solver: str | None, tolerance: float) -> Spectrum:
    first = np.sqrt(degree / degree.sum())
    more = count - 1
    if more == 0:
        return Spectrum(np.zeros(1), first[:, None])
    n = len(degree)
    if solver is None:
        solver = "dense" if n <= _SMALL else "arpack"
    few = sp.issparse(S) or n <= _SMALL  # too few numbers for two threads
    with one_blas_thread() if few else nullcontext():
        if solver == "dense" or more >= n - 2 or (solver == "lobpcg" and n - 1 < 5 * (more + _GUARDS)):
            found = _dense(S, first, more)
        elif solver == "lobpcg":
            found = _lobpcg(S, first, more, tolerance)
        else:
            found = _arpack(S, first, more, tolerance)
        rest = _ritz(S, first, found, more)
    return Spectrum(np.concatenate([[0.0], rest.values]), np.column_stack([first, rest.vectors]))


def _ritz(S: Any, first: np.ndarray, found: np.ndarray, count: int) -> Spectrum:
    """The best approximations in the span of what was found, orthogonal to the first vector and to each other."""
    for _ in range(2):  # once more for what the first round has left by rounding
        found = found - first[:, None] * (first @ found)
        found, _ = np.linalg.qr(found)
    values, rotation = np.linalg.eigh(found.T @ (found - S @ found))
    vectors = found @ rotation[:, :count]
    return Spectrum(np.clip(values[:count], 0.0, 2.0), vectors * _signs(vectors))


def _signs(vectors: np.ndarray) -> np.ndarray:
    """Signs by which the largest entry of each vector (of nearly equal ones the first) becomes positive."""
    size = np.abs(vectors)
    largest = (size >= size.max(axis=0) * (1 - 1e-6)).argmax(axis=0)
    return np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _dense(S: Any, first: np.ndarray, count: int) -> np.ndarray:
    S = S.toarray() if sp.issparse(S) else S
    L = 3 * np.outer(first, first) - S  # the known pair is moved beyond all others
    L[np.diag_indices_from(L)] += 1
    return scipy.linalg.eigh(L, subset_by_index=(0, count - 1))[1]


def _start(n: int, count: int) -> np.ndarray:
    return np.random.default_rng(_SEED).standard_normal((n, count))


def inverse_is_cheaper(S: Any, count: int) -> bool:
    """Whether Lanczos should work on the inverse, by about what it would cost and what it would spare.

    Measured, seconds with the inverse and without, 10000 points of 10 neighbours: two moons 0.08, 0.43; Gaussian in 3
    dimensions 0.83, 0.19; covtype, 10 columns 2.5, 0.14; Gaussian in 10 dimensions 27, 0.22.
    """
    seen = levels(S)
    return _INVERSE_COST * seen.work < _PLAIN_COST * seen.count * S.shape[0] * (1 + count / 10)


def _arpack(S: Any, first: np.ndarray, count: int, tolerance: float) -> np.ndarray:
    """Lanczos: on the inverse where that is cheap, else on the matrix as it is."""
    n = len(first)

    def beside(x: np.ndarray) -> np.ndarray:
        return x - first * (first @ x)

    def plain(x: np.ndarray) -> np.ndarray:
        # S + I has no negative eigenvalues, so that the largest are those looked for
        x = beside(x.ravel())
        return beside(S @ x + x)

    operate = plain
    if sp.issparse(S) and inverse_is_cheaper(S, count):
        solve = factorised(sp.csc_array((1 + _SHIFT) * sp.eye_array(n) - S)).solve

        def operate(x: np.ndarray) -> np.ndarray:
            return beside(solve(beside(x.ravel())))

    else:
        tolerance = tolerance or _PLAIN_TOL
    apply = LinearOperator((n, n), matvec=operate, dtype=np.float64)
    start = beside(_start(n, 1)[:, 0])
    try:
        return eigsh(apply, k=count, which="LA", v0=start, tol=tolerance, maxiter=_STEPS)[1]
    except ArpackNoConvergence as stopped:
        # what there is serves as a start; the certificate tells how far it got
        begun = np.column_stack([stopped.eigenvectors, _start(n, count)])[:, :count]
        return _lobpcg(S, first, count, tolerance, begun)


def _lobpcg(S: Any, first: np.ndarray, count: int, tolerance: float, start: np.ndarray | None = None) -> np.ndarray:
    n = len(first)
    begin = _start(n, min(count + _GUARDS, (n - 1) // 5))
    if start is not None:
        begin[:, :count] = start
    apply = LinearOperator((n, n), matvec=lambda x: x - S @ x, matmat=lambda x: x - S @ x, dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of its accuracy, which the certificate measures
        return lobpcg(apply, begin, Y=first[:, None], tol=tolerance or 1e-9, maxiter=_STEPS, largest=False)[1]
