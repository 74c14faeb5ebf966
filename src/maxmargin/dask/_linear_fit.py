"""The fit of a linear machine on a cluster: partitions, one problem or many side by side, and the ordinary model."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from ..certificates import Certificate
from ..engine import Stopwatch
from ..estimators import check_every_class, conclude, monitor_of
from ..linear import LinearFormulation, Part, advice, check_finite, keep_parts
from ..losses import Loss, make_loss
from ..messages import InputError
from ..penalties import make_penalty
from ..solvers import Monitor
from ._centred import with_slopes
from ._cluster import Cluster
from ._multinomial_newton import JointFigures, MultinomialSpec, solved_jointly
from ._newton import Found, RiskFigures, solved
from ._partitions import Partitions, partitions_of
from ._passes import run_side_by_side
from ._risk_tasks import RiskSpec

# Features (times classes, where those are trained together) up to which a matrix of their number is formed.
WIDEST = 3000
# Bytes of rows within the width that may come here for the problems of a fit, where there are more features.
_ROOM = 2.0**26
_FIRST_WIDTH = 4.0  # of a hinge, in decision values: all samples are within it at the origin
_SOLVERS = {"newton", "newton-cg", "newton-cholesky", "newton_cg", "lbfgs", "liblinear", "sag", "saga", "auto"}


def fit_linear_classifier(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> None:
    """Train a classifier of the library on labels."""
    watch, formulation = Stopwatch(), model._formulation()
    _refuse_unknown(model, formulation)
    samples = partitions_of(cluster, X, y, sample_weight, "labels")
    classes = samples.classes
    assert classes is not None
    if samples.weighted:
        check_every_class(classes, np.arange(len(classes)), samples.label_sums("label_weights"))
    by_class = samples.class_weight(model.class_weight)
    own = None if model.class_weight is None else by_class
    weights = samples.label_sums("label_weights") * by_class
    note_features(model, samples)
    monitor = monitor_of(model)
    if formulation.joint == "multinomial" and len(classes) > 2:
        parts = _fit_jointly(model, formulation, samples, own, weights, monitor, watch)
    else:
        parts = _fit_each(model, formulation, samples, own, weights, monitor, watch)
    keep_parts(model, formulation, classes, by_class, samples.n, parts)
    conclude(model, [part.certificate for part in parts], monitor, False, partial(advice, model, parts))


def fit_linear_regressor(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> None:
    """Train a `LinearSVR` on targets."""
    watch = Stopwatch()
    loss, penalty = make_loss(model.loss, model.epsilon), make_penalty(model.penalty)
    formulation = LinearFormulation(loss, penalty, float(model.C), model.fit_intercept, solver=model.solver)
    _refuse_unknown(model, formulation)
    samples = partitions_of(cluster, X, y, sample_weight, "targets")
    note_features(model, samples)
    if any(fact.targets != 1 for fact in samples.facts):
        raise InputError("y must have one target a row; it has several columns.", argument="y")
    spec = RiskSpec(loss, penalty, float(model.C), model.fit_intercept)
    mean, spread = samples.target_figures()
    weight = float(model.C) * sum(fact.weight for fact in samples.facts)
    start = np.zeros(samples.d + 1)
    start[-1] = mean * model.fit_intercept
    width = 0.0 if loss.smoothness < np.inf else max(4.0 * spread, 1e-6 * max(abs(mean), 1e-300))
    wide, begin = samples.d > WIDEST, _warm(model, samples, start)
    figures = RiskFigures(penalty, model.fit_intercept, begin, weight, width, samples.reach, wide, _ROOM)
    monitor = monitor_of(model)
    solver = with_slopes(solved(figures, model.tol, model.max_iter, monitor.report))
    found = run_side_by_side(
        samples, spec, [solver], name_of(model), _answer_size(samples.d + 1, wide), lambda: monitor.was_stopped
    )
    part = _part(found[0], "", watch.seconds(), loss.piecewise_linear, wide)
    check_finite(part.theta)
    model.coef_, model.intercept_, model.solver_ = part.theta[:-1].copy(), part.theta[-1:].copy(), part.solver
    model.n_iter_ = part.certificate.iterations
    model._slopes, model._rows_seen = part.slopes, samples.n
    conclude(model, [part.certificate], monitor, False, partial(advice, model, [part]))


def name_of(model: Any) -> str:
    """What the tasks of a model's fit are called, on the dashboard."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(model).__name__).lower()


def note_features(model: Any, samples: Partitions) -> None:
    """What scikit-learn notes of the columns."""
    model.n_features_in_ = samples.d
    vars(model).pop("feature_names_in_", None)
    if samples.names is not None:
        model.feature_names_in_ = np.array(samples.names, dtype=object)


