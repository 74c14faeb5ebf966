"""Losses by the names that estimators take. One line adds one."""

from __future__ import annotations

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

# The place in this list is the code that compiled functions know the loss by: append, do not insert.
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
CODES: dict[str, int] = {facts.name: code for code, facts in enumerate(_IN_ORDER)}

# Names that scikit-learn has for the same thing.
ALIASES = {"log_loss": "logistic", "squared_error": "squared"}
