"""Whether a model is the one that its training rows give: it is fitted again, and all it predicts from is compared.

The fits of trees and ensembles are deterministic, given the seeds that the model keeps. So nothing that is changed
afterwards goes unnoticed, not even a threshold that is moved between two training values: no row of the training set
changes sides then, but new ones do. Attributes of the claimed model are read and compared, and never used: whatever
they have become, nothing is computed with them.

Learners of other libraries need not be deterministic, and what they predict from is not known. They are compared by
what they say of the training rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import Guarantee, NotReproducibleError, Status

# Relative difference of numbers that is rounding, on another processor say; and that of other libraries' predictions.
ROUNDING, _FOREIGN = 1e-9, 1e-6
# The proof is recomputed; neither the template of the learners nor the trace, with its wall-clock times, is predicted
# from.
_SKIPPED = ("certificate_", "estimator_", "trace_")
_OWN = ("maxmargin.tree.", "maxmargin.ensemble.")

Probe = Callable[[Any], Any]


def is_deterministic(learner: Any) -> bool:
    """Whether a learner is a tree or an ensemble of this library, and hence the same after every fit."""
    return type(learner).__module__.startswith(_OWN)


def first_difference(claimed: Any, again: Any, probe: Probe | None = None, where: str = "") -> str | None:
    """The place of the first difference between two fitted models, None if there is none.

    `probe` gives what a learner of another kind says of the training rows.
    """
    if claimed is again:
        return None
    if hasattr(again, "get_params"):
        return _of_estimators(claimed, again, probe, where)
    if isinstance(again, np.ndarray) or np.isscalar(again) or again is None:
        return None if _same_values(claimed, again, where) else where
    if isinstance(again, (list, tuple)):
        if not isinstance(claimed, (list, tuple)) or len(claimed) != len(again):
            return where
        places = (
            first_difference(a, b, probe, f"{where}[{i}]") for i, (a, b) in enumerate(zip(claimed, again, strict=True))
        )
        return next((place for place in places if place), None)
    if isinstance(again, dict):
        if not isinstance(claimed, dict) or claimed.keys() != again.keys():
            return where
        places = (first_difference(claimed[key], again[key], probe, f"{where}[{key!r}]") for key in again)
        return next((place for place in places if place), None)
    if type(claimed) is not type(again):
        return where
    # what is cached in the claimed one is used in predictions, too
    return _of_attributes(claimed, again, {*vars(again), *vars(claimed)}, probe, where)


def _of_estimators(claimed: Any, again: Any, probe: Probe | None, where: str) -> str | None:
    if type(claimed) is not type(again):
        return where or "the class"
    if not is_deterministic(again):
        return None if probe is None or _says_the_same(claimed, again, probe) else where
    shadows = [name for name in vars(claimed) if callable(getattr(type(claimed), name, None))]
    if shadows:
        return f"{where}.{shadows[0]}".lstrip(".")
    names = set(vars(again)) - set(again.get_params(deep=False)) - set(_SKIPPED)
    if "feature_names_in_" not in vars(claimed):  # it was fitted on rows without names
        names.discard("feature_names_in_")
    return _of_attributes(claimed, again, names, probe, where)


def _of_attributes(claimed: Any, again: Any, names: set[str], probe: Probe | None, where: str) -> str | None:
    for name in sorted(names):
        place = f"{where}.{name}".lstrip(".")
        if not hasattr(again, name):
            return place
        try:
            ours = getattr(claimed, name)
        except Exception:  # missing, or computed when it is asked for from something that no longer fits
            return place
        found = first_difference(ours, getattr(again, name), probe, place)
        if found:
            return found
    return None


def _says_the_same(claimed: Any, again: Any, probe: Probe) -> bool:
    expected = np.asarray(probe(again))
    try:
        said = np.asarray(probe(claimed))
    except Exception:  # a learner that has been tampered with may fail in any way
        return False
    if said.shape != expected.shape:
        return False
    if expected.dtype.kind != "f":
        return bool((said == expected).all())
    size = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    return bool(np.isclose(said, expected, rtol=_FOREIGN, atol=_FOREIGN * size, equal_nan=True).all())


def _same_values(claimed: Any, again: Any, where: str) -> bool:
    """Numbers are equal but for rounding, everything else is equal."""
    if again is None or claimed is None:
        return again is claimed
    try:
        ours, theirs = np.asarray(claimed), np.asarray(again)
    except ValueError:  # lists of different lengths
        return False
    if ours.shape != theirs.shape:
        return False
    if ours.dtype.names != theirs.dtype.names:
        return False
    if theirs.dtype.names is not None:
        return all(_same_values(ours[name], theirs[name], name) for name in theirs.dtype.names)
    if theirs.dtype.kind != "f" and ours.dtype.kind != "f":
        return bool(np.all(ours == theirs))
    if not all(part.dtype.kind in "fiub" for part in (ours, theirs)):
        return False
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(theirs)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return False
    # sums that should be zero are rounding errors of the others; thresholds are values of columns, each of its own size
    size = 0.0 if "threshold" in where else 1e-14 * np.abs(theirs[finite]).max(initial=0.0)
    return bool(np.isclose(ours[finite], theirs[finite], rtol=ROUNDING, atol=size).all())


def same_figures(claim: Guarantee, found: Guarantee) -> bool:
    """Whether the recomputed figures are those that were claimed."""
    if claim.figures.keys() != found.figures.keys() or claim.kind != found.kind:
        return False
    if claim.holds and not found.holds:
        return False
    pairs: list[tuple[Any, Any]] = [(claim.figures[name], value) for name, value in found.figures.items()]
    pairs += [(getattr(claim, name), part) for name, part in vars(found).items() if isinstance(part, np.ndarray)]
    return all(np.shape(ours) == np.shape(theirs) and _near(ours, theirs) for ours, theirs in pairs)


def _near(ours: Any, theirs: Any) -> bool:
    return bool(np.isclose(ours, theirs, rtol=1e-6, atol=1e-9, equal_nan=True).all())


def refit_and_compare(
    claimed: Any, fit: Callable[[], Any], learner: Any, probe_of: Callable[[Any], Probe]
) -> tuple[Any, str | None]:
    """A model fitted again, and the place of the first difference from the claimed one.

    `probe_of` makes a probe (see `first_difference`) of the model fitted again. A learner of another kind that differs
    from fit to fit is not held against the model; one that cannot be fitted any more is.
    """
    try:
        again = fit()
    except Exception as error:
        if is_deterministic(learner) or isinstance(error, MemoryError):
            raise
        raise NotReproducibleError(f"a learner cannot be fitted on these rows again: {error}") from error
    probe = probe_of(again)
    where = first_difference(claimed, again, probe)
    if where is not None and not is_deterministic(learner) and first_difference(again, fit(), probe) is not None:
        where = None
    return again, where


def refuted(proof: Guarantee, where: str) -> Guarantee:
    """The guarantee of a model that is not what its training rows give."""
    words = f"Refuted: {where} is not what a fit on these rows, targets and weights gives."
    return replace(proof, holds=False, status=Status.REFUTED, statement=words)


def confirm_or_refute(claim: Guarantee, found: Guarantee, where: str | None) -> Guarantee:
    """The recomputed guarantee, refuted if the model or its figures are others."""
    if where is None and not same_figures(claim, found):
        where = "a figure of the certificate"
    return found if where is None else refuted(found, where)
