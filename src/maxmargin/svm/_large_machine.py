"""What machines of many rows share: parameters, what is verified of them, and how far the exact machine can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import by_row, evaluate, evaluate_bracket, intercept_range, product_rounding, violation_at
from ..data import Rows
from ..engine import one_blas_thread
from ..estimators import KERNEL_CONSTRAINTS, KernelChoice
from ..kernels import roundings
from ..problems import BoxQP
from ._bracketed import radius_of
from ._machine import FittedMachine
from ._verify import Audit


@dataclass(kw_only=True, eq=False, repr=False)
class LargeParameters(KernelChoice):
    """The parameters that both machines of many rows share.

    Parameters
    ----------
    method : {"auto", "landmarks", "cells", "exact"}, default="auto"
        "landmarks": the decision function is a sum over some of the rows, chosen so that they explain the kernel best;
        for smooth kernels. "cells": the machine is trained in cells of neighbouring rows, and the multipliers are
        joined; for kernels that do not reach far. "exact": the solver of the exact machine, from the beginning.
        "auto" takes the last one for up to 50000 rows; of more it takes landmarks or cells, by what they leave out of
        the kernel matrix, and goes on by exact steps from there until `gap_tol` is met. `method_reason_` says what
        was done.
    gap_tol : float, default=0.01
        Largest relative gap between the two bounds of the exact optimum.
    time_limit : float or None, default=None
        Seconds after which a fit ends with what it has, its bounds included.
    memory : float, default=2000
        Memory for features, kernel values and solvers in MB, beside X. It limits the number of landmarks.
    n_landmarks : int or None, default=None
        Number of landmarks; None is as many as `gap_tol` seems to need and `memory` allows.
    warm_start : bool, default=False
        Go on from the last fit: with more time, a smaller `gap_tol`, or more landmarks. Needs the same rows.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    verbose : bool or int, default=False
        Show progress on standard error.
    callback : callable or None, default=None
        Called with a dict of ``problem, iteration, violation, gap, seconds`` several times a second; returning True
        stops the fit.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``.
    random_state : int, RandomState or None, default=0
        Chooses landmarks, cells and the rows of the first steps.

    """

    method: str = "auto"
    gap_tol: float = 0.01
    time_limit: float | None = None
    memory: float = 2000
    n_landmarks: int | None = None
    warm_start: bool = False
    n_jobs: int | None = None
    verbose: bool | int = False
    callback: Callable[[dict], Any] | None = None
    trace: bool = False
    random_state: Any = 0


class LargeMachine(LargeParameters, FittedMachine):
    """Base of the machines of many rows; not for direct use.

    Attributes
    ----------
    certificate_ : ModelCertificate
        Of the exact problem: ``dual <= exact optimum <= primal``, in float64, with rounding counted in;
        ``certificate_.verify(X, y)`` computes both bounds again. Where time was too short for the lower bound, it is
        one by a sample of rows: it holds with the probability ``confidence``, and is not proven.
    multipliers_ : CSR matrix
        The multipliers of the lower bound, laid out as ``dual_coef_`` with a column for each training row.
    method_, method_reason_ : list of str
        What was done for each problem, and why.
    radius_, intercept_range_ : ndarray of shape (n_problems,), (n_problems, 2)
        How far the exact machine's weights can be, in feature space, and between which numbers its intercept lies.
        Infinite where the lower bound was sampled.
    support_, support_vectors_, n_support_, dual_coef_, intercept_
        Of the decision function: landmarks, or the rows with multipliers.

    """

    _parameter_constraints: ClassVar[dict] = {
        **KERNEL_CONSTRAINTS,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "method": [StrOptions({"auto", "landmarks", "cells", "exact"})],
        "gap_tol": [Interval(Real, 0.0, None, closed="neither")],
        "time_limit": [Interval(Real, 0.0, None, closed="neither"), None],
        "memory": [Interval(Real, 0.0, None, closed="neither")],
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "callback": [callable, None],
        "trace": ["boolean"],
        "random_state": ["random_state"],
    }

    def _refuse_kernel(self) -> None:
        if self._kernel_name in ("precomputed", "function"):
            raise ValueError(
                f"{type(self).__name__} computes kernel values from rows: kernel must be a name or a Kernel of "
                f"maxmargin.kernels, not a matrix or a function. SVC and SVR take those."
            )

    # ---------------------------------------------------------------- the proof

    def _audit(self, problem: BoxQP, coefficients: np.ndarray, beta: np.ndarray, k: int, own: np.ndarray) -> Audit:
        """Both bounds of one problem again, and whether the radius and the intercepts that are claimed follow."""
        intercepts = (float(self.intercept_[k]),)
        if np.array_equal(coefficients, beta):  # as precisely as of an exact machine
            evidence = evaluate(problem, beta, intercepts, audit=True)
            violation = violation_at(problem, beta, problem.p - evidence.image, list(intercepts))
            evidence = replace(evidence, kkt_violation=violation)
        else:
            evidence = evaluate_bracket(problem, coefficients, beta, intercepts)
        rows = problem.gram.shape[0]
        expected = evidence.image[:rows] + self.intercept_[k]
        # any violation will do: it is judged by its gap alone
        audit = Audit.of(problem, beta, evidence, own, expected, np.inf, coefficients, by_coefficients=True)
        sound = audit.faithful and self._claims_follow(problem, coefficients, beta, audit, k)
        return audit if sound else Audit(evidence)

    def _claims_follow(self, problem: BoxQP, coefficients: np.ndarray, beta: np.ndarray, audit: Audit, k: int) -> bool:
        # of the gap that is claimed, which is held against the recomputed one elsewhere
        gap, same = self.certificate_.problems[k].gap, np.array_equal(coefficients, beta)
        radius, evidence = radius_of(gap, same), audit.evidence
        claimed, (low, high) = float(self.radius_[k]), self.intercept_range_[k]
        if claimed == np.inf and low == -np.inf and high == np.inf:
            return True
        if self.certificate_.problems[k].confidence < 1:  # what was sampled proves no distance
            return False
        least, most = intercept_range(problem, coefficients, evidence.image, radius)
        # the fit has rounded kernel values otherwise, and allowed for that
        rounded = 2 * float(product_rounding(problem.gram, by_row(problem, coefficients)).max(initial=0.0))
        room = 1e-6 * (1 + abs(least) + abs(most) + radius) + rounded
        return bool(claimed >= radius * (1 - 1e-6) and low <= least + room and high >= most - room)

    # ---------------------------------------------------------------- the exact machine

    def _lengths(self, X: Any) -> np.ndarray:
        """The length of each row in feature space, rounded up."""
        diagonal = self._fitted_kernel().gram(Rows(X), None, 1).diagonal()
        return np.sqrt(np.maximum(diagonal, 0.0)) * (1 + 1e-6)

    def _intervals(self, X: Any, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Between what the exact machine's decision values lie: (rows, problems) of lower and of upper ends."""
        with one_blas_thread():
            reach = np.multiply.outer(self._lengths(X), self.radius_)
        # what float64 may have done to the values themselves
        sizes = np.abs(self._dual_coef()).sum() * float(self._lengths(self.support_vectors_).max(initial=0.0))
        reach += self._rounding_of_values(X) * (1 + sizes * self._lengths(X)[:, None])
        with np.errstate(invalid="ignore"):  # no interval is known of what overflows
            reach += roundings(8) * (np.abs(values) + np.abs(self.intercept_))
        bare = values - self.intercept_
        return bare - reach + self.intercept_range_[:, 0], bare + reach + self.intercept_range_[:, 1]

    def _rounding_of_values(self, X: Any) -> float:
        """What float64 may have done to decision values of X, relative to the sizes of their terms."""
        gram = self._fitted_kernel().gram(self._rows(X), self._rows(self.support_vectors_), 1)
        accuracy, count = gram.accuracy(), len(self.support_)
        values = float(accuracy.relative.max(initial=0.0)) + accuracy.absolute + roundings(count + 16)
        return max(1e-12, 4 * values)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._validate_for_predict(X)
