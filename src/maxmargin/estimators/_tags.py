"""What X may be like, as scikit-learn asks for it: bases that say so for all estimators that have it in common."""

from __future__ import annotations

from typing import Any

from ..kernels import kernel_name


class TakesSparse:
    """An estimator of rows that may be sparse."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags


class TakesMissing(TakesSparse):
    """An estimator of rows that may be sparse, and have missing values."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class TakesKernel:
    """An estimator with a parameter `kernel`: of rows that may be sparse, or of a matrix of kernel values."""

    kernel: Any

    @property
    def _kernel_name(self) -> str:
        """What kind of kernel this is, whether given by name, as an object or as a function."""
        return kernel_name(self.kernel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self._kernel_name == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
