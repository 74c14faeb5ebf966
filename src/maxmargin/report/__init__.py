"""A fitted model as one self-contained page: data, result, proof, pictures and the rows that deserve a look."""

from ._report import Report, report

__all__ = ["Report", "report"]
