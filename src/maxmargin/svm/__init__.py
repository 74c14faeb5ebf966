"""Support vector machines: scikit-learn's names and parameters, a certificate on every fit."""

from importlib import import_module
from typing import TYPE_CHECKING

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what explanations, pictures and model files build on.
from ._classifier import KernelClassifier as KernelClassifier
from ._input import (
    kernel_of_fit as kernel_of_fit,
    rows_of as rows_of,
    stated_gamma as stated_gamma,
    training_rows as training_rows,
)
from ._joint import is_joint as is_joint, own_multipliers as own_multipliers, strength_of as strength_of
from ._large_words import (
    bracket_words as bracket_words,
    is_large as is_large,
    method_words as method_words,
    terms_of as terms_of,
)
from ._nusvc import NuSVC
from ._nusvr import NuSVR
from ._one_class import OneClassSVM
from ._one_vs_one import OneVsOne as OneVsOne, class_slices as class_slices
from ._svc import SVC
from ._svr import SVR

if TYPE_CHECKING:
    from ._bracketed import Bracketed as Bracketed
    from ._large_elsewhere import (
        RemoteProblems as RemoteProblems,
        audit_remote as audit_remote,
        bracketed as bracketed,
        keep_remote as keep_remote,
        status_of as status_of,
    )
    from ._large_svc import LargeSVC
    from ._large_svr import LargeSVR
    from ._linear_svc import LinearSVC
    from ._linear_svc_cv import LinearSVCCV
    from ._linear_svr import LinearSVR
    from ._path import KernelPath as KernelPath
    from ._separability import Separability, separability
    from ._svc_cv import SVCCV
    from ._svr_cv import SVRCV

# What stands on rooms that the others do not need loads on first use.
_LATER = {
    "Bracketed": "_bracketed",
    "KernelPath": "_path",
    "LargeSVC": "_large_svc",
    "LargeSVR": "_large_svr",
    "LinearSVC": "_linear_svc",
    "LinearSVCCV": "_linear_svc_cv",
    "LinearSVR": "_linear_svr",
    "SVCCV": "_svc_cv",
    "Separability": "_separability",
    "separability": "_separability",
    "SVRCV": "_svr_cv",
    # for fits on a Dask cluster
    "RemoteProblems": "_large_elsewhere",
    "audit_remote": "_large_elsewhere",
    "bracketed": "_large_elsewhere",
    "keep_remote": "_large_elsewhere",
    "status_of": "_large_elsewhere",
}

__all__ = [
    "SVC",
    "SVCCV",
    "SVR",
    "SVRCV",
    "LargeSVC",
    "LargeSVR",
    "LinearSVC",
    "LinearSVCCV",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Separability",
    "separability",
]


def __getattr__(name: str) -> object:
    if name in _LATER:
        found = getattr(import_module(f".{_LATER[name]}", __package__), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
