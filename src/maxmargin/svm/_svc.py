"""The soft- and hard-margin kernel classifier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import column_or_1d

from ..bounds import LeaveOneOut
from ..certificates import Evidence, NotSeparableError, evaluate, evaluate_hard_margin
from ..engine import one_blas_thread
from ..kernels import Gram
from ..problems import BoxQP
from ..solvers import CertifiedSolution, Monitor, feasible, solve_certified, solve_hard_margin
from ._base import part_of
from ._classifier import KernelClassifier
from ._leave_one_out import at_hand, leave_one_out
from ._one_vs_one import OneVsOne, Pair
from ._one_vs_rest import OneVsRest
from ._path import KernelPath, solve_kernel_path


class SVC(KernelClassifier):
    """C-support vector classifier whose every fit carries a proof.

    A drop-in for :class:`sklearn.svm.SVC`: the same parameters, fitted attributes and results, plus a certificate.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss against the width of the street. ``numpy.inf`` is the hard margin: exact on separable
        data, `NotSeparableError` (with a proof) on other data.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        A callable is called as ``kernel(X, Z)`` on blocks of rows and returns the matrix of values.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is ``1 / (n_features * X.var())``.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether the solver may set variables aside that seem settled. The result is the same.
    probability : bool, default=False
        Refused if True (deprecated in scikit-learn 1.9): use
        ``sklearn.calibration.CalibratedClassifierCV(SVC(), ensemble=False)``.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, as in scikit-learn. More than 1, the margin
        itself, is taken as 1.
    cache_size : float, default=200
        Memory for kernel values in MB.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class.
    verbose : bool or int, default=False
        Show progress on standard error.
    max_iter : int, default=-1
        Largest number of SMO steps a binary problem; -1 is an automatic, finite number. A problem on which SMO is slow
        (a large C, features of different scales) goes on by an interior point, each step of which counts as many as
        the problem has variables.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes; see `multi_class` for how they are trained.
    break_ties : bool, default=False
        Break ties of the one-vs-one vote by the decision values ("ovr" only).
    random_state : int, RandomState or None, default=None
        Accepted for scikit-learn's sake; nothing in the fit is random.
    gap_tol : float or None, default=None
        Go on until the relative duality gap is at most this, too.
    warm_start : bool, default=False
        Start from the last solution, also one that ended by `max_iter` or Ctrl-C. Needs the same rows.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    multi_class : {"ovo", "ovr"}, default="ovo"
        How more than two classes are trained: one-vs-one as in scikit-learn, or one-vs-rest, where `dual_coef_` has one
        row a class, and the largest decision value wins.
    callback : callable or None, default=None
        Called with a dict of ``problem, iteration, violation, gap, seconds`` several times a second; returning True
        stops the fit.

    Attributes
    ----------
    certificate_ : ModelCertificate
        Primal, dual, gap, violation and status, recomputed in float64; ``certificate_.verify(X, y)`` does it again.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, classes_, class_weight_, n_iter_, fit_status_, \
shape_fit_, n_features_in_
        As in scikit-learn. ``fit_status_`` is 0 if the certificate's status is CONVERGED or STATIONARY.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="linear", C=10).fit(X, y)
    >>> model.score(X, y)
    0.98
    >>> print(model.certificate_.status)
    converged
    >>> model.certificate_.relative_gap < 1e-6
    True

    """

    _parameter_constraints: dict = {
        **KernelClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "multi_class": [StrOptions({"ovo", "ovr"})],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Callable = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        multi_class: str = "ovo",
        callback: Callable[[dict], Any] | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tol = gap_tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.multi_class = multi_class
        self.callback = callback

    def path(self, X: Any, y: Any, Cs: Any, sample_weight: Any = None) -> KernelPath:
        """Solutions along C, each started from its neighbour: a curve for little more than its last point.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        Cs : array-like of float
            Positive, finite values of C, in any order. The parameter ``C`` of the machine is not used.

        Returns
        -------
        KernelPath
            ``Cs``, and for each of them a fitted machine in ``models`` and its proof in ``certificates``.

        """
        self._validate_params()
        self._refuse()
        if self.multi_class != "ovo":
            raise ValueError(
                f"path needs multi_class='ovo'; got {self.multi_class!r}. Fit each C with warm_start=True."
            )
        return solve_kernel_path(clone(self), X, y, Cs, sample_weight)

    def _refuse(self) -> None:
        super()._refuse()
        if self.multi_class == "ovr" and self.decision_function_shape == "ovo":
            raise ValueError("decision_function_shape='ovo' needs multi_class='ovo'; got multi_class='ovr'.")

    def _scheme(self, classes: int) -> OneVsOne | OneVsRest:
        return OneVsRest(classes) if self.multi_class == "ovr" and classes > 2 else OneVsOne(classes)

    def _problem(self, gram: Gram, pair: Pair, weight: np.ndarray) -> BoxQP:
        return BoxQP.classifier(gram, pair.sign, self.C * weight)

    def _solve(
        self, problem: BoxQP, start: np.ndarray | None, monitor: Monitor, rows: np.ndarray, engine: dict[str, Any]
    ) -> CertifiedSolution:
        options = (self._largest_violation(), self.gap_tol, self._budget, monitor)
        if np.isfinite(self.C):
            if start is not None:
                start = feasible(problem, start)  # C or weights may have changed since
            return solve_certified(problem, start, *options, **engine)
        try:
            return solve_hard_margin(problem, start, *options, **engine)
        except NotSeparableError as error:
            proof = error.proof  # in rows of this problem: the user knows rows of X
            proof = replace(proof, positive=rows[proof.positive], negative=rows[proof.negative])
            raise NotSeparableError(str(error), proof) from None

    def _largest_violation(self) -> float:
        """`tol`, but no more than the margin, which is 1: beyond it a multiplier may stand anywhere."""
        return min(float(self.tol), 1.0)

    def _evaluate(self, problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...]) -> Evidence:
        return (evaluate if np.isfinite(self.C) else evaluate_hard_margin)(problem, beta, intercepts, audit=True)

    # ---------------------------------------------------------------- leave-one-out

    def loo_error_bound(self, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOut:
        """What this fit says of the error of training without each sample in turn and testing on it.

        Both ends of the interval that it gives are proven sample by sample, by duality, without the n fits; on small
        data the two mostly coincide. Two rules of the literature, xi-alpha and the span estimate, stand beside it.

        Parameters
        ----------
        X, y, sample_weight
            What the model was trained on.

        Returns
        -------
        LeaveOneOut
            ``bound`` and ``lower`` (proven), ``span_estimate`` (an estimate), ``xi_alpha`` and ``support_fraction``
            (bounds under conditions), and the rows that each of them counts.

        """
        X = self._validate_for_predict(X)
        problems = self._training_problems(X, y, sample_weight)
        if not self._support_is_of(X):
            raise ValueError("X is not what the model was trained on: its rows differ from the support vectors.")
        label = np.searchsorted(self.classes_, column_or_1d(y))
        weight = self._validate_weights(sample_weight, X)
        kernel = self._fitted_kernel()
        with one_blas_thread():
            gram = at_hand(kernel.gram(self._rows(X), None, self._threads()))
            binary = [(pair, replace(problem, gram=part_of(gram, pair.rows)), z) for pair, problem, z, _ in problems]
            known = self._definiteness(part_of(gram, np.flatnonzero(weight > 0)))
            return leave_one_out(binary, label, known.basis in ("known", "shown"))
