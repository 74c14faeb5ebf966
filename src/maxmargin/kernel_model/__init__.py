"""The kernel trick beyond support vector machines: models that are sums over their training samples."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._kernel_ridge import KernelRidge
from ._logistic import KernelLogisticRegression
from ._perceptron import KernelPerceptron

__all__ = ["KernelLogisticRegression", "KernelPerceptron", "KernelRidge"]
