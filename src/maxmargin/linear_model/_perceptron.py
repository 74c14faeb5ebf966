"""Rosenblatt's perceptron, with the bound on its mistakes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Guarantee, Status
from ..data import validate_data, weighted_sums
from ..engine import interruptible, raise_interrupt, warn
from ..estimators import Reported, TakesSparse, encode_labels, keep_trace, monitor_of
from ..messages import counted
from ..solvers import VARIANTS, Monitor, Solution
from ._perceptron_problems import centred, last_iterate, problem_name, problems_of, run_all, starts_of, uncentred
from ._perceptron_proof import proofs_of, recertify, records_of


def _not_centred(model: Perceptron) -> bool:
    if model.centred:
        raise AttributeError("centred=True needs the mean of all rows, which partial_fit does not see; use fit.")
    return True


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(ClassifierMixin, TakesSparse, Reported, BaseEstimator):
    """The perceptron: from zero weights, each mistake adds the row to (or takes it from) the weights.

    A drop-in for :class:`sklearn.linear_model.Perceptron` without penalty. On data that a plane separates it makes only
    finitely many mistakes, and `certificate_` states how many and the bound on them, (R / gamma)**2. More than two
    classes are one problem a class, against the rest.

    Parameters
    ----------
    penalty : None, default=None
        Refused unless None: a perceptron has no penalty. With one it would be another method, which
        ``LinearClassifier(loss="perceptron")`` is.
    fit_intercept : bool, default=True
        Whether there is an intercept, learned as the weight of an additional feature that is always 1.
    max_iter : int, default=1000
        Largest number of epochs, that is, passes over the rows.
    tol : float or None, default=0.0
        Training ends after an epoch whose share of mistakes is at most `tol`: by default, one without a mistake.
        None: after `max_iter` epochs.
    shuffle : bool, default=True
        Whether each epoch has a random order of its own; otherwise that of the rows.
    verbose : bool or int, default=0
        Show progress on standard error.
    eta0 : float, default=1.0
        Length of a step. From zero weights it scales the plain and the averaged perceptron and changes nothing else.
    n_jobs : int or None, default=None
        Threads for more than two classes; None and -1 mean all cores.
    random_state : int, RandomState or None, default=0
        Seed of the orders of the rows.
    class_weight : dict, "balanced" or None, default=None
        Steps are multiplied by the weight of the class (against the rest: that of the one class).
    warm_start : bool, default=False
        Start from the last weights.
    variant : {"plain", "normalised", "averaged"}, default="plain"
        Keep the last weights; divide them by their length after each step; or keep their mean over all samples, which
        on classes that overlap is better than the last ones.
    centred : bool, default=False
        Subtract the mean of the rows, without which data far from the origin needs very many mistakes to move its
        intercept. With ``fit_intercept=False`` the plane then goes through the mean.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: mistakes so far and seconds by epoch.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    certificate_ : Guarantee
        Mistakes, radius, margin and the bound that follows; ``certificate_.verify(X, y)`` recomputes them.
    n_mistakes_ : ndarray of shape (1,) or (n_classes,)
        Mistakes of each problem.
    margin_width_ : ndarray of shape (1,) or (n_classes,)
        Width of the margin of each problem: the distance of the planes ``f = -m`` and ``f = m``, which is
        ``2 m / ||coef_||`` with the smallest ``y_i f(x_i)`` of the training rows as m; 0 where they are not separated.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.
    classes_, n_iter_, t_, n_features_in_
        As in scikit-learn; `n_iter_` is the largest number of epochs of any problem.

    Notes
    -----
    There is no ``sample_weight``: the result depends on the order of the rows, so that no weight can be the same as
    several copies of a row. Repeat rows, or draw them with probabilities.

    Examples
    --------
    >>> from maxmargin.linear_model import Perceptron
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.5], [3.0, 1.0]], ["left", "left", "right", "right"]
    >>> model = Perceptron().fit(X, y)
    >>> model.predict([[0.0, 5.0], [5.0, 0.0]])
    array(['left', 'right'], dtype='<U5')
    >>> bool(model.n_mistakes_[0] <= model.certificate_.figures["bound"])
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "eta0": [Interval(Real, 0.0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "warm_start": ["boolean"],
        "variant": [StrOptions(set(VARIANTS))],
        "centred": ["boolean"],
        "trace": ["boolean"],
    }

    coef_: np.ndarray = field(init=False)
    intercept_: np.ndarray = field(init=False)
    penalty: None = None
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 0.0
    shuffle: bool = True
    verbose: bool | int = 0
    eta0: float = 1.0
    n_jobs: int | None = None
    random_state: Any = 0
    class_weight: Any = None
    warm_start: bool = False
    variant: str = "plain"
    centred: bool = False
    trace: bool = False

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Perceptron:
        """Train on rows X with labels y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or booleans.
        coef_init : array-like of the shape of `coef_`, optional
            Weights to start from.
        intercept_init : array-like of the shape of `intercept_`, optional
            Intercepts to start from.

        """
        self._check_parameters()
        X, y = self._validate(X, y, reset=True)
        classes, label = encode_labels(y)
        begin = starts_of(self, 1 if len(classes) == 2 else len(classes), X.shape[1], coef_init, intercept_init)
        self.classes_ = classes
        problems, mean = problems_of(self, X, label, compute_class_weight(self.class_weight, classes=classes, y=y))
        monitor = monitor_of(self)
        runs, seconds = run_all(self, problems, centred(begin, mean), self.max_iter, self.tol, monitor)
        self._keep(runs, mean)
        keep_trace(self, monitor.trace)
        self._lengths = np.linalg.norm(begin, axis=1)
        self.n_mistakes_ = np.array([run.stats["mistakes"] for run in runs])
        self.n_iter_ = max(run.iterations for run in runs)
        self.t_ = float(self.n_iter_ * X.shape[0] + 1)
        self._steps = X.shape[0] * self.n_iter_
        self._class_weights = self.class_weight
        self._whole, self._claims = X.shape[0], [run.stats["separates"] for run in runs]
        records = records_of(self, [run.iterations for run in runs], [run.status for run in runs], seconds)
        self.certificate_ = Guarantee.of_model(proofs_of(self, problems, mean, records), self._recertify)
        raise_interrupt()  # the weights are kept for a warm start
        self._warn()
        return self

    @available_if(_not_centred)
    @interruptible
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Perceptron:
        """Go on with one epoch over the rows of X, a part of the data.

        The certificate of a part proves nothing about the whole: ``certificate_.verify(X, y)`` with all rows seen so
        far gives the bound on all mistakes so far, if the weights separate those rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like, optional
            All labels that there will be; needed at the first call.

        """
        self._check_parameters()
        if isinstance(self.class_weight, str):
            raise ValueError(
                "class_weight='balanced' needs the sizes of the classes, which partial_fit has not seen; give a dict."
            )
        first = not hasattr(self, "classes_")
        X, y = self._validate(X, y, reset=first)
        if _check_partial_fit_first_call(self, classes) and len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        self._refuse_unknown(y)
        label = np.searchsorted(self.classes_, y)
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
        problems, mean = problems_of(self, X, label, weights)
        if not hasattr(self, "coef_"):
            self.n_mistakes_, self._lengths = np.zeros(len(problems), dtype=int), np.zeros(len(problems))
            self._steps, self.n_iter_, self.t_ = 0, 0, 1.0
            begin, before = np.zeros((len(problems), X.shape[1] + 1)), None
        else:
            begin, before = last_iterate(self), np.column_stack([self.coef_, self.intercept_])
        runs, seconds = run_all(self, problems, begin, 1, None, Monitor(self.verbose))
        self._keep(runs, mean)
        if self.variant == "averaged" and before is not None and self._steps:
            share = X.shape[0] / (self._steps + X.shape[0])  # the mean goes on over all samples seen
            mixed = share * np.column_stack([self.coef_, self.intercept_]) + (1 - share) * before
            self.coef_, self.intercept_ = np.ascontiguousarray(mixed[:, :-1]), mixed[:, -1].copy()
        self.n_mistakes_ = self.n_mistakes_ + [run.stats["mistakes"] for run in runs]
        self.n_iter_, self.t_, self._steps = self.n_iter_ + 1, self.t_ + X.shape[0], self._steps + X.shape[0]
        self._class_weights = self.class_weight
        self._whole, self._claims = None, [False] * len(runs)
        parts = [
            Guarantee(
                "mistake bound",
                {"mistakes": float(total), "bound": math.inf},
                f"{total} mistakes so far, {run.stats['mistakes']} of them in the last part: no bound before "
                f"verify(X, y) sees all rows.",
                False,
                run.status,
                int(self.n_iter_),
                seconds[k],
                problem_name(self, k),
            )
            for k, (run, total) in enumerate(zip(runs, self.n_mistakes_, strict=True))
        ]
        self.certificate_ = Guarantee.of_model(parts, self._recertify)
        raise_interrupt()
        return self

    def _check_parameters(self) -> None:
        self._validate_params()
        if self.penalty is not None:
            raise ValueError(
                f"penalty must be None, because a perceptron has none; got {self.penalty!r}. Use "
                f"maxmargin.linear_model.LinearClassifier(loss='perceptron', penalty=...)."
            )

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        rules: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}
        X, y = validate_data(self, X, y, reset=reset, **rules)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        return X, y

    def _refuse_unknown(self, y: np.ndarray) -> None:
        unknown = np.setdiff1d(y, self.classes_)
        if unknown.size:
            raise ValueError(f"y has labels that are not in classes {list(self.classes_)}: {list(unknown)}.")

    def _keep(self, runs: list[Solution], mean: np.ndarray) -> None:
        last = uncentred(np.array([run.variables for run in runs]), mean)
        kept = last
        if self.variant == "averaged":
            kept = uncentred(np.array([run.stats["mean"] for run in runs]), mean)
        self._last = last
        self.coef_, self.intercept_ = np.ascontiguousarray(kept[:, :-1]), kept[:, -1].copy()

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        return recertify(self, X, y, sample_weight)

    def _warn(self) -> None:
        worst = self.certificate_.worst
        if worst.status is Status.CONVERGED or self.tol is None:
            return
        where = f" ({worst.label})" if self.certificate_.problems else ""
        warn(
            f"Perceptron ended as '{worst.status}'{where} after {counted(worst.iterations, 'epoch')}, none of them "
            f"with at most tol={self.tol:g} mistakes a row: {counted(int(worst.figures['mistakes']), 'mistake')}, no "
            f"bound. If no plane separates the classes there is none; use variant='averaged', or raise max_iter or "
            f"tol.",
            ConvergenceWarning,
            stacklevel=3,
        )

    @property
    def margin_width_(self) -> np.ndarray:
        """Twice the distance of the nearest training row from the decision boundary; 0 where rows are misclassified."""
        check_is_fitted(self)
        parts = self.certificate_.problems or (self.certificate_,)
        if any("width" not in part.figures for part in parts):
            raise AttributeError(
                "margin_width_ needs all training rows, which partial_fit has not seen together; "
                "certificate_.verify(X, y).figures['width'] of them is the width."
            )
        return np.array([part.figures["width"] for part in parts])

    # ---------------------------------------------------------------- prediction

    def decision_function(self, X: Any) -> np.ndarray:
        """``<x, w> + b`` of the rows of X.

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, positive for ``classes_[1]``; else (n_samples, n_classes).

        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        values = weighted_sums(X, self.coef_) + self.intercept_
        return values.ravel() if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X."""
        values = self.decision_function(X)
        index = (values > 0).astype(int) if len(self.classes_) == 2 else np.argmax(values, axis=1)
        return self.classes_[index]
