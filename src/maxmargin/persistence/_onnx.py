"""Fitted models as ONNX graphs in float64."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..engine import whole_file


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Write a fitted model as an ONNX graph, which predicts without Python.

    The graph computes in float64 throughout, by the operations of the model in the model's order. Its input is ``X``,
    a table of numbers; of a pipeline that begins with :class:`maxmargin.tables.ColumnReader`, and of a tree or forest
    that was fitted on a data frame with categories, it is one column a name: numbers or strings of shape (N, 1).

    Parameters
    ----------
    model : estimator or Pipeline
        Any classifier or regressor of maxmargin; a scikit-learn pipeline that ends in one, with scikit-learn's scalers,
        imputers, encoders, PCA, PolynomialFeatures, Normalizer and ColumnTransformer, or
        :class:`maxmargin.kernel_approximation.Nystroem` and ``PolynomialMap``, before it.
    path : path-like or None, default=None
        Where to write the file; None writes none. A file of that name is replaced when the new one is complete, a link
        to one leads to the new one, and a device or named pipe is written into.

    Returns
    -------
    onnx.ModelProto
        With the outputs ``label``, ``decision`` and ``probabilities`` of a classifier as far as the model has them, or
        ``value`` of a regressor. Version, class and certificate are in its metadata.

    Raises
    ------
    ValueError
        If the model, its kernel or one of its steps cannot be exported; it is named.
    ImportError
        If the extra ``onnx`` is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.persistence import to_onnx
    >>> from maxmargin.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(SVC().fit(X, y))
    >>> [output.name for output in graph.graph.output]
    ['label', 'decision']

    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install 'maxmargin[onnx]'") from error
    from ._onnx_model import write_whole

    check_is_fitted(model)
    written = write_whole(model)
    onnx.checker.check_model(written)
    if path is not None:
        with whole_file(path) as stream:
            stream.write(written.SerializeToString(deterministic=True))
    return written
