"""Whether rows can be those of the training, before a certificate is recomputed on them."""

from __future__ import annotations

from typing import Any, NoReturn

from ..certificates import Status


class TrainingDataError(ValueError):
    """Rows, labels or weights are not those that the model was trained with; or the model is not the one of its fit."""


def check_same_rows(
    seen: int | tuple[int, ...], rows: int | None = None, targets: int | None = None, *, weighted: bool = False
) -> None:
    """Refuse another number of rows than the fit has seen: the caller's error, and no refutation of the model.

    Parameters
    ----------
    seen : int or tuple of int
        Rows of the training. Of several numbers that a model tells, which a file may have made contradict each other,
        each is let pass: the proof finds the contradiction.
    rows, targets : int, optional
        Rows of X, and entries of y, that were given now.
    weighted : bool
        Whether only rows of positive weight are counted.

    """
    possible = seen if isinstance(seen, tuple) else (seen,)
    counts = [count for count in (rows, targets) if count is not None]
    if counts and len(set(counts)) == 1 and counts[0] in possible:
        return
    named = [f"{name} with {count}" for name, count in (("X", rows), ("y", targets)) if count is not None]
    kind = "rows of positive weight" if weighted else "rows"
    message = (
        f"a certificate is about the training data: expected {possible[0]} {kind}, got {' and '.join(named) or 'no y'}."
    )
    if weighted and any(count > possible[0] for count in counts):
        message += " If some weights of the fit were zero, give the same sample_weight: verify(X, y, sample_weight)."
    raise ValueError(message)


def check_training(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Refuse data on which the certificate of a model is refuted: what is read off them would not be of the fit."""
    if model.certificate_.verify(X, y, sample_weight).status is Status.REFUTED:
        refuse_training(model, sample_weight)


def refuse_training(model: Any, sample_weight: Any) -> NoReturn:
    """Raise, for data on which the certificate of a model is refuted."""
    weights = " If the fit was given a sample_weight, give the same here: kkt_cases(X, y, sample_weight)."
    raise TrainingDataError(
        f"kkt_cases is about the training data, and the certificate of this {type(model).__name__} is refuted on X, y "
        f"and sample_weight as they were given. Give those of the fit, in the same order; if they are, the model was "
        f"changed after it.{weights if sample_weight is None else ''}"
    )
