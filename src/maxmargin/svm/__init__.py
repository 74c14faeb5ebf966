"""Support vector machines: scikit-learn's names and parameters, a certificate on every fit."""

from ._svc import SVC

__all__ = ["SVC"]
