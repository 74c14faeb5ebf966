"""Support vector machines: scikit-learn's names and parameters, a certificate on every fit."""

from ._nusvc import NuSVC
from ._nusvr import NuSVR
from ._one_class import OneClassSVM
from ._svc import SVC
from ._svr import SVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]
