"""What is wrong with a certificate, given the optimum.

Everything is compared exactly: floats are fractions here. The optimum is known as an interval; a figure is wrong only
if it is so for every value of that interval.
"""

import math
import warnings
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from maxmargin.certificates import NotSeparableError, Status

from .machines import distance_of_hulls, optima

_HALF_ULP = Fraction(1, 2**53)
# Squared distances of hulls below this part of the squared scale are beyond what float64 kernel values can tell.
_TOUCHING = Fraction(1, 10**11)
_KNOWN = ("linear", "poly", "rbf")


@dataclass
class Verdict:
    """What became of a problem: a word, the complaints, and how many optima there were and were not settled."""

    word: str
    complaints: list[str] = field(default_factory=list)
    optima: int = 0
    unsettled: int = 0
    bounded: int = 0  # intervals with two finite ends
    widths: list[float] = field(default_factory=list)


def judge(case):
    """Fit, prove, verify, and compare."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = case.model.fit(*_data(case), **_weighted(case))
        except NotSeparableError as error:
            return _judge_separability(case, error)
        except np.linalg.LinAlgError as error:
            return Verdict("raised", [f"fit raised LinAlgError: {error}"])
        except ValueError as error:
            return Verdict(f"refused: {str(error)[:60]}")
        except Exception as error:
            return Verdict("raised", [f"fit raised {type(error).__name__}: {error}"])
        known = optima(model, case.X, case.y, case.sample_weight)
        verdict = Verdict("judged", [], len(known), sum(not k.settled for k in known))
        _judge_proof(case, model.certificate_, known, verdict, "fit")
        try:
            again = model.certificate_.verify(case.X, case.y, case.sample_weight)
        except Exception as error:
            verdict.complaints.append(f"verify raised {type(error).__name__}: {error}")
            return verdict
        _judge_proof(case, again, known, verdict, "verify")
    return verdict


def _data(case):
    return (case.X,) if case.y is None else (case.X, case.y)


def _weighted(case):
    return {} if case.sample_weight is None else {"sample_weight": case.sample_weight}


def _judge_proof(case, proof, known, verdict, source):
    tell = lambda words: verdict.complaints.append(f"{source}: {words}")  # noqa: E731
    if hasattr(proof, "figures"):
        _judge_guarantee(proof, known[0], tell)
        return
    if len(proof.problems) != len(known):
        tell(f"{len(proof.problems)} problems instead of {len(known)}")
        return
    for k, (certificate, optimum) in enumerate(zip(proof.problems, known, strict=True)):
        where = f"problem {k} " if len(known) > 1 else ""
        for words in interval_complaints(certificate, optimum):
            tell(where + words)
        for words in status_complaints(case.model, certificate, source):
            tell(where + words)
        if source == "fit" and math.isfinite(certificate.dual) and math.isfinite(certificate.primal):
            verdict.bounded += 1
            verdict.widths.append(certificate.relative_gap)


def interval_complaints(certificate, optimum):
    """What is wrong with the figures of one certificate."""
    primal, dual, gap = certificate.primal, certificate.dual, certificate.gap
    if math.isnan(primal) or math.isnan(dual):
        if not (certificate.gap == math.inf and certificate.relative_gap == math.inf):
            yield f"primal {primal!r}, dual {dual!r}"
        return
    if dual > primal:
        yield f"dual {dual!r} > primal {primal!r} (by {dual - primal:.2g})"
    if math.isfinite(primal) and Fraction(primal) < optimum.low:
        yield f"primal {primal!r} is below the optimum by {_short(optimum.low - Fraction(primal), optimum)}"
    if math.isfinite(dual) and Fraction(dual) > optimum.high:
        yield f"dual {dual!r} is above the optimum by {_short(Fraction(dual) - optimum.high, optimum)}"
    if primal == -math.inf or dual == math.inf:
        yield f"primal {primal!r}, dual {dual!r}"
    if not gap >= 0 or not certificate.relative_gap >= 0:
        yield f"gap {gap!r}, relative gap {certificate.relative_gap!r}"
    elif math.isfinite(gap):
        yield from _gap_complaints(certificate)
    elif math.isfinite(primal) and math.isfinite(dual):
        yield f"gap {gap!r} of finite objectives"


def _gap_complaints(certificate):
    """The gap has to be the difference of the objectives, but for their own rounding, and the relative one its part."""
    primal, dual, gap = certificate.primal, certificate.dual, certificate.gap
    if not (math.isfinite(primal) and math.isfinite(dual)):
        yield f"gap {gap!r} of primal {primal!r} and dual {dual!r}"
        return
    size = max(abs(Fraction(primal)), abs(Fraction(dual)))
    difference = Fraction(primal) - Fraction(dual)
    if abs(Fraction(gap) - difference) > abs(difference) / 10**6 + 4096 * _HALF_ULP * size:
        yield f"gap {gap!r}, but primal - dual is {float(difference)!r}"
    if not math.isfinite(certificate.relative_gap):
        return
    ratio = Fraction(gap) / size if size else Fraction(0)
    if abs(Fraction(certificate.relative_gap) - ratio) > ratio / 10**6:
        yield f"relative gap {certificate.relative_gap!r}, but the gap is {float(ratio)!r} of the objective"


def status_complaints(model, certificate, source):
    """What is wrong with the status of one certificate."""
    status = certificate.status
    if status is Status.REFUTED:
        figures = f"violation {certificate.kkt_violation:.3g}, gap {certificate.relative_gap:.3g}"
        yield f"refuted ({source}): {figures}, tol {model.tol:.3g}"
    if status is Status.CONVERGED:
        if hasattr(model, "kernel"):
            if not certificate.kkt_violation <= model.tol:
                yield f"converged with violation {certificate.kkt_violation:.3g} > tol {model.tol:.3g}"
            if model.gap_tol is not None and not certificate.relative_gap <= model.gap_tol:
                yield f"converged with gap {certificate.relative_gap:.3g} > gap_tol {model.gap_tol:.3g}"
        elif not certificate.relative_gap <= model.tol:
            yield f"converged with gap {certificate.relative_gap:.3g} > tol {model.tol:.3g}"
    if certificate.definiteness == "fails":
        yield "a positive semi-definite kernel matrix is said to be indefinite"
    if status is Status.STATIONARY and getattr(model, "kernel", None) in _KNOWN:
        yield "stationary, though the kernel is known to be definite"


def _judge_guarantee(proof, optimum, tell):
    """Least squares: the objective is at most the gap above the optimum."""
    figures = proof.figures
    objective, gap = figures["objective"], figures.get("duality gap", math.inf)
    if not math.isfinite(objective):
        return
    if Fraction(objective) < optimum.low:
        tell(f"objective {objective!r} is below the optimum by {_short(optimum.low - Fraction(objective), optimum)}")
    if math.isfinite(gap) and Fraction(objective) - Fraction(gap) > optimum.high:
        short = _short(Fraction(objective) - Fraction(gap) - optimum.high, optimum)
        tell(f"objective {objective!r} less gap {gap!r} is above the optimum by {short}")
    if proof.status is Status.REFUTED:
        tell("refuted")


def _judge_separability(case, error):
    """No hard margin: the hulls of some pair of classes have to meet, as far as float64 can tell."""
    proof, distances = error.proof, distance_of_hulls(case.model, case.X, case.y, case.sample_weight)
    verdict = Verdict("not separable", [], len(distances))
    if min(low for low, _ in distances) > _TOUCHING:
        nearest = float(min(low for low, _ in distances)) ** 0.5
        verdict.complaints.append(f"not separable, but the hulls are {nearest:.2g} of the scale apart")
    for weights in (proof.positive_weights, proof.negative_weights):
        if not ((weights >= 0).all() and abs(float(weights.sum()) - 1) < 1e-9):
            verdict.complaints.append("not separable, but the weights of the proof are not convex")
    return verdict


def _short(difference, optimum):
    """A difference beside the optimum (unless that is zero but for rounding), in digits that can be read."""
    size = max(abs(optimum.low), abs(optimum.high)) if optimum.high != math.inf else abs(optimum.low)
    beside = f", {_float(difference / size):.1e} of it" if size and difference / size < 10**20 else ""
    return f"{_float(difference):.2g}{beside}"


def _float(x):
    try:
        return float(x)
    except OverflowError:
        return math.inf
