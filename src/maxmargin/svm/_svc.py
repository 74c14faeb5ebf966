"""The soft- and hard-margin kernel classifier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from ..engine import one_blas_thread
from ..kernels import definiteness
from ._classifier import KernelClassifier
from ._formulations import SoftMargin
from ._input import part_of
from ._joint import is_joint, strength_of
from ._machine import KernelMachine

if TYPE_CHECKING:
    from ..bounds import LeaveOneOut
    from ._path import KernelPath


@dataclass(kw_only=True, eq=False, repr=False)
class SVC(KernelClassifier, KernelMachine):
    """C-support vector classifier whose every fit carries a proof.

    A drop-in for :class:`sklearn.svm.SVC`: the same parameters, fitted attributes and results, plus a certificate.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss against the margin width. ``numpy.inf`` is the hard margin: exact on separable
        data, `NotSeparableError` (with a proof) on other data.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A value of ``maxmargin.kernels``, such as ``RBF(0.5) + Linear()``, brings its own parameters: `gamma`, `coef0`
        and `degree` are then not used. A callable is called as ``kernel(X, Z)`` on blocks of rows and returns the
        matrix of values.
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
    multi_class : {"ovo", "ovr", "crammer_singer"}, default="ovo"
        How more than two classes are trained: one-vs-one as in scikit-learn, or one-vs-rest, where `dual_coef_` has one
        row a class, and the largest decision value wins. "crammer_singer" trains all classes in one problem, whose loss
        is ``max_k (1 - (f_y(x) - f_k(x)))`` over the other classes k, or 0; it holds the whole kernel matrix. Two
        classes are one machine whichever is named; the last is that of twice the C, whose decision value is f_1 - f_0.
    callback : callable or None, default=None
        Called with a dict of ``problem, iteration, violation, gap, seconds`` several times a second; returning True
        stops the fit.
    solver : {"auto", "decomposition", "smo", "projected_gradient", "active_set"}, default="auto"
        How the dual problem is solved; the answer is the same to the tolerance, and each is certified alike. "auto" is
        the fastest: working sets, and an interior point where they are slow. "decomposition": working sets alone.
        "smo": two variables a step, with LIBSVM's choice of the pair, shrinking and a cache of rows.
        "projected_gradient": a gradient step, then the exact projection on the constraints. "active_set": solves for
        the free variables, then lets the worst of the others join them. The last two hold the whole kernel matrix and
        need a `cache_size` that it fits in. Except "auto", none solves the hard margin; an indefinite kernel takes
        "auto" or "smo". An iteration of `max_iter` is a step of the solver.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: both objectives, gap, violation and seconds by iteration.
        Steps that SMO makes in bursts are then recorded one by one at first, and at growing distances later.

    Attributes
    ----------
    certificate_ : ModelCertificate
        Primal, dual, gap, violation and status, recomputed in float64; ``certificate_.verify(X, y)`` does it again.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``; `maxmargin.plotting.TraceDisplay` draws it.
    gamma_ : float
        The gamma of the kernel, where it has one: what "scale" and "auto" came to.
    margin_width_ : ndarray of shape (n_problems,)
        Distance of the two margin boundaries of each binary problem in feature space, ``2 / ||w||``.
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

    _parameter_constraints: ClassVar[dict] = {
        **KernelClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "multi_class": [StrOptions({"ovo", "ovr", "crammer_singer"})],
    }

    C: float = 1.0
    multi_class: str = "ovo"

    def _formulation(self) -> SoftMargin:
        classes = len(getattr(self, "classes_", ()))  # of a fitted machine; a fit sees for itself
        return SoftMargin(C=strength_of(self, classes), tol=self.tol, gap_tol=self.gap_tol)

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
        from ._path import solve_kernel_path

        self._validate_params()
        self._refuse()
        if self.solver != "auto":
            raise ValueError(f"path needs solver='auto'; got {self.solver!r}. Fit each C with warm_start=True.")
        if self.multi_class != "ovo":
            raise ValueError(
                f"path needs multi_class='ovo'; got {self.multi_class!r}. Fit each C with warm_start=True."
            )
        return solve_kernel_path(clone(self), X, y, Cs, sample_weight)

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
        from ._leave_one_out import at_hand, leave_one_out

        if is_joint(self):
            raise ValueError("loo_error_bound needs binary problems; multi_class='crammer_singer' has none.")
        X, y, weight = self._training_data(X, y, sample_weight)
        problems = self._training_problems(X, y, weight)
        if not self._support_is_of(X):
            raise ValueError("X is not what the model was trained on: its rows differ from the support vectors.")
        label, kernel = np.searchsorted(self.classes_, y), self._fitted_kernel()
        with one_blas_thread():
            gram = at_hand(kernel.gram(self._rows(X), None, self._threads()))
            binary = [(pair, replace(problem, gram=part_of(gram, pair.rows)), z) for pair, problem, z, _ in problems]
            known = definiteness(kernel, part_of(gram, np.flatnonzero(weight > 0)))
            return leave_one_out(binary, label, known.basis in ("known", "shown"))
