"""Copies of a learner with random states of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

LARGEST_SEED = np.iinfo(np.int32).max


def seeded_copy(learner: Any, random_state: np.random.RandomState) -> Any:
    """A copy whose parameters `random_state`, those of its parts too, are drawn seeds."""
    own = clone(learner)
    names = [key for key in sorted(own.get_params()) if key == "random_state" or key.endswith("__random_state")]
    return own.set_params(**{name: int(random_state.randint(LARGEST_SEED)) for name in names})
