"""Stability measured: one training row is replaced by a new one, and the loss changes.

Let w minimise  1/m sum_i l(w, z_i) + lambda ||w||^2  with a convex loss that is rho-Lipschitz in w, and w' the same
with one of the m rows replaced. The objective is 2 lambda-strongly convex, and the two differ in one term:

    lambda ||w - w'||^2  <=  2 rho ||w - w'|| / m,   hence   ||w - w'|| <= 2 rho / (lambda m),
    |l(w', z) - l(w, z)|  <=  rho ||w - w'||  <=  2 rho^2 / (lambda m)      for every row z.

The mean over replacements of l(w', z_i) - l(w, z_i), of the row that was taken out, estimates how much larger the loss
is on new rows than on training rows (Shalev-Shwartz and Ben-David 2014, theorem 13.2): stable learners do not overfit.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, indexable

from ..bounds import stability_bound
from ..certificates import rounded_up
from ..data import canonical
from ..losses import Loss, make_loss
from ._theory import RegularisedRisk, regularised_risk


@dataclass(frozen=True, repr=False)
class Stability:
    """How much a learner depends on a single row.

    Attributes
    ----------
    loss : str
        Whose change is measured.
    changes : ndarray of shape (n_replacements,)
        Loss of the row that was taken out, after its replacement less before.
    largest : ndarray of shape (n_replacements,)
        Largest absolute change of the loss of any row, in training or new.
    training_loss, new_loss : float
        Means over the training rows and over the rows that were held out, of the model on all training rows.
    bound : float or None
        2 rho^2 / (lambda m), which no change can exceed; None where the theorem says nothing.
    lipschitz, regularisation : float or None
        rho and lambda in it.
    samples : int
        m, the training rows.
    reason : str
        Why there is no bound; empty if there is one.
    slack : float
        What the tolerance of the solver adds to the bound.

    """

    loss: str
    changes: np.ndarray = field(compare=False)
    largest: np.ndarray = field(compare=False)
    training_loss: float
    new_loss: float
    bound: float | None
    lipschitz: float | None
    regularisation: float | None
    samples: int
    reason: str
    slack: float = 0.0

    @property
    def mean_change(self) -> float:
        """Estimate of how much larger the loss is on new rows than on training rows."""
        return float(self.changes.mean())

    @property
    def standard_error(self) -> float:
        """Of `mean_change`."""
        return float(self.changes.std(ddof=1) / np.sqrt(len(self.changes))) if len(self.changes) > 1 else float("nan")

    @property
    def holds(self) -> bool | None:
        """Whether every change is within the bound; None without a bound."""
        return None if self.bound is None else bool(self.largest.max() <= self.bound + self.slack)

    def __str__(self) -> str:
        lines = [
            f"{self.loss} loss, {self.samples} training rows, {len(self.changes)} replacements",
            f"  mean change         {self.mean_change:>10.4g} +- {self.standard_error:.2g}",
            f"  largest change      {self.largest.max():>10.4g}, of any row by any replacement",
            f"  new less training   {self.new_loss - self.training_loss:>10.4g}, {self.new_loss:.4g} less "
            f"{self.training_loss:.4g}",
        ]
        if self.bound is None:
            return "\n".join([*lines, f"  no bound            {self.reason}"])
        rho, lam = self.lipschitz, self.regularisation
        kept = "holds" if self.holds else "is exceeded"
        bound = f"  bound 2 rho^2/(lambda m) {rounded_up(self.bound, 4)} {kept}"
        return "\n".join([*lines, f"{bound}, with rho {rho:.4g} and lambda {lam:.4g}"])

    __repr__ = __str__


def stability(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_replacements: int = 30,
    test_size: float | int = 0.25,
    loss: str = "auto",
    random_state: Any = None,
) -> Stability:
    """Replace training rows one at a time, train again, and see how the loss changes; beside what theory allows.

    Parameters
    ----------
    estimator : classifier or regressor
        What is trained; a copy of it each time.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their targets or labels.
    n_replacements : int, default=30
        How many rows are replaced, one at a time.
    test_size : float or int, default=0.25
        Rows that are held out and replace others.
    loss : {"auto", "zero_one", "squared"} or a name of `maxmargin.losses.LOSSES`, default="auto"
        What is measured: with "auto" the loss that the estimator minimises where the theorem is about it, else errors
        of classifiers and squared errors of regressors. Losses of decision values are for two classes.
    random_state : int, RandomState or None, default=None
        Of the rows that are held out, taken out and put in.

    Returns
    -------
    Stability
        Its bound is that of `maxmargin.bounds.stability_bound`. It is there for linear machines of two classes (or of
        values) with the L2 penalty, without intercept and class weights, and with a loss of bounded slope.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.diagnostics import stability
    >>> from maxmargin.linear_model import LinearClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearClassifier(loss="hinge", C=0.001, fit_intercept=False)
    >>> found = stability(model, scale(X), y, n_replacements=5, random_state=0)
    >>> found.holds
    True
    """
    if isinstance(n_replacements, bool) or not isinstance(n_replacements, (int, np.integer)) or n_replacements < 1:
        raise ValueError(f"n_replacements must be a whole number of at least 1; got {n_replacements!r}.")
    X, y = indexable(canonical(X), y)
    y, generator = np.asarray(y), check_random_state(random_state)
    labels = y if is_classifier(estimator) else None
    rows, new = train_test_split(
        np.arange(len(y)), test_size=test_size, stratify=labels, random_state=generator.randint(2**31 - 1)
    )
    known = regularised_risk(estimator, X, y, len(rows))
    measure = _measure(estimator, loss, known, y)
    model = _fitted(estimator, X, y, rows)
    before, changes, largest, gaps = measure(model, X, y), [], [], [_gap(model)]
    for _ in range(n_replacements):
        place, put_in = generator.randint(len(rows)), new[generator.randint(len(new))]
        changed = rows.copy()
        changed[place] = put_in
        again = _fitted(estimator, X, y, changed)
        after = measure(again, X, y)
        changes.append(after[rows[place]] - before[rows[place]])
        largest.append(np.abs(after - before).max())
        gaps.append(_gap(again))
    name = measure.name
    bound, slack, reason = None, 0.0, known.reason
    if known.lipschitz is not None and name == known.loss:
        bound = stability_bound(known.lipschitz, known.regularisation, len(rows))
        # ||w - w*||^2 <= gap / lambda, on both sides, with the gap of the mean
        slack = 2 * known.lipschitz * float(np.sqrt(max(gaps) * known.factor / known.regularisation))
    elif not reason:
        reason = f"the theorem is about the {known.loss} loss"
    return Stability(
        loss=name,
        changes=np.array(changes),
        largest=np.array(largest),
        training_loss=float(before[rows].mean()),
        new_loss=float(before[new].mean()),
        bound=bound,
        lipschitz=known.lipschitz if bound is not None else None,
        regularisation=known.regularisation if bound is not None else None,
        samples=len(rows),
        reason=reason if bound is None else "",
        slack=slack,
    )


def _fitted(estimator: Any, X: Any, y: np.ndarray, rows: np.ndarray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # their gap is in the slack
        return clone(estimator).fit(_safe_indexing(X, rows), y[rows])


def _gap(model: Any) -> float:
    """By how much the objective of the fit can be above its minimum."""
    gap = float(getattr(getattr(model, "certificate_", None), "gap", 0.0))
    return max(gap, 0.0)


class _Measure:
    """The loss of each row, by its name."""

    def __init__(self, name: str, loss: Loss | None) -> None:
        self.name, self.loss = name, loss

    def __call__(self, model: Any, X: Any, y: np.ndarray) -> np.ndarray:
        if self.name == "zero_one":
            return (model.predict(X) != y).astype(np.float64)
        if self.loss is None or self.loss.kind != "classification":
            said = np.asarray(model.predict(X), dtype=np.float64)
            return (said - y) ** 2 if self.loss is None else self.loss.value(said, np.asarray(y, dtype=np.float64))
        return self.loss.value(model.decision_function(X), np.where(y == model.classes_[1], 1.0, -1.0))


def _measure(estimator: Any, loss: str, known: RegularisedRisk, y: np.ndarray) -> _Measure:
    if loss == "auto":
        loss = known.loss if known.lipschitz is not None else "zero_one" if is_classifier(estimator) else "squared"
    if loss in ("zero_one", "squared"):
        if (loss == "zero_one") != is_classifier(estimator):
            raise ValueError(f'loss="{loss}" is not one of {type(estimator).__name__}s.')
        return _Measure(loss, None)
    made = make_loss(loss, known.epsilon)
    if made.kind == "classification" and (not is_classifier(estimator) or len(np.unique(y)) != 2):
        raise ValueError(f"the {loss} loss is one of classifiers of two classes.")
    if made.kind != "classification" and is_classifier(estimator):
        raise ValueError(f"the {loss} loss is one of regressors.")
    return _Measure(made.name, made)
