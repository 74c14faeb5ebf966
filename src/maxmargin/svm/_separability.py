"""Whether classes can be separated, as a verdict with its proof instead of an exception."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from ..certificates import IndefiniteKernelError, NotSeparableError, SeparationProof, Status, rounded_down, row_keys
from ..data import csr_rows, inexact_entry
from ..engine import interruptible
from ..kernels import Kernel, kernel_name
from ..messages import FloatRangeError
from ..solvers import meeting_weights
from ._input import kernel_of_fit, training_rows
from ._svc import SVC

_INDEFINITE = "the kernel matrix of these rows is not positive semi-definite, so that it is that of no feature space"
_OUT_OF_RANGE = "products of these rows, or what is computed from them, are too large or too small for float64"
_ROUNDED = (
    "float64 does not hold all values of X, such as {}, and the rows that they are rounded to may be others. Subtract "
    "from each column what its values have in common, or convert X to float64 to ask about the rounded rows"
)
_TOO_CLOSE = "float64 can neither separate the classes nor show that their hulls meet"


@dataclass(frozen=True)
class Separability:
    """What `separability` found.

    Attributes
    ----------
    separable : bool or None
        Whether a hyperplane in the feature space of the kernel separates the classes, every two of them where there are
        more. Either answer is proven for the rows as they are given; None where neither is.
    width : float
        The margin between the two closest classes is at least this wide: 2 / ||w||. 0 where they are not separated.
    machine : SVC or None
        The hard-margin machine, whose certificate proves that they are separable.
    proof : SeparationProof or None
        Two convex combinations that coincide, which prove that they are not; where `separable` is None, combinations
        that are too close together to tell.
    pair : tuple or None
        Labels of the two classes that `width` or `proof` is about.
    n_classes : int
        How many classes there are.
    reason : str
        Why nothing is proven, where `separable` is None.
    refuted : bool
        Whether `verify` found that what was claimed is not proven for the rows and labels it was given.

    """

    separable: bool | None
    width: float
    machine: SVC | None = None
    proof: SeparationProof | None = None
    pair: tuple[Any, Any] | None = None
    n_classes: int = 2
    reason: str = ""
    refuted: bool = False

    def verify(self, X: Any, y: Any) -> Separability:
        """The verdict once more, from its proof and the data.

        A verdict that is not proven by them becomes None, and is `refuted`: they are not those that it is about. One
        that was undecided stays so.

        Parameters
        ----------
        X, y : array-like
            What `separability` was asked about.

        Returns
        -------
        Separability

        """
        if (self.proof is not None or self.machine is not None) and _rounded(self._kernel(), X):
            again = replace(self, separable=None, width=0.0)
        elif self.proof is not None:
            proof = self.proof.verify(X, y)
            separable = False if proof.holds else None
            pair = _of_proof(proof, y) if proof.holds else self.pair
            again = replace(self, proof=proof, separable=separable, pair=pair)
        elif self.machine is not None:
            separable, width = _of_certificate(self.machine.certificate_.verify(X, y))
            again = replace(self, separable=separable, width=width)
        else:
            return self
        return replace(again, refuted=self.separable is not None and again.separable is not self.separable)

    def _kernel(self) -> Any:
        return self.proof.kernel if self.proof is not None else getattr(self.machine, "kernel", None)

    def __str__(self) -> str:
        several = self.n_classes > 2 and self.pair is not None
        first, second = (str(label) for label in self.pair) if self.pair is not None else ("", "")
        if self.refuted:
            return "refuted: the verdict is not proven by these rows and labels"
        if self.proof is not None and self.separable is False:
            rows = len(self.proof.positive), len(self.proof.negative)
            whose = (f" of class {first}", f" of class {second}") if several else (" of one class", " of the other")
            some = "1 sample" if rows[0] == 1 else f"{rows[0]} samples"
            what = f"{some}{whose[0]} and {rows[1]}{whose[1]}"
            if rows == (1, 1):
                return f"not separable: {what} are the same point"
            return f"not separable: convex combinations of {what} are the same point"
        if self.separable:
            pairs = self.n_classes * (self.n_classes - 1) // 2
            between = f" between {first} and {second}, the closest of {pairs} pairs of classes," if several else ""
            return f"separable: the margin{between} is at least {rounded_down(self.width, 6)} wide"
        about = f" (classes {first} and {second})" if several else ""
        return f"undecided{about}: {self.reason or _TOO_CLOSE}"


@interruptible
def separability(
    X: Any,
    y: Any,
    kernel: str | Callable[[Any, Any], Any] | Kernel = "linear",
    *,
    gamma: str | float = "scale",
    coef0: float = 0.0,
    degree: int = 3,
    n_jobs: int | None = None,
) -> Separability:
    """Can a hyperplane in the feature space of a kernel separate the classes? The verdict, and its proof.

    Both verdicts are proven in exact arithmetic for the numbers given: that they are separable by the hard-margin
    machine, whose margins are bounded with all rounding errors; that they are not by convex combinations of two
    classes that are the same point. The latter is shown in the columns of the feature space, where those can be written
    out (linear and polynomial kernels, their sums and products, precomputed matrices), and for other kernels where a
    row occurs in two classes. Anything else is undecided, and `reason` says why.

    Values of X that float64 does not hold, such as whole numbers beyond 2**53, words such as "0.1" or numbers of
    extended precision, leave the verdict undecided: rows that differ may be the same once they are rounded. What a
    function of your own returns, or a matrix given, is taken for the exact values of a kernel.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        For "precomputed" the square matrix of kernel values.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="linear"
        As in :class:`maxmargin.svm.SVC`; one that is not positive semi-definite has no feature space, and the verdict
        is undecided.
    gamma, coef0, degree
        Of a kernel given by name, as in :class:`maxmargin.svm.SVC`.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.

    Returns
    -------
    Separability
        ``separable``, and ``machine`` or ``proof``. ``verify(X, y)`` checks it again.

    Examples
    --------
    >>> from maxmargin.kernels import Polynomial
    >>> from maxmargin.svm import separability
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    >>> verdict = separability(X, y)
    >>> print(verdict)
    not separable: convex combinations of 2 samples of one class and 2 of the other are the same point
    >>> verdict.proof.positive_weights, verdict.proof.negative_weights
    (array([0.5, 0.5]), array([0.5, 0.5]))
    >>> print(separability(X, y, Polynomial(coef0=1.0, degree=2)))
    separable: the margin is at least 0.612372 wide

    """
    _check_known(X)
    machine = SVC(C=np.inf, kernel=kernel, gamma=gamma, coef0=coef0, degree=degree, n_jobs=n_jobs)
    if reason := _rounded(kernel, X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # said by the verdict
            training_rows(machine, X, y)  # what is wrong with X or y is said as elsewhere
        return Separability(None, 0.0, n_classes=len(np.unique(np.asarray(y))), reason=reason)
    proof, reason = None, _TOO_CLOSE
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # said by the verdict
            machine.fit(X, y)
    except NotSeparableError as error:
        proof = error.proof.verify(X, y)
    except IndefiniteKernelError:
        reason = _INDEFINITE
    except FloatRangeError:
        reason = _OUT_OF_RANGE
    else:
        separable, width = _of_certificate(machine.certificate_)
        if separable:
            pair = _closest(machine)
            return Separability(True, width, machine=machine, pair=pair, n_classes=len(machine.classes_))
    labels = np.asarray(y).ravel()
    classes = np.unique(labels)
    if proof is not None and _lost(proof.kernel, gamma):
        proof, reason = None, _OUT_OF_RANGE
    if proof is None or not proof.holds:
        proof = _meeting(machine, X, labels, classes) or proof
    holds = proof is not None and proof.holds
    return Separability(
        False if holds else None,
        0.0,
        proof=proof,
        pair=_of_proof(proof, labels),
        n_classes=len(classes),
        reason="" if holds else reason,
    )


def _rounded(kernel: Any, X: Any) -> str:
    """Why nothing is proven of values that float64 does not hold; empty where it holds them all."""
    if kernel is not None and kernel_name(kernel) == "function":  # which is given the values as they are
        return ""
    found = inexact_entry(X)
    return "" if found is None else _ROUNDED.format(found)


def _of_proof(proof: SeparationProof | None, y: Any) -> tuple[Any, Any] | None:
    """The labels of the two classes that a proof is about."""
    if proof is None:
        return None
    labels = np.asarray(y).ravel()
    positive, negative = labels[[proof.positive[0], proof.negative[0]]].tolist()
    return positive, negative


def _meeting(machine: SVC, X: Any, y: np.ndarray, classes: np.ndarray) -> SeparationProof | None:
    """A proof that two of the classes cannot be separated, if one is found without the machine."""
    X = csr_rows(X) if sp.issparse(X) else np.asarray(X)
    try:
        with np.errstate(all="ignore"):
            kernel, _ = kernel_of_fit(machine, X, np.ones(len(y)))
    except FloatRangeError:  # of gamma, without which there is no kernel
        return None
    if _lost(kernel, machine.gamma):
        return None
    for positive, negative, weights in _candidates(kernel, X, y, classes):
        proof = SeparationProof(positive, negative, *weights, np.nan, np.nan, kernel).verify(X, y)
        if proof.holds:
            return proof
    return None


def _lost(kernel: Any, gamma: Any) -> bool:
    """Whether the variance of X is so large that gamma="scale" is rounded to 0, another kernel."""
    return isinstance(gamma, str) and getattr(kernel, "gamma", 1.0) == 0


def _candidates(
    kernel: Kernel, X: Any, y: np.ndarray, classes: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]]:
    """Rows and weights of what may be a proof: a row that is in two classes, or hulls that meet."""
    seen: dict[Any, int] = {}
    for row, key in enumerate(row_keys(kernel, X, np.arange(len(y)))):
        first = seen.setdefault(key, row)
        if y[first] != y[row]:
            yield np.array([first]), np.array([row]), (np.ones(1), np.ones(1))
            return
    for a, b in combinations(classes, 2):
        rows = np.flatnonzero((y == a) | (y == b))
        sign = np.where(y[rows] == a, 1.0, -1.0)
        found = meeting_weights(kernel, X, rows, sign)
        if found is not None:
            positive, negative = (np.flatnonzero((found > 0) & (sign == side)) for side in (1, -1))
            yield rows[positive], rows[negative], (found[positive], found[negative])


def _of_certificate(certificate: Any) -> tuple[bool | None, float]:
    """A finite primal objective 1/2 ||w||^2 is that of a plane that has every sample beyond its margin."""
    refuted = certificate.status is Status.REFUTED
    primal = max(part.primal for part in certificate.problems)
    if refuted or not np.isfinite(primal):
        return None, 0.0
    return True, float(np.nextafter(2 / np.sqrt(2 * primal), 0.0)) if primal > 0 else np.inf


def _closest(machine: SVC) -> tuple[Any, Any]:
    """The classes whose margin is the narrowest."""
    pairs = list(combinations(machine.classes_.tolist(), 2))
    return pairs[int(np.argmax([part.primal for part in machine.certificate_.problems]))]


def _check_known(X: Any) -> None:
    """Refuse values that are not known: nothing can be proven of them."""
    values = X.data if sp.issparse(X) else X
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # what is not a number, or too large, is named where it is checked
        return
    if np.isnan(values).any():
        where = "" if sp.issparse(X) or values.ndim != 2 else f" in {int(np.isnan(values).any(axis=1).sum())} rows"
        raise ValueError(
            f"separability needs all values: X contains NaN{where}. Leave those rows out, or fill their values in "
            f"(sklearn.impute.SimpleImputer); the verdict is then about what was filled in."
        )
