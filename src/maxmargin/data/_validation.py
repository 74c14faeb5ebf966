"""scikit-learn's checks of X, after a look at what it takes on trust: the structure of sparse matrices.

The package imports these functions instead of scikit-learn's (a test sees to it), so that nothing reaches compiled
code unchecked.
"""

from __future__ import annotations

from typing import Any

import sklearn.utils
import sklearn.utils.validation

from ._sparse import canonical


def validate_data(estimator: Any, X: Any = "no_validation", *arguments: Any, **options: Any) -> Any:
    """`sklearn.utils.validation.validate_data` of a matrix in `canonical` form."""
    return sklearn.utils.validation.validate_data(estimator, canonical(X), *arguments, **options)


def check_array(X: Any, **options: Any) -> Any:
    """`sklearn.utils.check_array` of a matrix in `canonical` form."""
    return sklearn.utils.check_array(canonical(X, options.get("input_name") or "X"), **options)


def check_X_y(X: Any, y: Any, **options: Any) -> Any:  # noqa: N802 - scikit-learn's name
    """`sklearn.utils.check_X_y` of a matrix in `canonical` form."""
    return sklearn.utils.check_X_y(canonical(X), y, **options)
