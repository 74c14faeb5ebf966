"""Pictures of margin machines: the margin, kernels, paths along C, and how a proof came about."""

from ._certificate import CertificateDisplay
from ._hulls import HullsDisplay
from ._kernel import KernelDisplay
from ._margin import MarginDisplay
from ._mistakes import MistakesDisplay
from ._path import PathDisplay
from ._recorder import Recorder
from ._trace import TraceDisplay

__all__ = [
    "CertificateDisplay",
    "HullsDisplay",
    "KernelDisplay",
    "MarginDisplay",
    "MistakesDisplay",
    "PathDisplay",
    "Recorder",
    "TraceDisplay",
]
