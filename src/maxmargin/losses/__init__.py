"""Losses loss(f, y): value, derivative, curvature, convex conjugate and proximal step of each."""

from ._convexity import ConvexityCheck, Inequality, check_convexity
from ._custom import CustomLoss, LossFunctions, as_loss
from ._dispatch import loss_conjugate, loss_curvature, loss_derivative, loss_prox, loss_value
from ._facts import LossFacts
from ._loss import Loss, make_loss
from ._registry import LOSSES
from ._smoothed import SmoothedLoss as SmoothedLoss

__all__ = [
    "LOSSES",
    "ConvexityCheck",
    "CustomLoss",
    "Inequality",
    "Loss",
    "LossFacts",
    "LossFunctions",
    "as_loss",
    "check_convexity",
    "loss_conjugate",
    "loss_curvature",
    "loss_derivative",
    "loss_prox",
    "loss_value",
    "make_loss",
]
