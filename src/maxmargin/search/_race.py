"""Which candidates cannot win any more.

Where scores have an upper bound (accuracy and R2: 1), a candidate is out when its mean would stay below that of the
best finished candidate even with the bound in every fold to come. This is certain: it changes neither the winner nor
its score. For the rule "one_standard_error" the bar is the best mean less its standard error, which may still move.

Where they have none, a candidate is out when it is behind the leader of its own folds by more than three standard
errors of the difference, after three folds at least. This is a statistical rule, and it can be wrong.
"""

from __future__ import annotations

import numpy as np

from ._rules import standard_error

_FOLDS = 3
_ERRORS = 3.0


class Race:
    """Decides which candidates to drop.

    Parameters
    ----------
    bound : float or None
        Largest possible score, None if there is none.
    rule : {"best", "one_standard_error"}
        How the winner is picked.

    """

    def __init__(self, bound: float | None, rule: str) -> None:
        self.bound, self.rule = bound, rule

    def reason(self) -> str:
        """Why candidates were dropped, in words."""
        if self.bound is not None and self.rule != "best":
            return f"as things stood, even a score of {self.bound:g} in every fold to come would not have been enough"
        if self.bound is not None:
            return f"even a score of {self.bound:g} in every fold to come would not have made them the winner"
        return f"more than {_ERRORS:g} standard errors behind the leader after {_FOLDS} or more folds"

    def losers(self, scores: np.ndarray, done: np.ndarray) -> np.ndarray:
        """A mask of the unfinished candidates that cannot win."""
        if self.bound is None:
            return self._far_behind(scores, done)
        return self._beyond_reach(scores, done, self.bound)

    def _beyond_reach(self, scores: np.ndarray, done: np.ndarray, bound: float) -> np.ndarray:
        complete = done.all(axis=1)
        if not complete.any():
            return np.zeros(len(done), dtype=bool)
        means = np.where(complete, np.where(done, scores, 0.0).mean(axis=1), -np.inf)
        leader = int(np.argmax(means))
        bar = means[leader]
        if self.rule == "one_standard_error":
            bar -= standard_error(scores[leader])
        possible = np.where(done, scores, bound).mean(axis=1)
        # a tie to the last digits is no proof
        return ~complete & (possible < bar - 1e-12 * max(1.0, abs(bar)))

    def _far_behind(self, scores: np.ndarray, done: np.ndarray) -> np.ndarray:
        out = np.zeros(len(done), dtype=bool)
        for k in np.flatnonzero(~done.all(axis=1) & (done.sum(axis=1) >= _FOLDS)).tolist():
            folds = done[k]
            rivals = scores[done[:, folds].all(axis=1)][:, folds]
            behind = scores[k, folds] - rivals[np.argmax(rivals.mean(axis=1))]
            out[k] = behind.mean() + _ERRORS * standard_error(behind) < 0
        return out
