"""The perceptron in the feature space of a kernel, with the bound on its mistakes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Guarantee, Status, are_floats, figures_reproduced, product_rounding
from ..engine import Stopwatch, raise_interrupt, warn
from ..estimators import check_same_rows, encode_labels, keep_trace, monitor_of
from ..kernels import Gram, Kernel, definiteness
from ..messages import counted
from ..problems import KernelSeparation
from ..solvers import KernelPerceptronRule
from ..svm import kernel_of_fit, rows_of, stated_gamma
from ._classifier import KernelSumClassifier
from ._mistakes import Record, error_range, mistake_guarantee
from ._same_model import same_rows

_PORTION = 1024  # rows of a matrix that are changed between two looks for Ctrl-C


@dataclass(kw_only=True, eq=False, repr=False)
class KernelPerceptron(KernelSumClassifier):
    """The perceptron with a kernel: each mistake adds the sample to, or takes it from, the weights in feature space.

    With the linear kernel it takes the steps of :class:`maxmargin.linear_model.Perceptron`. On classes that a plane in
    feature space separates by a margin gamma it makes at most (R / gamma)**2 mistakes, R being the largest length of a
    sample there; on others a bound from their deviations holds. `certificate_` states which, with the figures. More
    than two classes are one problem a class, against the rest.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is an intercept, learned as the weight of an additional feature that is always 1.
    max_iter : int, default=1000
        Largest number of epochs, that is, passes over the rows.
    tol : float or None, default=0.0
        Training ends after an epoch whose share of mistakes is at most `tol`: by default, one without a mistake. None:
        after `max_iter` epochs.
    shuffle : bool, default=True
        Whether each epoch has a random order of its own; otherwise that of the rows.
    random_state : int, RandomState or None, default=0
        Seed of the orders of the rows.
    variant : {"plain", "averaged"}, default="plain"
        Keep the last coefficients, or their mean over all samples seen.
    n_jobs : int or None, default=None
        Threads for the kernel matrix; None and -1 mean all cores.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: mistakes so far and seconds by epoch.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples)
        Mistakes on each training row, with the sign of its label (averaged: their mean).
    n_mistakes_ : ndarray of shape (1,) or (n_classes,)
        Mistakes of each problem.
    certificate_ : Guarantee
        Mistakes, radius, margin and the bound that follows; ``certificate_.verify(X, y)`` recomputes them.
    classes_, n_iter_, n_features_in_
        As in scikit-learn; `n_iter_` is the largest number of epochs of any problem.

    Examples
    --------
    >>> from maxmargin.kernel_model import KernelPerceptron
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    >>> model = KernelPerceptron(gamma=1.0).fit(X, y)
    >>> model.predict(X)
    array([0, 0, 1, 1])
    >>> bool(model.n_mistakes_[0] <= model.certificate_.figures["bound"])
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelSumClassifier._parameter_constraints,
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "variant": [StrOptions({"plain", "averaged"})],
    }

    max_iter: int = 1000
    tol: float | None = 0.0
    shuffle: bool = True
    random_state: Any = 0
    variant: str = "plain"

    def fit(self, X: Any, y: Any) -> KernelPerceptron:
        """Train on rows X with labels y."""
        self._validate_params()
        X, y = self._training(X, y)
        self.classes_, label = encode_labels(y)
        kernel, gamma = kernel_of_fit(self, X, np.ones(len(label)))
        problems = self._problems(kernel, kernel.gram(rows_of(self.kernel, X), None, self._threads()), label)
        monitor, seconds = monitor_of(self), []
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(problems))
        runs = []
        for k, problem in enumerate(problems):
            watch, order = Stopwatch(), np.random.default_rng(seeds[k]) if self.shuffle else None
            own, start = monitor.named(self._name(k)), np.zeros(problem.n)
            runs.append(KernelPerceptronRule.solve(problem, start, self.tol, self.max_iter, own, shuffle=order))
            seconds.append(watch.seconds())
            raise_interrupt()
        monitor.close()
        keep_trace(self, monitor.trace)
        self._last = np.array([run.variables for run in runs])
        self.dual_coef_ = np.array([run.stats["mean"] for run in runs]) if self.variant == "averaged" else self._last
        self.intercept_ = self.dual_coef_.sum(axis=1) * float(self.fit_intercept)
        self.n_mistakes_ = np.array([run.stats["mistakes"] for run in runs])
        self.n_iter_ = max(run.iterations for run in runs)
        self.X_fit_, self._gamma = X, gamma
        records = [
            Record(int(run.stats["mistakes"]), run.iterations, run.status, self._name(k), seconds[k])
            for k, run in enumerate(runs)
        ]
        self.certificate_ = Guarantee.of_model(self._proofs(problems, records), self._recertify)
        self._warn()
        return self

    @property
    def margin_width_(self) -> np.ndarray:
        """Twice the distance in feature space of the nearest training row from the decision boundary.

        It is 0 where the classes are not separated.
        """
        check_is_fitted(self)
        parts = self.certificate_.problems or (self.certificate_,)
        parted = np.array([part.figures["training errors"] == 0 for part in parts])
        values, lengths = self._own_values()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(parted, 2.0 * np.abs(values).min(axis=1) / lengths, 0.0)

    def _problems(self, kernel: Kernel, gram: Gram, label: np.ndarray) -> list[KernelSeparation]:
        K, basis = np.ascontiguousarray(gram.whole(np.float64)), definiteness(kernel, gram).basis
        K = _with_constant(K) if self.fit_intercept else K
        return [KernelSeparation(K, sign, basis) for sign in self._signs(label)]

    def _proofs(self, problems: list[KernelSeparation], records: list[Record]) -> list[Guarantee]:
        proofs = []
        for problem, last, kept, record in zip(problems, self._last, self.dual_coef_, records, strict=True):
            proofs.append(mistake_guarantee(problem, last, kept, record))
            raise_interrupt()
        return proofs

    def _warn(self) -> None:
        worst = self.certificate_.worst
        if worst.status is Status.CONVERGED or self.tol is None:
            return
        other = "another kernel" if self.variant == "averaged" else "variant='averaged' or another kernel"
        epochs = counted(worst.iterations, "epoch")
        warn(
            f"KernelPerceptron ended as '{worst.status}' ({worst.label}) after {epochs}, none of them "
            f"with at most tol={self.tol:g} mistakes a row. If no plane in feature space separates the "
            f"classes, use {other}; else raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )

    # ---------------------------------------------------------------- the proof

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        """Every figure again, from the model alone. Another number of rows is the caller's error."""
        check_is_fitted(self)
        if sample_weight is not None:
            raise ValueError("sample_weight must be None: a perceptron is trained without weights.")
        X, y = self._validate_for_predict(X), column_or_1d(y, warn=True)
        check_same_rows(np.shape(self.dual_coef_)[-1], X.shape[0], len(y))
        try:
            found = self._recomputed(X, y)
        except Exception:  # a model that cannot even be evaluated was never fitted like that
            found = None
        if found is None:
            words = "the model cannot have been fitted like this."
            return replace(self.certificate_, status=Status.REFUTED, holds=False, statement=words)
        return Guarantee.of_model(found)

    def _recomputed(self, X: Any, y: np.ndarray) -> list[Guarantee] | None:
        classes, label = encode_labels(y)
        last, kept, b = (np.asarray(part) for part in (self._last, self.dual_coef_, self.intercept_))
        count = 1 if len(classes) == 2 else len(classes)
        claims = self.certificate_.problems or (self.certificate_,)
        fits = (
            np.array_equal(classes, self.classes_)
            and last.shape == kept.shape == (count, len(y))
            and len(claims) == count
        )
        fits = fits and are_floats(last, kept, b) and b.shape == (count,)
        fits = fits and bool(np.isfinite(last).all() and np.isfinite(kept).all() and np.isfinite(b).all())
        fits = fits and same_rows(self.X_fit_, X) and (self.variant == "averaged" or np.array_equal(last, kept))
        if not fits or abs(stated_gamma(self, X, np.ones(len(y))) - self._gamma) > 1e-9 * abs(self._gamma):
            return None
        if not np.allclose(b, kept.sum(axis=1) * float(self.fit_intercept), rtol=1e-9, atol=1e-9):
            return None
        signs = np.array(self._signs(label))
        # a coefficient is the number of mistakes on a sample, with the sign of its label
        counts = last * signs
        if (counts < 0).any() or (counts % 1).any() or not np.array_equal(counts.sum(axis=1), self.n_mistakes_):
            return None
        kernel = self._fitted_kernel()
        gram = kernel.audit_gram(rows_of(self.kernel, X))
        problems = self._problems(kernel, gram, label)
        rounding = product_rounding(gram, kept.T).T + 2.0**-50 * len(y) * np.abs(kept).sum(axis=1, keepdims=True)
        records = [
            Record(int(self.n_mistakes_[k]), claim.iterations, claim.status, claim.label, claim.seconds)
            for k, claim in enumerate(claims)
        ]
        checked = []
        for k, (part, claim) in enumerate(zip(self._proofs(problems, records), claims, strict=True)):
            exact = ("mistakes", "radius")
            same = figures_reproduced({name: claim.figures.get(name, np.nan) for name in exact}, part.figures)
            fewest, most = error_range(problems[k], kept[k], rounding[k])
            same = same and fewest <= claim.figures.get("training errors", np.nan) <= most
            same = same and claim.figures.get("bound", -np.inf) >= part.figures["mistakes"] * (1 - 1e-9)
            broken = not same or (claim.holds and not part.holds)
            checked.append(replace(part, status=Status.REFUTED if broken else claim.status, holds=part.holds and same))
        return checked


def _with_constant(K: np.ndarray) -> np.ndarray:
    """K + 1, in portions of rows between which Ctrl-C is heard: a matrix of 12000 rows has more than a gigabyte."""
    out = np.empty_like(K)
    for a in range(0, len(K), _PORTION):
        np.add(K[a : a + _PORTION], 1.0, out=out[a : a + _PORTION])
        raise_interrupt()
    return out
