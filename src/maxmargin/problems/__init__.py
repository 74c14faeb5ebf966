"""What is minimised: the box QP in signed variables, one form for every kernel machine."""

from ._box_qp import BoxQP

__all__ = ["BoxQP"]
