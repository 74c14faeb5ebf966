"""The certificate of a fitted model, recomputed from the model alone on rows that are on a cluster."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import dask
import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import linear_model, svm
from ..certificates import (
    Certificate,
    Guarantee,
    ModelCertificate,
    RiskEvidence,
    SlopeRule,
    are_floats,
    balanced_rule,
    confirmed_by,
    evidence_of_classes,
    evidence_of_parts,
    refuted,
    risk_part,
)
from ..cluster import KMeans
from ..engine import interruptible
from ..ensemble import SummedBags
from ..estimators import check_same_rows
from ..linear import LinearClassifierMachine, LinearFormulation
from ..losses import Loss, make_loss
from ..messages import InputError
from ..penalties import make_penalty
from ._cluster import Cluster
from ._forest_fit import forest_again
from ._kmeans_verify import kmeans_again
from ._large_verify import large_again
from ._multinomial_newton import balanced_shift
from ._multinomial_tasks import JointProof, MultinomialSpec
from ._part import Part
from ._partitions import Partitions, partitions_of
from ._passes import run_side_by_side
from ._ridge_verify import ridge_again
from ._risk_tasks import Proof, RiskSpec, SumOfSlopes

_BISECTIONS = 60
# A weighted sum of slopes below this fraction of its terms is zero, as it is on one machine.
_BALANCED = 1e-13


@interruptible
def verify(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None
) -> ModelCertificate | Guarantee:
    """Recompute the certificate of a fitted model on a cluster.

    ``model.certificate_.verify(X, y)`` does this when X is a dask collection.

    Parameters
    ----------
    model : estimator
        A linear machine, a `Ridge`, `KMeans` or `LargeSVC` of the library, wherever it was fitted.
    X, y, sample_weight : dask collections
        The rows that it was trained on, in the same order.
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Returns
    -------
    ModelCertificate or Guarantee

    """
    check_is_fitted(model)
    cluster = Cluster(client)
    if isinstance(model, linear_model.Ridge):
        return ridge_again(model, cluster, X, y, sample_weight)
    if isinstance(model, KMeans):
        return kmeans_again(model, cluster, X, sample_weight)
    if isinstance(model, svm.LargeSVC):
        return _whole(model, large_again(model, cluster, X, y, sample_weight))
    if isinstance(model, svm.LinearSVR):
        return _whole(model, _regressor_again(model, cluster, X, y, sample_weight))
    if isinstance(model, LinearClassifierMachine) and hasattr(model, "_formulation"):
        return _whole(model, _classifier_again(model, cluster, X, y, sample_weight))
    if isinstance(getattr(model, "_bags", None), SummedBags):
        return forest_again(model, cluster, X, y, sample_weight)
    raise InputError(
        f"a {type(model).__name__} cannot be verified on a cluster; type model.certificate_.verify(X.compute(), "
        f"y.compute()) where the rows fit into memory."
    )


def _whole(model: Any, parts: list[Certificate]) -> ModelCertificate:
    return ModelCertificate(tuple(parts), model.certificate_._recompute)


def _classifier_again(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> list[Certificate]:
    formulation = model._formulation()
    _refuse_kinds(model, formulation)
    samples = partitions_of(cluster, X, y, sample_weight, "labels")
    claims = model.certificate_.problems
    nothing = [refuted(claim) for claim in claims]
    theta = _variables(model, samples)
    classes = np.asarray(model.classes_)
    if theta is None or not np.array_equal(classes, samples.classes):  # type: ignore[arg-type]
        return nothing
    by_class = samples.class_weight(model.class_weight)
    if not np.array_equal(by_class, np.asarray(model.class_weight_)):
        return nothing
    own = None if model.class_weight is None else by_class
    totals = samples.label_sums("label_weights") * by_class
    if formulation.joint == "multinomial" and len(classes) > 2:
        return [_jointly(model, formulation, samples, theta, own, totals)] if len(claims) == 1 else nothing
    spec = RiskSpec(formulation.loss, formulation.penalty, formulation.strength, model.fit_intercept, classes, own)
    if len(theta) != spec.problems or len(claims) != spec.problems:
        return nothing
    return _each_again(model, spec, samples, theta, model._slopes)


def _regressor_again(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> list[Certificate]:
    loss, penalty = make_loss(model.loss, model.epsilon), make_penalty(model.penalty)
    _refuse_kinds(model, LinearFormulation(loss, penalty, float(model.C), model.fit_intercept))
    samples = partitions_of(cluster, X, y, sample_weight, "targets")
    theta = _variables(model, samples)
    if theta is None or len(theta) != 1:
        return [refuted(claim) for claim in model.certificate_.problems]
    spec = RiskSpec(loss, penalty, float(model.C), model.fit_intercept)
    return _each_again(model, spec, samples, theta, [model._slopes])


def _each_again(
    model: Any, spec: RiskSpec, samples: Partitions, theta: np.ndarray, slopes: Sequence[Any]
) -> list[Certificate]:
    """The certificates of problems whose slopes follow from a rule, from the weights, or are given one a sample."""
    claims, found = model.certificate_.problems, {}
    for k, given in enumerate(slopes):
        if isinstance(given, np.ndarray):
            found[k] = _with_slopes(spec, samples, k, theta[k], given)
    asked = [k for k in range(len(theta)) if k not in found]
    solvers = [_evidence(spec, theta[k], slopes[k]) for k in asked]
    numbered = _Renumbered(spec, asked)
    for k, evidence in zip(
        asked, run_side_by_side(samples, numbered, solvers, "verify", 8.0, lambda: False), strict=True
    ):
        found[k] = evidence
    return [confirmed_by(found[k], None, theta[k], claims[k], model.tol) for k in range(len(theta))]


class _Renumbered:
    """Some of the problems of a fit, counted anew."""

    def __init__(self, spec: RiskSpec, numbers: Sequence[int]) -> None:
        self.spec, self.numbers = spec, list(numbers)

    def risks(self, part: Part, numbers: Sequence[int]) -> dict[int, Any]:
        found = self.spec.risks(part, [self.numbers[k] for k in numbers])
        return {k: found[self.numbers[k]] for k in numbers}


def _evidence(spec: RiskSpec, theta: np.ndarray, rule: SlopeRule | None) -> Generator[Any, Any, RiskEvidence]:
    if rule is None or not rule.is_sound():
        rule = yield from _feasible_rule(spec, theta)
    (sums,), _ = yield Proof(theta, rule)
    return evidence_of_parts(spec.penalty, theta, spec.fit_intercept, sums)


def _feasible_rule(spec: RiskSpec, theta: np.ndarray) -> Generator[Any, Any, SlopeRule]:
    """Derivatives of the loss at the decision values and a shift at which their weighted sum is zero."""
    rule = SlopeRule()
    if not spec.fit_intercept:
        return rule
    (total, positive, negative), _ = yield SumOfSlopes(theta, rule)
    step = -1e-3 * np.sign(total.value)
    low = high = 0.0
    if abs(total.value) <= _BALANCED * (positive.value + negative.value):
        return rule
    for _ in range(_BISECTIONS):
        (other, *_), _ = yield SumOfSlopes(theta, replace(rule, shift=float(step)))
        if total.value * other.value <= 0:
            break
        step *= 2
    low, high = sorted((0.0, float(step)))
    for _ in range(_BISECTIONS):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        (total, positive, negative), _ = yield SumOfSlopes(theta, replace(rule, shift=middle))
        rule = replace(rule, shift=middle)
        if abs(total.value) <= _BALANCED * (positive.value + negative.value):
            return rule
        low, high = (middle, high) if total.value < 0 else (low, middle)
    return balanced_rule(rule, float(total.value), float(positive.value), float(negative.value))


def _with_slopes(spec: RiskSpec, samples: Partitions, k: int, theta: np.ndarray, slopes: np.ndarray) -> RiskEvidence:
    """The evidence of slopes that a model keeps, one a sample."""
    if len(slopes) != samples.n or not np.isfinite(slopes).all():
        slopes = np.zeros(samples.n)
    pieces = np.split(slopes, samples.starts[1:])
    pairs = [
        dask.delayed(_pair, pure=True, traverse=False)(part, dask.delayed(piece, traverse=False))
        for part, piece in zip(samples.parts, pieces, strict=True)
    ]
    (sums,) = samples.cluster.total("verify-slopes", _proof_of_pair, pairs, spec, k, theta)
    return evidence_of_parts(spec.penalty, theta, spec.fit_intercept, sums)


def _pair(part: Part, slopes: np.ndarray) -> tuple:
    return part, slopes


def _proof_of_pair(pair: tuple, spec: RiskSpec, k: int, theta: np.ndarray) -> tuple:
    part, slopes = pair
    return (risk_part(spec.risks(part, [k])[k], theta, slopes),)


def _jointly(
    model: Any,
    formulation: LinearFormulation,
    samples: Partitions,
    theta: np.ndarray,
    own: np.ndarray | None,
    totals: np.ndarray,
) -> Certificate:
    """The certificate of the multinomial problem."""
    assert samples.classes is not None
    strength, penalty = formulation.joint_strength, formulation.penalty
    spec = MultinomialSpec(penalty, strength, model.fit_intercept, samples.classes, own)
    variables = np.ascontiguousarray(theta.T)
    asked = _joint_evidence(spec, variables, strength * float(totals.sum()))
    (evidence,) = run_side_by_side(samples, spec, [asked], "verify", 8.0, lambda: False)
    return confirmed_by(evidence, None, variables, model.certificate_.problems[0], model.tol)


def _joint_evidence(spec: MultinomialSpec, theta: np.ndarray, size: float) -> Generator[Any, Any, RiskEvidence]:
    shift = np.zeros(theta.shape[1])
    if spec.fit_intercept:
        shift = yield from balanced_shift(theta, size)
    (sums,), _ = yield JointProof(theta, shift)
    return evidence_of_classes(spec.penalty, theta, spec.fit_intercept, sums)


def _variables(model: Any, samples: Partitions) -> np.ndarray | None:
    """One row (w, b) a problem; None if these cannot be what a fit has left. Other rows are the caller's error."""
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    coef, intercept = np.atleast_2d(coef), np.ravel(model.intercept_)
    check_same_rows(model._rows_seen, samples.n, samples.n)
    if model.n_features_in_ == coef.shape[1] != samples.d:
        raise ValueError(f"X has {samples.d} features, but the model was trained on {coef.shape[1]}.")
    fits = are_floats(coef, intercept) and coef.shape == (len(intercept), samples.d)
    fits = fits and bool(np.isfinite(coef).all() and np.isfinite(intercept).all())
    if not fits or (not model.fit_intercept and intercept.any()):
        return None
    return np.column_stack([coef, intercept]).astype(np.float64)


def _refuse_kinds(model: Any, formulation: LinearFormulation) -> None:
    penalty = formulation.penalty
    joint = formulation.joint == "crammer-singer"
    averaged = any(claim.averaged is not None for claim in model.certificate_.problems)
    plain = isinstance(formulation.loss, Loss) and penalty.separable is not None
    if formulation.hard or joint or averaged or not plain or not penalty.l2 > 0 or penalty.positive:
        raise InputError(
            f"this {type(model).__name__} cannot be verified on a cluster: machines with an L2 part in their penalty, "
            f"one problem a class or the multinomial one, can. Type X.compute() and y.compute()."
        )
