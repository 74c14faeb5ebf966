"""Losses by the names that estimators take. One line adds one."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from . import (
    _epsilon_insensitive,
    _hinge,
    _logistic,
    _perceptron,
    _squared,
    _squared_epsilon_insensitive,
    _squared_hinge,
    _zero_one,
)
from ._facts import LossFacts

# The place in this list is in the code that compiled functions know the loss by: append, do not insert.
_IN_ORDER: list[LossFacts] = [
    _zero_one.LOSS,
    _perceptron.LOSS,
    _hinge.LOSS,
    _squared_hinge.LOSS,
    _logistic.LOSS,
    _squared.LOSS,
    _epsilon_insensitive.LOSS,
    _squared_epsilon_insensitive.LOSS,
]

LOSSES: dict[str, LossFacts] = {facts.name: facts for facts in _IN_ORDER}


def _code(facts: LossFacts, place: int) -> tuple[int]:
    make: Any = namedtuple  # not of a name that a type checker could read
    kind = make(f"{facts.name}_code", ["place"], module=__name__)
    globals()[kind.__name__] = kind  # where pickle and numba's cache look for it
    return kind(place)


# What compiled functions know a loss by. Each is of a type of its own: a function that is handed one is compiled for
# that loss, and what it does with the others is not compiled at all.
CODES: dict[str, tuple[int]] = {facts.name: _code(facts, place) for place, facts in enumerate(_IN_ORDER)}
KINDS: dict[Any, LossFacts] = {type(CODES[name]): facts for name, facts in LOSSES.items()}

# Names that scikit-learn has for the same thing.
ALIASES = {"log_loss": "logistic", "squared_error": "squared"}
