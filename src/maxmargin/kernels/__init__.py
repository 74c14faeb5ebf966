"""Kernels k(x, z), their Gram matrices by tiles, and the check of Mercer's condition."""

from ._accuracy import EXTENDED, EXTENDED_UNIT, Accuracy, roundings
from ._callable_gram import CallableGram
from ._combined import Constant, Product, Sum, largest_degree
from ._definiteness import KNOWN, Definiteness, definiteness, examine
from ._gram import MODERATE, Gram
from ._kernel import Kernel
from ._kernels import RBF, CallableKernel, Linear, Polynomial, Precomputed, Sigmoid
from ._landmarks import Landmarks, Leftover, choose_landmarks, factorised as factorised
from ._matrix_gram import MatrixGram, symmetric_part
from ._mercer import MercerCheck, check_mercer
from ._monomials import monomial_degrees
from ._pivoted import pivots as pivots
from ._precomputed import check_square as check_square, check_symmetric as check_symmetric
from ._registry import KERNELS, kernel_name, make_kernel
from ._row_cache import CachedGram, worth_keeping
from ._shared_blocks import SharedBlocks
from ._stored import FreshProducts, StoredMatrix, StoredProducts
from ._tiled_gram import TiledGram

__all__ = [
    "EXTENDED",
    "EXTENDED_UNIT",
    "KERNELS",
    "KNOWN",
    "MODERATE",
    "RBF",
    "Accuracy",
    "CachedGram",
    "CallableGram",
    "CallableKernel",
    "Constant",
    "Definiteness",
    "FreshProducts",
    "Gram",
    "Kernel",
    "Landmarks",
    "Leftover",
    "Linear",
    "MatrixGram",
    "MercerCheck",
    "Polynomial",
    "Precomputed",
    "Product",
    "SharedBlocks",
    "Sigmoid",
    "StoredMatrix",
    "StoredProducts",
    "Sum",
    "TiledGram",
    "check_mercer",
    "choose_landmarks",
    "definiteness",
    "examine",
    "kernel_name",
    "largest_degree",
    "make_kernel",
    "monomial_degrees",
    "roundings",
    "symmetric_part",
    "worth_keeping",
]
