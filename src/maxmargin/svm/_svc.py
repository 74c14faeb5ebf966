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
    multi_class : {"ovo", "ovr", "crammer_singer"}, default="ovo"
        How more than two classes are trained: one-vs-one as in scikit-learn, or one-vs-rest, where `dual_coef_` has one
        row a class, and the largest decision value wins. "crammer_singer" trains all classes in one problem, whose loss
        is ``max_k (1 - (f_y(x) - f_k(x)))`` over the other classes k, or 0; it holds the whole kernel matrix. Two
        classes are one machine whichever is named; the last is that of twice the C, whose decision value is f_1 - f_0.

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
            As in `fit`.
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
