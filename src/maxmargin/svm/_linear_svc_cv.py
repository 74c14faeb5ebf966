"""The linear support vector classifier that finds its own C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..linear import LinearSearch
from ._linear_svc import LinearSVC


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVCCV(LinearSearch):
    """Linear support vector classifier that finds its own C by cross-validation, with a proof in every cell.

    In every fold, the machines are trained along C, each from its neighbour's solution. The scores are those of
    :class:`sklearn.model_selection.GridSearchCV` with :class:`LinearSVC`.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C, or how many automatic ones. These start where C times the largest eigenvalue of the scatter matrix
        of the rows, times the curvature of the loss, is a tenth (below, the weights only grow in proportion to C), and
        go on for seven decades. With an L1 penalty: from where the first weight leaves zero, for four decades.
    penalty : {"l2", "l1"}, default="l2"
        As in :class:`LinearSVC`.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        As there.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        As there.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class.
    tol : float, default=1e-4
        Largest relative duality gap that is accepted, in every cell.
    max_iter : int or None, default=1000
        Largest number of iterations a problem.
    solver : str, default="auto"
        "auto" or a name of `maxmargin.solvers.RISK_SOLVERS`.
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
    calibration : {"sigmoid", "isotonic"} or None, default="sigmoid"
        How decision values become probabilities, from those of the winner on rows that it had not seen. `predict` is
        always the most probable class.
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
    best_estimator_ : LinearSVC
        Trained on all rows with the C of the winner.
    certificate_ : ModelCertificate
        Its proof.
    coef_, intercept_, n_iter_, classes_, n_features_in_
        As there.
    calibration_ : object
        The map from decision values to probabilities, unless `calibration` is None.
    trace_ : maxmargin.solvers.Trace
        The course of the winner's fit, where ``trace=True``.
    n_splits_, scorer_, refit_time_
        Number of folds, the scorer, and seconds that training the winner took.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.svm import LinearSVCCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = LinearSVCCV(Cs=[0.001, 0.01, 0.1, 1]).fit(scale(X), y)
    >>> search.best_params_
    {'C': 0.1}
    >>> round(search.best_score_, 3)
    0.977
    >>> set(search.cv_results_["status"])
    {'converged'}
    >>> search.predict_proba(scale(X)[:2]).round(2)
    array([[1., 0.],
           [1., 0.]])

    """

    _parameter_constraints: ClassVar[dict] = {
        **LinearSearch._parameter_constraints,
        **{name: LinearSVC._parameter_constraints[name] for name in ("penalty", "loss", "multi_class", "class_weight")},
        **{name: LinearSVC._parameter_constraints[name] for name in ("fit_intercept", "tol", "max_iter", "solver")},
        "random_state": ["random_state"],
    }

    penalty: str = "l2"
    loss: str = "squared_hinge"
    multi_class: str = "ovr"
    fit_intercept: bool = True
    class_weight: Any = None
    tol: float = 1e-4
    max_iter: int | None = 1000
    solver: str = "auto"
    random_state: Any = None
    calibration: str | None = "sigmoid"

    def _machine(self, **params: Any) -> LinearSVC:
        return LinearSVC(
            penalty=self.penalty,
            loss=self.loss,
            multi_class=self.multi_class,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            tol=self.tol,
            max_iter=self.max_iter,
            solver=self.solver,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            **params,
        )
