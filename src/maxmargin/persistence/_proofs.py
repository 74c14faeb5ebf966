"""Certificates and guarantees in files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..certificates import DEFINITENESS, Certificate, Guarantee, ModelCertificate, Status
from ._errors import Mismatch, Where, at, inside
from ._kinds import Bool, Float, Int, Kind, Scope, Size, Text, choice, float_node, number_of, shown

_FIGURE = Float(finite=False, nan=True)
_PROBLEM: dict[str, Kind] = {
    "primal": _FIGURE,
    "dual": _FIGURE,
    "gap": _FIGURE,
    "relative_gap": _FIGURE,
    "kkt_violation": _FIGURE,
    "iterations": Int(),
    "seconds": Float(0.0),
    "label": Text(),
    "definiteness": choice(*DEFINITENESS),
}
_GUARANTEE: dict[str, Kind] = {
    "name": Text(),
    "statement": Text(),
    "holds": Bool(),
    "iterations": Int(),
    "seconds": Float(0.0),
    "label": Text(),
    "kind": choice("proof", "estimate", "nothing"),
}


def _status_of(node: Any, where: Where) -> Status:
    try:
        return Status(node)
    except ValueError:
        raise Mismatch(where, f"must be a status; found {shown(node)}.") from None


@dataclass(frozen=True)
class OneCertificate(Kind):
    """The proof of one binary problem."""

    def write(self, value: Any, where: Where) -> Any:
        if type(value) is not Certificate:
            raise Mismatch(where, f"must be a Certificate to be saved; found {shown(value)}.")
        node = {name: kind.write(getattr(value, name), inside(where, name)) for name, kind in _PROBLEM.items()}
        return {**node, "status": value.status.value}

    def read(self, node: Any, where: Where, scope: Scope) -> Certificate:
        if isinstance(node, dict) and "definiteness" not in node:
            node = {**node, "definiteness": "assumed"}  # files of version 1 do not say
        if not isinstance(node, dict) or set(node) != {*_PROBLEM, "status"}:
            raise Mismatch(where, f"must be a certificate; found {shown(node)}.")
        parts = {name: kind.read(node[name], inside(where, name), scope) for name, kind in _PROBLEM.items()}
        return Certificate(**parts, status=_status_of(node["status"], inside(where, "status")))


@dataclass(frozen=True)
class Certificates(Kind):
    """The proof of a model: one certificate a binary problem."""

    problems: Size

    def write(self, value: Any, where: Where) -> Any:
        if type(value) is not ModelCertificate:
            raise Mismatch(where, f"must be a ModelCertificate to be saved; found {shown(value)}.")
        return [OneCertificate().write(part, at(where, i)) for i, part in enumerate(value.problems)]

    def read(self, node: Any, where: Where, scope: Scope) -> ModelCertificate:
        if not isinstance(node, list) or not node:
            raise Mismatch(where, f"must be a list of certificates; found {shown(node)}.")
        scope.agree(self.problems, len(node), where, "the number of certificates")
        return ModelCertificate(tuple(OneCertificate().read(part, at(where, i), scope) for i, part in enumerate(node)))


@dataclass(frozen=True)
class Guaranteed(Kind):
    """A guarantee, of a subclass with arrays of its own where `extra` names them."""

    of: type[Guarantee] = Guarantee
    extra: tuple[tuple[str, Kind], ...] = ()
    problems: Size | None = None
    inner: bool = False

    def write(self, value: Any, where: Where) -> Any:
        if type(value) is not self.of:
            raise Mismatch(where, f"must be a {self.of.__name__} to be saved; found {shown(value)}.")
        known = {*_GUARANTEE, *dict(self.extra), "status", "figures", "problems", "_recompute"}
        for name in set(vars(value)) - known:
            raise Mismatch(inside(where, name), f"is a part of {self.of.__name__} that model files have no place for.")
        node = {name: kind.write(getattr(value, name), inside(where, name)) for name, kind in _GUARANTEE.items()}
        node |= {name: kind.write(getattr(value, name), inside(where, name)) for name, kind in self.extra}
        node["status"] = value.status.value
        node["figures"] = {_name(key, where): float_node(float(figure)) for key, figure in value.figures.items()}
        part = Guaranteed(self.of, self.extra, inner=True)
        node["problems"] = [part.write(p, at(inside(where, "problems"), i)) for i, p in enumerate(value.problems)]
        return node

    def read(self, node: Any, where: Where, scope: Scope) -> Guarantee:
        known = {*_GUARANTEE, *dict(self.extra), "status", "figures", "problems"}
        if not isinstance(node, dict) or set(node) != known:
            raise Mismatch(where, f"must be a {self.of.__name__}; found {shown(node)}.")
        parts = {name: kind.read(node[name], inside(where, name), scope) for name, kind in _GUARANTEE.items()}
        if parts["holds"] and parts["kind"] != "proof":
            raise Mismatch(inside(where, "holds"), f"must be false for what is no proof but {parts['kind']!r}.")
        own = Scope(sizes=dict(scope.sizes))
        parts |= {name: kind.read(node[name], inside(where, name), own) for name, kind in self.extra}
        listed = node["problems"]
        if not isinstance(listed, list) or (self.inner and listed):
            raise Mismatch(inside(where, "problems"), f"must be a list; found {shown(listed)}.")
        if self.problems is not None:
            scope.agree(self.problems, max(1, len(listed)), where, "the number of guarantees")
        part = Guaranteed(self.of, self.extra, inner=True)
        problems = tuple(part.read(p, at(inside(where, "problems"), i), scope) for i, p in enumerate(listed))
        status = _status_of(node["status"], inside(where, "status"))
        return self.of(**parts, figures=_figures(node["figures"], where), status=status, problems=problems)


def _name(key: Any, where: Where) -> str:
    if not isinstance(key, str):
        raise Mismatch(where, f"has a figure named {shown(key)}, which cannot be saved.")
    return key


def _figures(node: Any, where: Where) -> dict[str, float]:
    if not isinstance(node, dict):
        raise Mismatch(inside(where, "figures"), f"must be numbers by name; found {shown(node)}.")
    out = {}
    for name, figure in node.items():
        value = number_of(figure)
        if value is None:
            raise Mismatch(inside(where, "figures"), f"{name[:40]!r} must be a number; found {shown(figure)}.")
        out[name] = value
    return out


@dataclass(frozen=True)
class Proof(Kind):
    """A certificate; in its place it is bound to its model again, which can then verify it."""

    kind: Kind

    def write(self, value: Any, where: Where) -> Any:
        return self.kind.write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return self.kind.read(node, where, scope)

    def settle(self, part: Any, model: Any) -> Any:
        if isinstance(part, ModelCertificate) and not hasattr(model, "kernel"):
            part = replace(part, problems=tuple(replace(p, definiteness="known") for p in part.problems))
        return replace(part, _recompute=model._recertify)


def certificates(problems: Size) -> Proof:
    """The certificate of a model with so many binary problems."""
    return Proof(Certificates(problems))


def guarantee(
    of: type[Guarantee] = Guarantee, extra: tuple[tuple[str, Kind], ...] = (), problems: Size | None = None
) -> Proof:
    """The guarantee of a model."""
    return Proof(Guaranteed(of, extra, problems))
