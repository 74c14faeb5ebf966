"""Every kind of model that can be kept in a file is exported to ONNX, or refused by name."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.persistence import load, save, to_onnx

from .zoo import CASES, case

pytest.importorskip("onnx")

# what is not a model that predicts from rows of numbers or columns
REFUSED = [
    "SlidingWindow",
    "precomputed",
    "outputs",
    "metric",
    "laplacian",
    "TruncatedRBF",
    "KernelEmbedding",
    "Nystroem",
    "PolynomialMap",
    "kernel's map",
    "Sampler",
    "KMeans",
    "SpectralClustering",
    "Scaler",
    "Normalizer",
    "PCA",
    "PolynomialFeatures",
    "FunctionTransformer",
    "SimpleImputer",
    "MissingIndicator",
    "Encoder",
    "ColumnReader",
    "DenseRows",
    "ColumnTransformer",
    "Pipeline of named columns",
    "BaggingRegressor of two targets",
    "HistGradientBoosting",
]


@pytest.mark.parametrize("name", list(CASES))
def test_exported_or_refused(name, onnx_agrees, tmp_path):
    model, X = case(name).model, case(name).X
    if any(word in name for word in REFUSED):
        with pytest.raises(ValueError, match="cannot be exported to ONNX"):
            to_onnx(model)
        return
    written = to_onnx(model)
    save(model, tmp_path / "model.mm")
    assert to_onnx(load(tmp_path / "model.mm")) == written
    if sp.issparse(X):
        onnx_agrees(model, X, {"X": X.toarray().astype(np.float64)})
    elif isinstance(X, np.ndarray):
        onnx_agrees(model, X)
    elif written.graph.input[0].name == "X":
        onnx_agrees(model, X, {"X": X.to_numpy(dtype=np.float64)})
    else:  # frames with categories: test_onnx_trees and test_onnx_steps
        assert {info.name for info in written.graph.input} <= set(X.columns)
