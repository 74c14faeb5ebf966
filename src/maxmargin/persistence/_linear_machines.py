"""What linear machines consist of, and the state of a stream that is trained on chunk by chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..solvers import StochasticState
from ._arrays import Csr, floats, whole
from ._errors import Mismatch, Where, at
from ._kinds import Bool, Float, Int, Items, Kind, Maybe, OrNone, Scope, Text, choice, shown
from ._proofs import certificates
from ._schema import CLASSES, FEATURES, Check, Entries, Let, Record


class _Weights(Kind):
    """Weights as a matrix, which may be CSR after `sparsify`."""

    _dense, _csr = floats("rows", "d"), Csr("rows", "d", ("float64",))

    def write(self, value: Any, where: Where) -> Any:
        return self._dense.write(value, where) if isinstance(value, np.ndarray) else self._csr.write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        kind: Kind = self._csr if isinstance(node, dict) else self._dense
        return kind.read(node, where, scope)


class _Slopes(Kind):
    """Dual slopes: one a sample for each problem, None where the weights prove enough.

    Classes that are trained together are one problem, with one slope a sample and class.
    """

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, list):
            raise Mismatch(where, f"must be a list to be saved; found {shown(value)}.")
        return [None if part is None else floats().write(part, where) for part in value]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) not in (1, scope["rows"]):
            raise Mismatch(where, f"must have one entry, or one for each class; found {shown(node)}.")
        scope.agree("problems", len(node), where, "the number of problems")
        kind = floats("n", "k") if len(node) == 1 and scope["k"] > 2 else floats("n")
        return [None if part is None else kind.read(part, at(where, i), scope) for i, part in enumerate(node)]


class _Steps(Kind):
    """Iterations: one number, or one a problem."""

    def write(self, value: Any, where: Where) -> Any:
        return whole().write(value, where) if isinstance(value, np.ndarray) else Int().write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        kind: Kind = whole("problems", low=0) if isinstance(node, np.ndarray) else Int()
        return kind.read(node, where, scope)


class _Generator(Kind):
    """NumPy's default generator: its state has 128 bits, which JSON holds as a text."""

    def write(self, value: Any, where: Where) -> Any:
        state = value.bit_generator.state
        if state["bit_generator"] != "PCG64":
            raise Mismatch(where, f"is a generator of {state['bit_generator']}; only those of PCG64 can be saved.")
        inner = state["state"]
        return [hex(inner["state"]), hex(inner["inc"]), int(state["has_uint32"]), int(state["uinteger"])]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) != 4 or not all(_is_hex(part) for part in node[:2]):
            raise Mismatch(where, f"must be the state of a generator; found {shown(node)}.")
        if type(node[2]) is not int or type(node[3]) is not int or node[2] not in (0, 1) or not 0 <= node[3] < 2**32:
            raise Mismatch(where, f"must be the state of a generator; found {shown(node)}.")
        generator = np.random.default_rng(0)
        inner = {"state": int(node[0], 16), "inc": int(node[1], 16)}
        generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": inner,
            "has_uint32": node[2],
            "uinteger": node[3],
        }
        return generator


def _is_hex(text: Any) -> bool:
    return (
        isinstance(text, str) and text[:2] == "0x" and 2 < len(text) <= 34 and set(text[2:]) <= set("0123456789abcdef")
    )


_DIRECTIONS = ("plain", "momentum", "rmsprop", "adam")
_STREAM: dict[str, Kind] = {
    "theta": floats(lambda s: s["d"] + 1),
    "batch_size": Int(1),
    "direction": choice(*_DIRECTIONS),
    "schedule": choice("auto", "constant", "inverse", "inverse_sqrt", "theory"),
    "averages": Bool(),
    "order": choice("shuffle", "cyclic", "replacement"),
    "radius": OrNone(Float(0.0)),
    "samples": OrNone(Float(0.0)),
    "eta0": OrNone(Float(0.0)),
    "planned": OrNone(Int()),
    "steps": Int(),
    "passes": Int(),
    "slopes": floats("rows of the chunk"),
    "_total": floats(lambda s: s["d"] + 1),
    "_weight": Float(0.0),
    "_memory": floats(2, lambda s: 0 if s.values["direction"] == "plain" else s["d"] + 1),
    "_longest": Float(0.0, finite=False),
    "_rng": _Generator(),
}


def _stream_of(**parts: Any) -> StochasticState:
    state = StochasticState(parts["theta"])
    for name, value in parts.items():
        setattr(state, name, value)
    return state


CLASSIFIER: Entries = (
    *FEATURES,
    *CLASSES,
    Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
    Let("rows", lambda s: 1 if s["k"] == 2 else s["k"]),
    ("class_weight_", floats("k", low=0)),
    ("coef_", _Weights()),
    ("intercept_", floats("rows")),
    ("_rows_seen", Int(1, binds="n")),
    ("_slopes", _Slopes()),
    ("n_iter_", _Steps()),
    ("fit_status_", Int(0, 1)),
    ("solver_", Text()),
    ("certificate_", certificates("problems")),
    ("_streams", Maybe(Items(Record(_stream_of, StochasticState, _STREAM, shares=["d"]), "rows"))),
)

REGRESSOR: Entries = (
    *FEATURES,
    ("coef_", floats("d")),
    ("intercept_", floats(1)),
    ("_rows_seen", Int(1, binds="n")),
    ("_slopes", OrNone(floats("n"))),
    ("n_iter_", Int()),
    ("fit_status_", Int(0, 1)),
    ("solver_", Text()),
    ("certificate_", certificates(1)),
)
