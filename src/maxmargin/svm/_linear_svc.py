"""The linear support vector classifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..certificates import KKTCases
from ..linear import LinearClassifierMachine, LinearFormulation, classifier_cases, refuse_intercept_scaling
from ..losses import make_loss
from ..penalties import make_penalty


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVC(LinearClassifierMachine):
    """Linear support vector classifier whose every fit carries a proof.

    A drop-in for :class:`sklearn.svm.LinearSVC`. Minimises ``R(w) + C sum_i s_i max(0, 1 - y_i f(x_i))**2`` (or without
    the square), one problem for each class if there are more than two. Unlike there, the intercept is not penalised, so
    that shifting the data leaves the weights as they are. With ``loss="hinge"`` the answer is that of :class:`SVC` with
    a linear kernel.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        ``R(w) = 1/2 ||w||_2**2`` or ``||w||_1``.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        The squared hinge or the hinge.
    dual : "auto" or bool, default="auto"
        Accepted for scikit-learn's sake: both problems have the same optimum, and `solver` says how it is found.
    C : float, default=1.0
        Weight of the losses. ``numpy.inf`` is the hard margin: exact on separable data, `NotSeparableError` (with a
        proof) on other data. With ``fit_intercept=False``, all hyperplanes pass through the origin.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        One problem a class against the rest, or one joint problem of all classes, whose loss is
        ``max_k (1 - (f_y(x) - f_k(x)))`` over the other classes k, or 0; `loss` is then ignored, as in
        scikit-learn.
    intercept_scaling : float, default=1.0
        Refused unless 1: the intercept is not penalised, so scaling it would have no effect.
    max_iter : int or None, default=1000
        Largest number of iterations for each problem; None is the solver's own finite default. For "crammer_singer" an
        iteration is ten sweeps over the samples; the hard margin has a finite budget of its own.

    Attributes
    ----------
    n_iter_ : int
        The largest number of iterations of any problem.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.svm import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC().fit(X, y)
    >>> round(model.score(X, y), 2)
    0.97
    >>> print(model.certificate_.status)
    converged

    """

    _parameter_constraints = {
        **LinearClassifierMachine._parameter_constraints,
        "penalty": [StrOptions({"l1", "l2"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "dual": ["boolean", StrOptions({"auto"})],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
    }

    penalty: str = field(default="l2", kw_only=False)
    loss: str = field(default="squared_hinge", kw_only=False)
    dual: bool | str = "auto"
    multi_class: str = "ovr"
    intercept_scaling: float = 1
    class_weight: Any = None
    max_iter: int | None = 1000

    def kkt_cases(self, X: Any, y: Any, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: outside the margin, on the margin boundary, or inside it.

        The cases are those of the optimum, proven by a gap: a fit that has converged is solved on for it. Samples that
        it does not decide are counted apart. With the squared hinge no sample is on the boundary but by chance: all
        within the margin pay, by ``2 C`` times their slack.
        With ``multi_class="crammer_singer"`` there is one entry a sample, whose margin is its own decision value less
        the largest of the others.
        """
        return classifier_cases(self, self._formulation(), X, y, sample_weight)

    def _formulation(self) -> LinearFormulation:
        hard, joint = self.C == np.inf, self.multi_class == "crammer_singer"
        refuse_intercept_scaling(self.intercept_scaling)
        if self.multi_class == "crammer_singer" and (self.penalty != "l2" or hard or self.solver != "auto"):
            raise ValueError(
                f"multi_class='crammer_singer' needs penalty='l2', a finite C and solver='auto'; got "
                f"penalty={self.penalty!r}, C={self.C!r}, solver={self.solver!r}."
            )
        if hard and (self.penalty != "l2" or self.solver != "auto"):
            raise ValueError(
                f"C=inf (the hard margin) needs penalty='l2' and solver='auto'; got penalty={self.penalty!r}, "
                f"solver={self.solver!r}."
            )
        return LinearFormulation(
            make_loss("hinge" if joint else self.loss),
            make_penalty(self.penalty),
            # the joint machine of two classes is the hinge's, with half the penalty: w_1 = -w_0
            1.0 if hard else 2.0 * self.C if joint else float(self.C),
            self.fit_intercept,
            hard=hard,
            joint="crammer-singer" if joint else "",
            joint_strength=self.C,
            solver=self.solver,
            one_count=True,
        )
