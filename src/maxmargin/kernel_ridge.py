"""Kernel ridge regression under the name that scikit-learn has for its module; see `maxmargin.kernel_model`."""

from .kernel_model import KernelRidge

__all__ = ["KernelRidge"]
