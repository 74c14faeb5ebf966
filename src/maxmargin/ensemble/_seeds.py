"""Copies of a learner with random states of their own."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

LARGEST_SEED = np.iinfo(np.int32).max


def drawn_seed(random_state: Any) -> int:
    """A seed to fit from, and to fit from again: the one given, or one that is drawn."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(LARGEST_SEED))


def seeded_copy(learner: Any, random_state: np.random.RandomState) -> Any:
    """A copy whose parameters `random_state`, those of its parts too, are drawn seeds."""
    own = clone(learner)
    names = [key for key in sorted(own.get_params()) if key == "random_state" or key.endswith("__random_state")]
    return own.set_params(**{name: int(random_state.randint(LARGEST_SEED)) for name in names})
