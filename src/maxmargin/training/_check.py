"""The proof of a saved model, recomputed from its data, and what that says of the one that was claimed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from sklearn.pipeline import Pipeline

from ..certificates import (
    CLAIM_WORDS,
    ESTIMATE,
    FIGURE_WORDS,
    REPRODUCED,
    ModelCertificate,
    Status,
    not_reproduced,
    rounded_up,
)
from ..svm import is_large
from ..tables import TableError
from ._account import split_account, usable_account
from ._evaluate import fitting_rows
from ._table import Divided, TrainingTable, divide_table, open_table, rows_fingerprint, split_again
from ._target import Target, read_target
from ._training import Split, TrainingError

# From this relative gap on, the distance from the optimum is told in words: "within the tolerance" would hide it.
_FAR = 1e-2


def verdict(model: Any, found: Any, claimed: dict[str, Any]) -> tuple[bool, str]:
    """Whether what was recomputed bears out the model's certificate and the account of it, and why.

    Parameters
    ----------
    model : estimator
        Whose certificate it is.
    found : ModelCertificate or Guarantee
        What was recomputed.
    claimed : dict
        The figures in the account of the training.

    """
    if not isinstance(found, ModelCertificate):
        right = bool(found.holds) or found.kind == ESTIMATE
        return right and found.status is not Status.REFUTED, f"{found.name}: {found.statement}".rstrip(".")
    if found.status is Status.REFUTED:
        return False, f"the certificate is refuted: {_refutation(model, found)}"
    differing = _unlike_the_account(model, found, claimed)
    if differing:
        return False, f"the account of the training is refuted: {differing}"
    if found.status is Status.STATIONARY:
        return False, (
            "no bound: the kernel is not positive semi-definite. The figures are reproduced and the optimality "
            "conditions hold, but a better model may exist anywhere"
        )
    gap = f"the relative duality gap is {found.relative_gap:.2e}"
    if found.status is Status.STALLED and model.certificate_.status is Status.CONVERGED:
        return False, f"rounding errors are larger than the tolerance here: what was claimed cannot be confirmed; {gap}"
    if found.status is not Status.CONVERGED:
        return False, f"the fit had ended as {str(found.status)!r} and claimed no optimum; {gap}"
    return True, f"recomputed from the model and its training rows, {gap}{_within(model, found)}"


def _within(model: Any, found: ModelCertificate) -> str:
    """By which tolerance it is called converged, and how far that is from the optimum."""
    words = ", within the tolerance"
    tolerance = getattr(model, "tol", None)
    if tolerance is not None:
        words += f" (largest violation {found.kkt_violation:.2e}, tol={tolerance:g})"
    elif is_large(model):
        words += f" (gap_tol={model.gap_tol:g}): the optimum of the exact machine is between the two bounds"
    if found.relative_gap > _FAR:
        words += (
            f". That is far from proven best: the optimum may be lower by {rounded_up(100 * found.relative_gap, 3)} %"
        )
    if found.definiteness == "assumed":
        words += ". It takes the kernel for positive semi-definite, which was assumed and not shown"
    return words


def _refutation(model: Any, found: ModelCertificate) -> str:
    """Which figure is not reproduced; or that the figures are, and miss the tolerance."""
    if all(math.isnan(part.primal) for part in found.problems):
        return "the parts of the model do not fit together or to these rows, and nothing could be recomputed"
    for claim, part in zip(model.certificate_.problems, found.problems, strict=False):
        for name in not_reproduced(claim, part, violation_slack=REPRODUCED * max(1.0, abs(part.kkt_violation))):
            where = f" ({part.label})" if len(found.problems) > 1 else ""
            said, is_now = getattr(claim, name), getattr(part, name)
            return f"the {CLAIM_WORDS[name]}{where} is {is_now:.10g}, where {said:.10g} was claimed"
    tolerance = getattr(model, "tol", None)
    allowed = "" if tolerance is None else f" (tol={tolerance:g})"
    return (
        f"its figures are reproduced, but do not bear it out: relative duality gap {found.relative_gap:.2e}, largest "
        f"violation {found.kkt_violation:.2e}{allowed}; or predictions are not made by the variables that they are of"
    )


def _unlike_the_account(model: Any, found: ModelCertificate, claimed: dict[str, Any]) -> str:
    """A figure of the account that is not reproduced; empty if all are.

    The account speaks of the problem that was the worst when the model was fitted. Recomputed, another one can be the
    worst: where all gaps are rounding, rounding decides.
    """
    said = {name: claimed.get(name) for name in FIGURE_WORDS}
    figures = {name: float("nan") if value is None else float(value) for name, value in said.items()}
    fitted = model.certificate_
    part = found.problems[fitted.problems.index(fitted.worst)]
    claim = replace(part, **figures)
    for name in not_reproduced(claim, part, violation_slack=math.inf):
        return f"the {CLAIM_WORDS[name]} is {getattr(part, name):.10g}, where it says {figures[name]:.10g}"
    return ""


@dataclass(frozen=True)
class Checked:
    """What became of a certificate that was recomputed.

    Attributes
    ----------
    holds : bool
        Whether the recomputed figures bear the certificate out. False, too, where nothing was claimed that could: an
        estimate, a fit that had ended early, or a kernel that is not positive semi-definite.
    certificate : ModelCertificate, Guarantee or None
        The recomputed one; None where the rows could not be prepared or are not as many as in training.
    claimed : dict
        The figures that were saved, as plain values.
    same_data : bool
        Whether the table has the fingerprint of the one that was trained on.
    same_rows : bool
        Whether the prepared training rows have the fingerprint of those that were trained on.
    reason : str
        One or two sentences.
    reproduced : bool
        Whether what was claimed came out again: a proof that holds, or an estimate with the same figures.
    verdict : str
        "Holds", "Reproduced" (of an estimate), "Cannot be checked" (the table is not that of the training), "No proof"
        (an indefinite kernel), "Nothing is claimed" or "Does not hold".

    """

    holds: bool
    certificate: Any
    claimed: dict[str, Any]
    same_data: bool
    same_rows: bool
    reason: str
    reproduced: bool = False

    @property
    def verdict(self) -> str:
        """In a word or two."""
        if self.reproduced:
            return "Holds" if self.holds else "Reproduced"
        if not (self.same_data or self.same_rows):  # other rows say nothing of the certificate of these
            return "Cannot be checked"
        kind, status = getattr(self.certificate, "kind", None), getattr(self.certificate, "status", None)
        if status is Status.STATIONARY:
            return "No proof"
        return "Nothing is claimed" if kind == "nothing" and status is not Status.REFUTED else "Does not hold"

    def __bool__(self) -> bool:
        return self.reproduced


def divide(provenance: dict[str, Any], data: Any, target: str | None = None) -> Divided:
    """Part a table into the rows that a model was trained on and those that were held out.

    Parameters
    ----------
    provenance : dict
        `Training.provenance()`, or what ``maxmargin.persistence.read_provenance`` gives.
    data : data frame or SparseTable
        The table that was trained on.
    target : str, default=None
        Name of the target column, if it has another name now.

    Returns
    -------
    Divided

    """
    table, found, split = _split_again(provenance, data, target)
    if split is None:
        raise TrainingError(_other_rows(table, provenance["split"]), argument="data")
    return divide_table(table, found, split)


def _split_again(
    provenance: dict[str, Any], data: Any, target: str | None
) -> tuple[TrainingTable, Target, Split | None]:
    """The table, its target, and the split; None if the table has other rows than that of the training."""
    account, problems = usable_account(provenance)
    try:
        settings, task, parts = account["settings"], account["task"], account["split"]
        name, columns = settings["target"], settings["columns"]
        drop = bool(settings["drop_missing_target"])
    except KeyError as error:
        why = problems[0] if problems else f"{error} is not there"
        raise TrainingError(
            f"the model has no record of a training ({why}): only a model of `train` can be checked against its table.",
            argument="provenance",
        ) from error
    table = open_table(data, name if target is None else target, columns)
    found = read_target(table.target, task, drop)
    return table, found, split_again(parts, found.y, found.rows, table.rows, found.classes is not None)


def check(model: Any, provenance: dict[str, Any], data: Any, target: str | None = None) -> Checked:
    """Recompute the certificate of a trained model on the training rows of its table.

    The split is made again by its seed, the rows are prepared by the model, and every figure of the certificate is
    computed afresh from them and the model's own numbers.

    Parameters
    ----------
    model : Pipeline
        As `train` makes it, or as it was loaded.
    provenance : dict
        `Training.provenance()`, or what ``maxmargin.persistence.read_provenance`` gives.
    data : data frame or SparseTable
        The table that it was trained on.
    target : str, default=None
        Name of the target column, if it has another name now.

    Returns
    -------
    Checked

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from maxmargin.training import check, train
    >>> table = load_wine(as_frame=True).frame
    >>> training = train(table, "target", model="svc", C=1.0, gamma=0.1)
    >>> check(training.model, training.provenance(), table).holds
    True
    >>> check(training.model, training.provenance(), table[:-5]).holds
    False

    """
    table, found, split = _split_again(provenance, data, target)
    account, problems = usable_account(provenance)
    if not isinstance(model, Pipeline) or not hasattr(model[-1], "certificate_") or "certificate" not in account:
        why = f" ({problems[0]})" if problems else ""
        words = f"the model is not one of `train`: it or its account has no certificate{why}."
        raise TrainingError(words, argument="model")
    claimed = dict(account["certificate"])
    prints = account.get("fingerprint") or {}
    same_data = table.fingerprint == prints.get("data")
    if split is None or split_account(split)["digest"] != account["split"]["digest"]:
        return Checked(False, None, claimed, same_data, False, _other_rows(table, account["split"]))
    y = found.of(split.train_rows)
    try:
        X = model[:-1].transform(fitting_rows(model, table, split.train_rows))
    except TableError as error:
        return Checked(False, None, claimed, same_data, False, f"the rows cannot be prepared: {error}")
    same_rows = rows_fingerprint(X, y) == prints.get("training_rows")
    try:
        certificate = model[-1].certificate_.verify(X, y)
    except ValueError as error:
        return Checked(False, None, claimed, same_data, same_rows, f"the certificate cannot be recomputed: {error}")
    reproduced, reason = verdict(model[-1], certificate, claimed)
    if not (reproduced or same_data or same_rows):
        reason = (
            "the table is not the one of the training: its fingerprint differs, and so do its training rows. Give the "
            f"table of the training; on this one, {reason}."
        )
        return Checked(False, certificate, claimed, same_data, same_rows, reason)
    holds = reproduced and getattr(certificate, "kind", "proof") == "proof"
    reason += _about_data(same_data, same_rows)
    return Checked(holds, certificate, claimed, same_data, same_rows, reason, reproduced)


def _other_rows(table: TrainingTable, split: dict[str, Any]) -> str:
    if table.rows != split["rows"]:
        found = f"the table has {table.rows:,} rows, and that of the training had {split['rows']:,}"
    else:
        found = "the targets of the table are other ones than in the training"
    return f"{found}: the rows that were trained on cannot be found in it. Give the table of the training."


def _about_data(same_data: bool, same_rows: bool) -> str:
    if same_data:
        return "." if same_rows else ". The table is the one of training, but its rows are prepared otherwise now."
    if same_rows:
        return ". The table is not quite the one of training, but the rows that were trained on are the same."
    return ". The table is not the one of training: its fingerprint differs."
