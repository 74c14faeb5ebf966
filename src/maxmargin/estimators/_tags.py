"""What X may be like, as scikit-learn asks for it: bases that say so for all estimators that have it in common."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

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

    _arguments = {
        "X": "X : array-like or sparse matrix of shape (n_samples, n_features)\n"
        '    For ``kernel="precomputed"`` the values of the kernel with the training rows.'
    }

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


class KeepsGamma(TakesKernel):
    """An estimator that keeps the gamma of its kernel in ``_gamma`` when it is fitted."""

    _gamma: float

    @property
    def gamma_(self) -> float:
        """The gamma of the kernel, what "scale" and "auto" came to; only RBF, polynomial and sigmoid have one."""
        if self._kernel_name not in ("rbf", "poly", "sigmoid"):
            raise AttributeError(f"gamma_ is only available for kernels with a gamma, which {self.kernel!r} has not")
        check_is_fitted(self)
        return float(self._gamma)
