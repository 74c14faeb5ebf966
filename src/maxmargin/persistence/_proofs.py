"""Certificates and guarantees in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..certificates import DEFINITENESS, AveragedGuarantee, Certificate, Guarantee, ModelCertificate, Status
from ._errors import Mismatch, Where
from ._kinds import Around, Bool, Float, Int, Items, Kind, Named, OrNone, Record, Text, choice
from ._recursion import Parts
from ._scope import Scope
from ._sizes import Check, Size, agree
from ._values import shown

_FIGURE = Float(finite=False, nan=True)


class _Status(Kind):
    """How a fit ended, by its word."""

    def read(self, node: Any, where: Where, scope: Scope) -> Status:
        try:
            return Status(node)
        except ValueError:
            raise Mismatch(where, f"must be a status; found {shown(node)}.") from None


_FIGURES = ("primal", "dual", "gap", "relative_gap", "kkt_violation")
_COMMON: dict[str, Kind] = {"iterations": Int(), "seconds": Float(0.0), "label": Text(), "status": _Status()}
# The proof of one binary problem; files of version 1 do not say why its kernel matrix is positive semi-definite.
# What it assumes of functions of the user's own is not written: a file does not hold those either.
_AVERAGED = Record(
    AveragedGuarantee,
    {
        **dict.fromkeys(("radius", "lipschitz", "bound", "primal", "eta"), _FIGURE),
        "steps": Int(),
        "certain": Bool(),
    },
)
CERTIFICATE = Record(
    Certificate,
    {
        **dict.fromkeys(_FIGURES, _FIGURE),
        **_COMMON,
        "definiteness": choice(*DEFINITENESS),
        "averaged": OrNone(_AVERAGED),
        "confidence": Float(0.0, 1.0),
    },
    forgets=frozenset({"assumes"}),
    absent={"definiteness": "assumed", "averaged": None, "confidence": 1.0},
)


@dataclass(frozen=True)
class _Proof(Around):
    """A certificate; in its place it is bound to its model again, which can then verify it."""

    problems: Size = None

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        proof = yield super().read(node, where, scope)
        if isinstance(proof, ModelCertificate) and not proof.problems:
            raise Mismatch(where, "holds no certificate.")
        agree(scope, self.problems, max(1, len(proof.problems)), where, "the number of certificates")
        return proof

    def settle(self, part: Any, model: Any) -> Any:
        if isinstance(part, ModelCertificate) and not hasattr(model, "kernel"):
            part = replace(part, problems=tuple(replace(p, definiteness="known") for p in part.problems))
        return replace(part, _recompute=model._recertify)


def certificates(problems: Size) -> Kind:
    """The certificate of a model with so many binary problems, one for each."""
    listed = Items(
        CERTIFICATE, out=_model_certificate, of=(ModelCertificate,), parts=lambda certificate: certificate.problems
    )
    return _Proof(listed, problems)


def _model_certificate(problems: Any) -> ModelCertificate:
    return ModelCertificate(tuple(problems))


def guarantee(of: type[Guarantee] = Guarantee, extra: Mapping[str, Kind] | None = None, problems: Size = None) -> Kind:
    """The guarantee of a model, of a subclass with arrays of its own where `extra` names them."""

    def record(parts: Items) -> Record:
        kinds: dict[str, Kind] = {
            "name": Text(),
            "statement": Text(),
            "holds": Bool(),
            "kind": choice("proof", "estimate", "nothing"),
            "figures": Named(_FIGURE),
        }
        claims = Check(lambda s: not s.values["holds"] or s.values["kind"] == "proof", "holds, and is no proof.")
        kinds |= {**_COMMON, "problems": parts, **(extra or {})}
        return Record(of, kinds, [claims], None, forgets=frozenset({"_recompute"}))

    alone = record(Items(Bool(), 0, tuple))
    return _Proof(record(Items(alone, out=tuple)), problems)
