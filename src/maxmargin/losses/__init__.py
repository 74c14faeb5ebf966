"""Losses loss(f, y): value, derivative, curvature, convex conjugate and proximal step of each."""

from ._custom import CustomLoss, LossFunctions, as_loss
from ._dispatch import loss_conjugate, loss_curvature, loss_derivative, loss_prox, loss_value
from ._facts import LossFacts
from ._loss import Loss, make_loss
from ._registry import LOSSES

__all__ = [
    "LOSSES",
    "CustomLoss",
    "Loss",
    "LossFacts",
    "LossFunctions",
    "as_loss",
    "loss_conjugate",
    "loss_curvature",
    "loss_derivative",
    "loss_prox",
    "loss_value",
    "make_loss",
]
