"""Support vector machines: scikit-learn's names and parameters, a certificate on every fit."""

from ._linear_svc import LinearSVC
from ._linear_svr import LinearSVR
from ._nusvc import NuSVC
from ._nusvr import NuSVR
from ._one_class import OneClassSVM
from ._svc import SVC
from ._svr import SVR

__all__ = ["SVC", "SVR", "LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM"]
