"""What a solver of regularised risks needs of loss and penalty, and what to say when it is not there."""

from __future__ import annotations

from dataclasses import dataclass

from ..losses import Loss
from ..penalties import Penalty


@dataclass(frozen=True)
class Needs:
    """Needs of one solver; a need that is not set is not there.

    Attributes
    ----------
    convex, smooth, piecewise_linear : bool
        Of the loss: convex; a derivative that does not jump; straight pieces alone.
    l2 : bool
        Of the penalty: an L2 part.
    no_l1 : bool
        Of the penalty: no L1 part.

    """

    convex: bool = True
    smooth: bool = False
    piecewise_linear: bool = False
    l2: bool = False
    no_l1: bool = False

    def missing(self, loss: Loss, penalty: Penalty) -> list[str]:
        """The needs that loss and penalty do not meet, in words."""
        checks = [
            (self.convex and not loss.convex, f"a convex loss ({loss.name!r} is not)"),
            (self.smooth and loss.smoothness == float("inf"), f"a loss with a derivative ({loss.name!r} has kinks)"),
            (self.piecewise_linear and not loss.piecewise_linear, f"a piecewise linear loss ({loss.name!r} is not)"),
            (self.l2 and penalty.l2 <= 0, f"a penalty with an L2 part ({penalty.name!r} has none)"),
            (self.no_l1 and penalty.l1 > 0, f"a penalty without an L1 part ({penalty.name!r} has one)"),
        ]
        return [text for absent, text in checks if absent]
