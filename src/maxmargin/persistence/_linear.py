"""What linear machines and classifiers consist of, and the state of a stream that is trained on chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..certificates import SlopeRule
from ..linear_model import (
    LinearClassifier,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
)
from ..solvers import StochasticState
from ._arrays import dense_or_csr, floats, whole
from ._common import CLASSES, FEATURES
from ._errors import Mismatch, Where, at
from ._kinds import Bool, Either, Float, Int, Items, Kind, Maybe, OrNone, Record, Text, choice
from ._plain import Plain
from ._proofs import certificates, guarantee
from ._regression import SCHEMAS as REGRESSORS
from ._schema import Entries, Let, Schema
from ._scope import Scope
from ._search import search_classifier
from ._sizes import Check, agree
from ._values import shown


class _Slopes(Kind):
    """Dual slopes: one a sample for each problem, None where the weights prove enough.

    Classes that are trained together are one problem, with one slope a sample and class.
    """

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) not in (1, scope["rows"]):
            raise Mismatch(where, f"must have one entry, or one for each class; found {shown(node)}.")
        agree(scope, "problems", len(node), where, "the number of problems")
        kind = _OwnOrRule(floats("n", "k") if len(node) == 1 and scope["k"] > 2 else floats("n"))
        return [kind.read(part, at(where, i), scope) for i, part in enumerate(node)]

    def write(self, value: Any, where: Where) -> Any:
        return [_OwnOrRule(floats("n")).write(part, at(where, i)) for i, part in enumerate(value)]


@dataclass(frozen=True)
class _OwnOrRule(Kind):
    """Slopes of one problem: one a sample, the rule that they follow from, or None."""

    own: Kind

    def write(self, value: Any, where: Where) -> Any:
        if isinstance(value, SlopeRule):
            return {name: float(getattr(value, name)) for name in _RULE}
        return super().write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if node is None:
            return None
        if not isinstance(node, dict):
            return self.own.read(node, where, scope)
        if set(node) != set(_RULE) or not all(type(number) in (int, float) for number in node.values()):
            raise Mismatch(where, f"must be the rule of slopes; found {shown(node)}.")
        rule = SlopeRule(**{name: float(node[name]) for name in _RULE})
        if not rule.is_sound():
            raise Mismatch(where, f"is a rule of slopes that no fit has left; found {shown(node)}.")
        return rule


_RULE = ("width", "positive", "negative", "shift")


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


_DIRECTIONS = ("plain", "momentum", "nesterov", "rmsprop", "adam")
_STREAM: dict[str, Kind] = {
    "theta": floats(lambda s: s["d"] + 1),
    "batch_size": Int(1),
    "direction": choice(*_DIRECTIONS),
    "decays": Items(Float(0.0), 3, tuple),
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


def _stream_of(scope: Scope) -> StochasticState:
    state = StochasticState(scope.values["theta"])
    for name, value in scope.values.items():
        setattr(state, name, value)
    return state


_STATE = Record(StochasticState, _STREAM, shares=["d"], make=_stream_of, absent={"decays": [0.9, 0.999, 1e-8]})

CLASSIFIER: Entries = (
    *FEATURES,
    *CLASSES,
    Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
    Let("rows", lambda s: 1 if s["k"] == 2 else s["k"]),
    ("class_weight_", floats("k", low=0)),
    ("coef_", dense_or_csr("rows", "d", ("float64",))),
    ("intercept_", floats("rows")),
    ("_rows_seen", Int(1, binds="n")),
    ("_slopes", _Slopes()),
    ("n_iter_", Either(lambda node, s: whole("problems", low=0) if isinstance(node, np.ndarray) else Int())),
    ("fit_status_", Int(0, 1)),
    ("solver_", Text()),
    ("certificate_", certificates("problems")),
    ("_streams", Maybe(Items(_STATE, "rows"))),
)

REGRESSOR: Entries = (
    *FEATURES,
    ("coef_", floats("d")),
    ("intercept_", floats(1)),
    ("_rows_seen", Int(1, binds="n")),
    ("_slopes", _OwnOrRule(floats("n"))),
    ("n_iter_", Int()),
    ("fit_status_", Int(0, 1)),
    ("solver_", Text()),
    ("certificate_", certificates(1)),
)


_PERCEPTRON: Entries = (
    *FEATURES,
    *CLASSES,
    Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
    Let("rows", lambda s: 1 if s["k"] == 2 else s["k"]),
    ("_last", floats("rows", lambda s: s["d"] + 1)),
    ("coef_", floats("rows", "d")),
    ("intercept_", floats("rows")),
    ("_lengths", floats("rows", low=0)),
    ("n_mistakes_", whole("rows", low=0)),
    ("n_iter_", Int()),
    ("t_", Float(0.0)),
    ("_steps", Int()),
    ("_class_weights", Plain()),
    Check(
        lambda s: (
            s.values["_class_weights"] is None
            or isinstance(s.values["_class_weights"], dict)
            or s.values["_class_weights"] == "balanced"
        ),
        "has weights of classes that are neither numbers by class nor balanced.",
    ),
    ("_whole", OrNone(Int(1))),
    ("_claims", Items(Bool(), "rows")),
    ("certificate_", guarantee(problems="rows")),
)


SCHEMAS = [
    Schema("maxmargin.linear_model.LinearClassifier", LinearClassifier, CLASSIFIER),
    Schema("maxmargin.linear_model.LogisticRegression", LogisticRegression, CLASSIFIER),
    Schema("maxmargin.linear_model.Perceptron", Perceptron, _PERCEPTRON),
    search_classifier(
        "maxmargin.linear_model.LogisticRegressionCV",
        LogisticRegressionCV,
        "maxmargin.linear_model.LogisticRegression",
        None,
    ),
    *REGRESSORS,
]
