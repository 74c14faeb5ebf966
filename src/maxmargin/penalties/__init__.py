"""Penalties R(w): none, l2, l1 and elastic net, which are one formula."""

from ._penalties import PENALTIES, Penalty, make_penalty, penalty_conjugate, penalty_prox, penalty_value

__all__ = [
    "PENALTIES",
    "Penalty",
    "make_penalty",
    "penalty_conjugate",
    "penalty_prox",
    "penalty_value",
]
