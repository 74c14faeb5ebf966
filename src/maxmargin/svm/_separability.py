"""Whether classes can be separated, as a verdict with its proof instead of an exception."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..certificates import NotSeparableError, SeparationProof, Status
from ..engine import interruptible
from ..kernels import Kernel
from ._svc import SVC


@dataclass(frozen=True)
class Separability:
    """What `separability` found.

    Attributes
    ----------
    separable : bool or None
        Whether a hyperplane in the feature space of the kernel separates the classes, every two of them where there are
        more; None where float64 cannot tell.
    width : float
        The margin between the two closest classes is at least this wide: 2 / ||w||. 0 where they are not separated.
    machine : SVC or None
        The hard-margin machine, whose certificate proves that they are separable.
    proof : SeparationProof or None
        Two convex combinations that coincide, which prove that they are not; where `separable` is None, combinations
        that are too close together for float64, but apart in some column.

    """

    separable: bool | None
    width: float
    machine: SVC | None = None
    proof: SeparationProof | None = None

    def verify(self, X: Any, y: Any) -> Separability:
        """The verdict once more, from its proof and the data; None if the proof does not hold.

        Parameters
        ----------
        X, y : array-like
            What `separability` was asked about.

        Returns
        -------
        Separability

        """
        if self.proof is not None:
            proof = self.proof.verify(X, y)
            return replace(self, proof=proof, separable=False if proof.holds else None)
        if self.machine is None:
            return self
        found = self.machine.certificate_.verify(X, y)
        separable, width = _of_certificate(found)
        return replace(self, separable=separable, width=width)

    def __str__(self) -> str:
        if self.proof is not None and self.separable is False:
            rows = len(self.proof.positive), len(self.proof.negative)
            return (
                f"not separable: convex combinations of {rows[0]} and {rows[1]} samples are {self.proof.distance:.2g} "
                f"apart, where samples have length up to {self.proof.scale:.2g}"
            )
        if self.separable:
            return f"separable: the margin is at least {self.width:.6g} wide"
        return "undecided: float64 can neither separate the classes nor show that their hulls meet"


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

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        For "precomputed" the square matrix of kernel values.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="linear"
        As in :class:`maxmargin.svm.SVC`; it has to be positive semi-definite.
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
    >>> verdict.separable
    False
    >>> verdict.proof.positive_weights, verdict.proof.negative_weights
    (array([0.5, 0.5]), array([0.5, 0.5]))
    >>> print(separability(X, y, Polynomial(coef0=1.0, degree=2)))
    separable: the margin is at least 0.612372 wide

    """
    machine = SVC(C=np.inf, kernel=kernel, gamma=gamma, coef0=coef0, degree=degree, n_jobs=n_jobs)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # said by the verdict
            machine.fit(X, y)
    except NotSeparableError as error:
        proof = error.proof.verify(X, y)
        return Separability(False if proof.holds else None, 0.0, proof=proof)
    separable, width = _of_certificate(machine.certificate_)
    return Separability(separable, width, machine=machine)


def _of_certificate(certificate: Any) -> tuple[bool | None, float]:
    """A finite primal objective 1/2 ||w||^2 is that of a plane that has every sample beyond its margin."""
    refuted = certificate.status is Status.REFUTED
    primal = max(part.primal for part in certificate.problems)
    if refuted or not np.isfinite(primal):
        return None, 0.0
    return True, float(np.nextafter(2 / np.sqrt(2 * primal), 0.0)) if primal > 0 else np.inf
