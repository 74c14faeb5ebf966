"""Penalties R(w): none, l2, l1 and elastic net, which are one formula; group lasso, bounds, and a user's own."""

from ._bounded_weights import BoundedWeights
from ._custom import CustomPenalty, PenaltyFunctions, as_penalty
from ._group_lasso import GroupLasso
from ._penalties import PENALTIES, Penalty, make_penalty, penalty_conjugate, penalty_prox, penalty_value

__all__ = [
    "PENALTIES",
    "BoundedWeights",
    "CustomPenalty",
    "GroupLasso",
    "Penalty",
    "PenaltyFunctions",
    "as_penalty",
    "make_penalty",
    "penalty_conjugate",
    "penalty_prox",
    "penalty_value",
]
