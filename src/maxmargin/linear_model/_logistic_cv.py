"""Logistic regression that finds its own C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from ..engine import interruptible
from ..linear import LinearSearch
from ..search import trains_winner
from ._logistic import LogisticRegression


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegressionCV(LinearSearch):
    """Logistic regression that finds its own C by cross-validation, with a proof in every cell.

    In every fold, the machines are trained along C, each from its neighbour's solution. The scores are those of
    :class:`sklearn.model_selection.GridSearchCV` with :class:`LogisticRegression`, and so are the names of the results:
    :class:`sklearn.linear_model.LogisticRegressionCV` has a table of its own form. The probabilities are the model's.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C, or how many automatic ones. These start where C times the largest eigenvalue of the scatter matrix
        of the rows, times the curvature of the loss, is a tenth (below, the weights only grow in proportion to C), and
        go on for seven decades. With an L1 part: from where the first weight leaves zero, for four decades.
    penalty : {"l2", "l1", "elasticnet"}, default="deprecated"
        As in :class:`LogisticRegression`: as long as it is left alone, `l1_ratio` decides.
    l1_ratio : float or None, default=0.0
        ``R(w) = l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||_2**2``.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class.
    tol : float, default=1e-4
        Largest relative duality gap that is accepted, in every cell.
    max_iter : int, default=100
        Largest number of iterations.
    solver : str, default="auto"
        As in :class:`LogisticRegression`.
    random_state : int, RandomState or None, default=None
        Order of samples in solvers that pick them at random; None is a fixed order too.
    cv : int, splitter, iterable or None, default=None
        How rows are divided, as in :func:`sklearn.model_selection.check_cv`; None is five folds that keep the
        proportions of the classes.
    scoring : str, callable or None, default=None
        One scorer of scikit-learn, or ``callable(estimator, X, y)``; None is accuracy.
    refit : bool, default=True
        Train the winner on all rows; without, there is no prediction.
    rule : {"best", "one_standard_error"}, default="best"
        The winner is the candidate with the best mean, or the smallest C within one standard error of it.
    race : bool, default=False
        Drop candidates that cannot win any more, which a warning and their status say. For scores with an upper bound
        (accuracy and others of scikit-learn by name) only those are dropped that could not win with that bound in
        every fold to come; for others, those more than three standard errors behind the leader after three folds.
    error_score : "raise" or float, default=numpy.nan
        What stands for a score where an error came instead; "raise" ends the search there.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. Small data: one fold each; large data: all of them in each fold.
    verbose : bool or int, default=False
        Show a live table of scores with the time left on standard error.
    warm_start : bool, default=False
        Resume: what an earlier search of the same data, folds, values of C and parameters has finished, also one that
        ended by Ctrl-C, is not repeated.
    weighted_score : bool, default=True
        Whether `sample_weight` counts in the scores too; a scorer that takes no weights is named in a warning.
    trace : bool, default=False
        Whether to keep the course of the winner's fit on all rows in ``trace_``. Fits in folds leave none.

    Attributes
    ----------
    cv_results_ : dict
        The keys of :class:`sklearn.model_selection.GridSearchCV`, and for each candidate the worst ``certificate`` of
        its folds, its ``relative_gap``, ``kkt_violation`` and ``status`` ("converged", "budget exhausted", "stalled",
        "dropped", "failed", "unfinished").
    best_params_, best_score_, best_index_
        The winner.
    best_estimator_ : LogisticRegression
        Trained on all rows with the C of the winner.
    certificate_ : ModelCertificate
        Its proof.
    coef_, intercept_, n_iter_, classes_, n_features_in_
        As there.
    trace_ : maxmargin.solvers.Trace
        The course of the winner's fit, where ``trace=True``.
    n_splits_, scorer_, refit_time_
        Number of folds, the scorer, and seconds that training the winner took.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.linear_model import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = LogisticRegressionCV(Cs=[0.01, 0.1, 1, 10], scoring="neg_log_loss").fit(scale(X), y)
    >>> search.best_params_
    {'C': 1.0}
    >>> round(search.best_score_, 3)
    -0.08

    """

    _parameter_constraints: ClassVar[dict] = {
        **LinearSearch._parameter_constraints,
        **{name: LogisticRegression._parameter_constraints[name] for name in ("l1_ratio", "class_weight", "solver")},
        **{name: LogisticRegression._parameter_constraints[name] for name in ("fit_intercept", "tol", "max_iter")},
        "penalty": [StrOptions({"l2", "l1", "elasticnet", "deprecated"})],
        "random_state": ["random_state"],
    }

    penalty: str = "deprecated"
    l1_ratio: float | None = 0.0
    fit_intercept: bool = True
    class_weight: Any = None
    tol: float = 1e-4
    max_iter: int | None = 100
    solver: str = "auto"
    random_state: Any = None

    def _machine(self, **params: Any) -> LogisticRegression:
        return LogisticRegression(
            penalty=self.penalty,
            l1_ratio=self.l1_ratio,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            tol=self.tol,
            max_iter=self.max_iter,
            solver=self.solver,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            **params,
        )

    @available_if(trains_winner)
    @interruptible
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, those of ``best_estimator_``."""
        return self._winner().predict_proba(X)

    @available_if(trains_winner)
    @interruptible
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes."""
        return self._winner().predict_log_proba(X)
