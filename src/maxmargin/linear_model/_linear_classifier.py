"""The general linear classifier: any loss, any penalty, any solver that can."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from ..certificates import KKTCases
from ..engine import interruptible
from ..estimators import keep_proof
from ..linear import (
    LinearClassifierMachine,
    LinearFormulation,
    LinearPath,
    advance_streams,
    chunk_of,
    classifier_cases,
    keep,
    solve_path,
    training_of,
)
from ..losses import CustomLoss, Loss, as_loss, make_loss
from ..penalties import PENALTIES, CustomPenalty, Penalty, as_penalty, make_penalty
from ..solvers import check_solver

_LOSSES = {"perceptron", "hinge", "squared_hinge", "logistic", "log_loss", "squared", "squared_error"}


def _is_logistic(model: LinearClassifier) -> bool:
    name = model.loss.name if isinstance(model.loss, Loss) else model.loss
    if not isinstance(name, str) or name not in ("logistic", "log_loss"):
        raise AttributeError(f"probabilities need loss='logistic'; got loss={model.loss!r}.")
    return True


def _is_stochastic(model: LinearClassifier) -> bool:
    if model.solver != "sgd":
        raise AttributeError(f"partial_fit needs solver='sgd'; got solver={model.solver!r}.")
    return True


def _has_cases(model: LinearClassifier) -> bool:
    name = model.loss.name if isinstance(model.loss, Loss) else model.loss
    if not isinstance(name, str) or name not in ("hinge", "squared_hinge"):
        raise AttributeError(
            f"kkt_cases needs loss='hinge' or 'squared_hinge', which cost nothing beyond the margin; got "
            f"loss={model.loss!r}."
        )
    return True


class LinearClassifier(LinearClassifierMachine):
    """Linear classifier of any convex loss and penalty, whose every fit carries a proof.

    Minimises ``C sum_i s_i loss(y_i, <x_i, w> + b) + R(w)``; the intercept b is not penalised. More than two classes
    are one problem a class, against the rest.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "logistic", "squared", "perceptron"} or object, default="hinge"
        Of the margin ``z = y f(x)``: ``max(0, 1 - z)``, its square, ``log(1 + exp(-z))``, ``(1 - z)**2 / 2``, or
        ``max(0, -z)``. The last one with a penalty has the minimum ``w = 0``; without one, ``solver="sgd"`` takes the
        steps of the `Perceptron`, ``w += C y x`` on every mistake.
        Or an object with the methods of `maxmargin.losses.LossFunctions`.
    penalty : {"l2", "l1", "elastic_net", "none"}, None or object, default="l2"
        ``1/2 ||w||_2**2``, ``||w||_1``, ``l1_ratio`` of the latter and ``1 - l1_ratio`` of the former, or 0 ("none" and
        None). Or an object: `maxmargin.penalties.GroupLasso`, `maxmargin.penalties.BoundedWeights`, or one of your
        own with the methods of `maxmargin.penalties.PenaltyFunctions`.
    l1_ratio : float, default=0.5
        The share of ``||w||_1`` in the elastic net; the other penalties do not look at it.
    solver : str or callable, default="auto"
        "auto", or a name of `maxmargin.solvers.RISK_SOLVERS`. One that cannot minimise this loss with this penalty is
        refused, with the names of those that can. Or a class derived from `maxmargin.solvers.Solver`, or a function
        ``solver(problem, start, tolerance, budget)`` that returns the vector (w, b) for a `maxmargin.problems.Risk`.
    max_iter : int or None, default=None
        Largest number of the solver's iterations a problem; None is the solver's own finite default.
    solver_options : dict or None, default=None
        Further options of the solver, such as ``{"momentum": 0.9}``; unknown ones are refused. Those of "sgd":
        ``batch_size`` (1, a number, or "all"), ``direction`` ("plain", "momentum", "nesterov", "rmsprop", "adam") with
        its rates ``momentum`` (0.9), ``decay`` (0.999) and ``delta`` (1e-8), ``schedule`` ("auto", "constant",
        "inverse", "inverse_sqrt", "theory") with the first length ``eta0``, ``average``, ``order`` ("shuffle",
        "cyclic", "replacement") and ``radius``; of "gradient_descent": ``step`` ("line_search", "fixed" or a number),
        ``momentum`` and ``nesterov``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.linear_model import LinearClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearClassifier(loss="logistic", penalty="l1", C=0.1).fit(scale(X), y)
    >>> int((model.coef_ != 0).sum()), model.solver_
    (8, 'proximal_newton')
    >>> model.certificate_.relative_gap <= 1e-4
    True

    """

    _parameter_constraints: dict = {
        **LinearClassifierMachine._parameter_constraints,
        "loss": [StrOptions(_LOSSES), HasMethods("value")],
        "penalty": [StrOptions(set(PENALTIES)), HasMethods("value"), None],
        "solver": [str, callable],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both")],
    }

    def __init__(
        self,
        loss: Any = "hinge",
        penalty: Any = "l2",
        C: float = 1.0,
        l1_ratio: float = 0.5,
        solver: Any = "auto",
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_iter: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = 0,
        callback: Callable[[dict], Any] | None = None,
        solver_options: dict[str, Any] | None = None,
        trace: bool = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.solver_options = solver_options
        self.trace = trace

    def _loss(self) -> Loss | CustomLoss:
        loss = make_loss(self.loss) if isinstance(self.loss, str) else as_loss(self.loss)
        if loss.kind == "regression":
            raise ValueError(f"loss={loss.name!r} is a loss for regression; a classifier needs one of labels.")
        return loss

    def _penalty(self) -> Penalty | CustomPenalty:
        penalty = "none" if self.penalty is None else self.penalty
        return make_penalty(penalty, self.l1_ratio) if isinstance(penalty, str) else as_penalty(penalty)

    def _formulation(self) -> LinearFormulation:
        return LinearFormulation(self._loss(), self._penalty(), float(self.C), self.fit_intercept, solver=self.solver)

    @available_if(_is_stochastic)
    @interruptible
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> LinearClassifier:
        """One pass over a chunk of the data (``solver="sgd"`` only).

        A chunk is a problem of its own: its samples, weighted by C, and the whole penalty. The weights are the mean of
        the iterates of all chunks, and `certificate_` proves how far they are from the minimum for the last chunk, with
        which it can be verified. What is kept does not grow with the number of samples seen.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; not every class has to be there.
        classes : array-like of shape (n_classes,), optional
            All classes; needed in the first call.

        """
        self._validate_params()
        check_solver("sgd", self._loss(), self._penalty())
        training = chunk_of(self, X, y, classes, sample_weight)
        formulation = self._formulation()
        parts = advance_streams(self, formulation, training)
        keep(self, formulation, training, parts, chunk=True)
        keep_proof(self, [part.certificate for part in parts])
        return self

    def path(self, X: Any, y: Any, Cs: Any = None, sample_weight: Any = None) -> LinearPath:
        """Solutions for many values of C, each started from that of the next smaller one.

        The model itself stays as it is.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        Cs : array-like of shape (n_values,), optional
            Values of C in any order; by default ten from 1e-4 to 1e4.

        Returns
        -------
        LinearPath
            ``Cs``, ``coefs``, ``intercepts`` and ``certificates``, in the order of `Cs`.

        """
        machine = clone(self)
        machine._validate_params()
        training = training_of(machine, X, y, sample_weight)
        return solve_path(machine, machine._formulation(), training, np.logspace(-4, 4, 10) if Cs is None else Cs)

    @available_if(_has_cases)
    @interruptible
    def kkt_cases(self, X: Any, y: Any, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: outside the margin, on the margin boundary, or inside it.

        Of the hinge and the squared hinge only: other losses have no samples without a part in the weights. The cases
        are those of the optimum, proven by a gap: a fit that has converged is solved on for it. Samples that it does
        not decide are counted apart, and so are all where there is no penalty. With the squared hinge no sample is on
        the boundary but by chance: all within the margin pay, by ``2 C`` times their slack. After `partial_fit` the
        samples are those of the last chunk.

        Parameters
        ----------
        X, y, sample_weight
            What the model was trained on.

        Returns
        -------
        KKTCases
            Case, multiplier, slack and margin of each sample, for more than two classes in each binary problem.

        """
        return classifier_cases(self, self._formulation(), X, y, sample_weight)

    @available_if(_is_logistic)
    @interruptible
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes (logistic loss only).

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            For more than two classes, those of each class against the rest, normalised.

        """
        positive = expit(self._linear_values(X))
        if positive.shape[1] == 1:
            return np.hstack([1 - positive, positive])
        return positive / positive.sum(axis=1, keepdims=True)

    @available_if(_is_logistic)
    @interruptible
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities (logistic loss only)."""
        return np.log(self.predict_proba(X))
