"""Feature maps of kernels, each with its error stated."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._embedding import KernelEmbedding
from ._nystroem import Nystroem
from ._polynomial_map import PolynomialMap, count_columns as count_columns, monomials as monomials
from ._truncated_rbf import TruncatedRBF

__all__ = ["KernelEmbedding", "Nystroem", "PolynomialMap", "TruncatedRBF"]
