"""scikit-learn's checks of X, after a look at what it takes on trust: the structure of sparse matrices.

The package imports these functions instead of scikit-learn's (a test sees to it), so that nothing reaches compiled
code unchecked.

Most input is an array of floats that needs nothing done to it. To find that out takes scikit-learn 0.1 ms, a third of a
small fit. So such arrays are recognised here; whatever is not one of them, or would be refused, scikit-learn looks at.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import sklearn
import sklearn.utils
import sklearn.utils.validation

from ..engine import warn
from ._blame import refusing_overflow
from ._exact import inexact_whole_number
from ._sparse import canonical

# Options under which an array of finite floats passes as it is, if `dtype` and `order` fit.
_HARMLESS = frozenset({"accept_sparse", "dtype", "order", "multi_output", "y_numeric", "reset"})


def validate_data(estimator: Any, X: Any = "no_validation", *arguments: Any, **options: Any) -> Any:
    """`sklearn.utils.validation.validate_data` of a matrix in `canonical` form."""
    if type(X) is np.ndarray and len(arguments) <= 1 and _passes(X, options):
        several = bool(options.get("multi_output", False))
        has_target = len(arguments) == 1 and not (isinstance(arguments[0], str) and arguments[0] == "no_validation")
        if (not has_target or _target_passes(arguments[0], len(X), several)) and _features_pass(
            estimator, X.shape[1], options.get("reset", True)
        ):
            return (X, arguments[0]) if has_target else X
    with refusing_overflow(X, arguments[0] if arguments else options.get("y")):
        checked = sklearn.utils.validation.validate_data(estimator, canonical(X), *arguments, **options)
    _warn_of_rounding(X, options)
    return checked


def check_array(X: Any, **options: Any) -> Any:
    """`sklearn.utils.check_array` of a matrix in `canonical` form."""
    if type(X) is np.ndarray and _passes(X, options):
        return X
    name = options.get("input_name") or "X"
    with refusing_overflow(X, name=name):
        checked = sklearn.utils.check_array(canonical(X, name), **options)
    _warn_of_rounding(X, options)
    return checked


def check_X_y(X: Any, y: Any, **options: Any) -> Any:  # noqa: N802 - scikit-learn's name
    """`sklearn.utils.check_X_y` of a matrix in `canonical` form."""
    if type(X) is np.ndarray and _passes(X, options):
        if _target_passes(y, len(X), bool(options.get("multi_output", False))):
            return X, y
    with refusing_overflow(X, y):
        checked = sklearn.utils.check_X_y(canonical(X), y, **options)
    _warn_of_rounding(X, options)
    return checked


def _warn_of_rounding(X: Any, options: dict[str, Any]) -> None:
    """Say that whole numbers which float64 does not hold were rounded, if they were converted to floats at all."""
    wanted = options.get("dtype", "numeric")
    wanted = wanted if isinstance(wanted, list | tuple) else [wanted]
    if all(isinstance(kind, type) and issubclass(kind, np.floating) for kind in wanted):
        found = inexact_whole_number(X)
        if found is not None:
            name = options.get("input_name") or "X"
            warn(
                f"{name} has whole numbers that float64 does not hold, such as {found}: they are rounded, and rows "
                f"that differ may become the same. Subtract from each column what its values have in common, or leave "
                f"out columns that are names of the rows.",
                stacklevel=4,
            )


def _passes(X: np.ndarray, options: dict[str, Any]) -> bool:
    """Whether scikit-learn would return this very array; False leaves it to scikit-learn."""
    if (
        X.ndim != 2
        or X.dtype.char not in "fd"
        or not X.dtype.isnative
        or not X.size
        or not _HARMLESS.issuperset(options)
    ):
        return False
    wanted, order = options.get("dtype", "numeric"), options.get("order")
    if isinstance(wanted, list | tuple):
        fits = X.dtype in wanted
    else:
        fits = wanted is None or (isinstance(wanted, str) and wanted == "numeric") or X.dtype == wanted
    if not fits or not (order is None or (order == "C" and X.flags.c_contiguous)):
        return False
    config = sklearn.get_config()
    return not (config["assume_finite"] or config["array_api_dispatch"]) and _is_finite(X)


def _target_passes(y: Any, n: int, several: bool) -> bool:
    """Whether scikit-learn would return these very targets, for n rows."""
    if type(y) is not np.ndarray or y.dtype.char not in "fdilq" or not y.dtype.isnative or not y.size or len(y) != n:
        return False
    shaped = y.ndim in (1, 2) if several else y.ndim == 1 and y.flags.c_contiguous
    return shaped and (y.dtype.kind == "i" or _is_finite(y))


def _is_finite(array: np.ndarray) -> bool:
    """Whether the sum is, and hence all values; finite values whose sum overflows are left to scikit-learn, too."""
    with np.errstate(over="ignore", invalid="ignore"):
        return isfinite(array.sum())


def _features_pass(estimator: Any, d: int, reset: bool) -> bool:
    """Note the number of features, or compare it; False where names of features or an error come into it."""
    if hasattr(estimator, "feature_names_in_"):
        return False
    if reset:
        estimator.n_features_in_ = d
        return True
    return getattr(estimator, "n_features_in_", d) == d
