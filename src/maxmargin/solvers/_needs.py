"""What a solver of regularised risks needs of loss and penalty, and what to say when it is not there."""

from __future__ import annotations

from dataclasses import dataclass

from ..losses import CustomLoss, Loss
from ..penalties import CustomPenalty, Penalty


@dataclass(frozen=True)
class Needs:
    """Needs of one solver; a need that is not set is not there.

    Attributes
    ----------
    convex, smooth, piecewise_linear, prox : bool
        Of the loss: convex; a derivative that does not jump; straight pieces alone; a proximal step.
    l2 : bool
        Of the penalty: an L2 part.
    no_l1 : bool
        Of the penalty: no L1 part.
    compiled : bool
        Of the loss: one of this package's, in compiled code. A solver that calls nothing but the methods of a loss
        takes a user's as well.
    separable : bool
        Of the penalty: the form ``sum_j l1 |w_j| + l2/2 w_j**2``. A solver that calls nothing but its proximal step
        takes any.

    """

    convex: bool = True
    smooth: bool = False
    piecewise_linear: bool = False
    prox: bool = False
    l2: bool = False
    no_l1: bool = False
    compiled: bool = True
    separable: bool = True

    def missing(self, loss: Loss | CustomLoss, penalty: Penalty | CustomPenalty) -> list[str]:
        """The needs that loss and penalty do not meet, in words."""
        checks = [
            (self.convex and not loss.convex, f"a convex loss ({loss.name!r} is not)"),
            (self.smooth and loss.smoothness == float("inf"), f"a loss with a derivative ({loss.name!r} has kinks)"),
            (self.piecewise_linear and not loss.piecewise_linear, f"a piecewise linear loss ({loss.name!r} is not)"),
            (self.prox and not loss.has_prox, f"a loss with a proximal step ({loss.name!r} has no method prox)"),
            (self.compiled and loss.code is None, f"a loss in compiled code ({loss.name!r} is not)"),
            *self._missing_of(penalty),
        ]
        return [text for absent, text in checks if absent]

    def _missing_of(self, penalty: Penalty | CustomPenalty) -> list[tuple[bool, str]]:
        if penalty.separable is None:
            return [(self.separable, f"a penalty of L1 and L2 parts ({penalty.name!r} is of another form)")]
        l1, l2 = penalty.separable
        return [
            (getattr(penalty, "positive", False), "a penalty that allows negative weights"),
            (self.l2 and l2 <= 0, f"a penalty with an L2 part ({penalty.name!r} has none)"),
            (self.no_l1 and l1 > 0, f"a penalty without an L1 part ({penalty.name!r} has one)"),
        ]
