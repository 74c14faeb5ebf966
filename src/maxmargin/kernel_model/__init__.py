"""The kernel trick beyond support vector machines: models that are sums over their training samples."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._kernel_ridge import KernelRidge

__all__ = ["KernelRidge"]
