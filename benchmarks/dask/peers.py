"""dask-ml and Spark at the same objective: what they are told, and what they find.

Each is a function of the data and C that returns a function of the number of iterations, which fits and returns the
coefficients with the intercept at the end; ContenderError if the library is not to be had.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..contender import peer
from ..worker import ContenderError

Fit = Callable[[int], np.ndarray]


def dask_ml(loss: str, Xd: Any, yd: Any, X: np.ndarray, y: np.ndarray, C: float) -> Fit:
    """dask-ml's logistic regression by L-BFGS. It penalises the intercept, too, which changes next to nothing here."""
    if loss != "logistic":
        raise ContenderError("dask-ml has no SVM")
    estimator = peer("dask_ml.linear_model", "LogisticRegression")

    def fit(iterations: int) -> np.ndarray:
        model = estimator(C=C, solver="lbfgs", max_iter=iterations, tol=1e-10).fit(Xd, yd)
        return np.append(np.ravel(model.coef_), model.intercept_)

    return fit


def spark(loss: str, Xd: Any, yd: Any, X: np.ndarray, y: np.ndarray, C: float) -> Fit:
    """Spark on two threads: its objective is the mean loss and regParam/2 ||w||^2, so regParam = 1/(n C)."""
    sql, classification = peer("pyspark.sql", "SparkSession"), peer("pyspark.ml.classification")
    vectors = peer("pyspark.ml.linalg", "Vectors")
    if loss == "squared_hinge":
        raise ContenderError("Spark has no squared hinge")
    try:
        session = (
            sql.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "8g")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .getOrCreate()
        )
    except Exception as error:
        raise ContenderError(f"Spark does not start: {error}") from None
    session.sparkContext.setLogLevel("OFF")
    pairs = ((float(label), vectors.dense(row)) for row, label in zip(X, y, strict=True))
    frame = session.createDataFrame(session.sparkContext.parallelize(list(pairs), 2), ["label", "features"]).cache()
    frame.count()
    kind = classification.LinearSVC if loss == "hinge" else classification.LogisticRegression

    def fit(iterations: int) -> np.ndarray:
        estimator = kind(maxIter=iterations, regParam=1 / (len(y) * C), tol=1e-12, standardization=False)
        model = estimator.fit(frame)
        return np.append(model.coefficients.toArray(), model.intercept)

    return fit


PEERS = {"dask-ml": dask_ml, "Spark": spark}