def _fit_each(
    model: Any,
    formulation: LinearFormulation,
    samples: Partitions,
    by_class: np.ndarray | None,
    weights: np.ndarray,
    monitor: Monitor,
    watch: Stopwatch,
) -> list[Part]:
    """One problem, or one a class against the rest."""
    loss, penalty, classes = formulation.loss, formulation.penalty, samples.classes
    assert classes is not None and isinstance(loss, Loss)
    wide = samples.d > WIDEST
    spec = RiskSpec(loss, penalty, formulation.strength, formulation.fit_intercept, classes, by_class)
    names = [_label(classes, k, spec.problems) for k in range(spec.problems)]
    width = 0.0 if loss.smoothness < np.inf else _FIRST_WIDTH
    weight, reach, solvers = formulation.strength * float(weights.sum()), samples.reach, []
    for k, name in enumerate(names):
        start = _warm(model, samples, np.zeros(samples.d + 1), k)
        figures = RiskFigures(penalty, formulation.fit_intercept, start, weight, width, reach, wide, _ROOM / len(names))
        own = monitor.named(name) if len(names) > 1 else monitor
        solvers.append(with_slopes(solved(figures, model.tol, model.max_iter, own.report)))
    size = _answer_size(samples.d + 1, wide)
    found = run_side_by_side(samples, spec, solvers, name_of(model), size, lambda: monitor.was_stopped)
    seconds = watch.seconds() / len(found)
    return [_part(one, name, seconds, loss.piecewise_linear, wide) for one, name in zip(found, names, strict=True)]


def _fit_jointly(
    model: Any,
    formulation: LinearFormulation,
    samples: Partitions,
    by_class: np.ndarray | None,
    weights: np.ndarray,
    monitor: Monitor,
    watch: Stopwatch,
) -> list[Part]:
    """The multinomial problem."""
    classes = samples.classes
    assert classes is not None
    k, d = len(classes), samples.d
    wide = d * k > WIDEST
    spec = MultinomialSpec(
        formulation.penalty, formulation.joint_strength, formulation.fit_intercept, classes, by_class
    )
    start = np.zeros((d + 1, k))
    if model.warm_start and hasattr(model, "coef_") and np.shape(model.coef_) == (k, d):
        start = np.ascontiguousarray(np.column_stack([model.coef_, model.intercept_]).T)
    totals = formulation.joint_strength * weights
    solver = solved_jointly(
        JointFigures(formulation.penalty, formulation.fit_intercept, totals, wide),
        start,
        model.tol,
        model.max_iter,
        monitor.report,
    )
    size = _answer_size((d + 1) * k, wide)
    found: Found = run_side_by_side(samples, spec, [solver], name_of(model), size, lambda: monitor.was_stopped)[0]
    evidence = found.evidence
    certificate = Certificate.of(evidence, found.status, found.iterations, watch.seconds(), "all classes")
    return [Part(found.theta.T, None, certificate, _solver_name(False, wide), rounding=evidence.rounding)]


def _solver_name(kinks: bool, wide: bool) -> str:
    return ("smoothed_newton" if kinks else "newton") + ("_cg" if wide else "")


def _answer_size(side: int, wide: bool) -> float:
    """Bytes of what a pass is answered with: a matrix of this side, or vectors where there are too many columns."""
    return 16.0 * side if wide else 8.0 * side**2


def _part(found: Found, name: str, seconds: float, kinks: bool, wide: bool) -> Part:
    certificate = Certificate.of(found.evidence, found.status, found.iterations, seconds, name)
    solver = _solver_name(kinks, wide)
    return Part(found.theta, found.rule, certificate, solver, rounding=found.evidence.rounding)


def _label(classes: np.ndarray, k: int, problems: int) -> str:
    """What a problem is called in reports and certificates, as in a fit on one machine."""
    positive, other = (1, classes[0]) if problems == 1 else (k, "the rest")
    return f"{classes[positive]} against {other}"


def _warm(model: Any, samples: Partitions, start: np.ndarray, k: int = 0) -> np.ndarray:
    """The last solution, if it is asked for."""
    if not (model.warm_start and hasattr(model, "coef_")):
        return start
    coef = np.atleast_2d(np.asarray(model.coef_))
    known = samples.classes is None or np.array_equal(model.classes_, samples.classes)
    if not known or coef.shape[1] != samples.d or k >= len(coef):
        raise InputError(
            f"warm_start=True needs the features and classes of the last fit ({coef.shape[1]} features); got "
            f"{samples.d} features. Set warm_start=False to start anew.",
            argument="warm_start",
        )
    return np.append(coef[k], model.intercept_[k] * model.fit_intercept)


def _refuse_unknown(model: Any, formulation: LinearFormulation) -> None:
    """Refuse what a cluster does not do; the estimator of the same name on one machine does it."""
    name, penalty = type(model).__name__, formulation.penalty
    wrong = ""
    if formulation.hard:
        wrong = "C=inf (the hard margin): give a finite C"
    elif formulation.joint == "crammer-singer":
        wrong = "multi_class='crammer_singer': take 'ovr'"
    elif penalty.separable is None or penalty.l1 > 0:
        wrong = f"penalty {penalty.name!r}: take 'l2'"
    elif penalty.l2 <= 0:
        wrong = "a fit without a penalty: give a finite C"
    elif model.solver not in _SOLVERS:
        wrong = f"solver={model.solver!r}: take 'auto'"
    elif model.solver_options:
        wrong = f"solver_options={model.solver_options!r}: leave them at None"
    elif model.trace:
        wrong = "trace=True: use callback"
    if wrong:
        raise InputError(f"maxmargin.dask.{name} does not take {wrong}, or use the {name} of one machine.")
