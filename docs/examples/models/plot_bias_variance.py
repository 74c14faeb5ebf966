"""
Bias and variance
=================

Train the same tree on many samples of the same kind. What all the trees get wrong together is bias, what they
disagree about is variance, and what nobody can predict is noise. The error is the sum.

A deep tree has little bias and much variance. The best depth is in between.
"""

import numpy as np
from sklearn.datasets import make_friedman1

from maxmargin.plotting import BiasVarianceDisplay
from maxmargin.tree import DecisionTreeRegressor


def truth(X):
    a, b, c, d, e = X.T[:5]
    return 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e


def draw(generator):
    return make_friedman1(300, noise=2.0, random_state=generator)


X, y = make_friedman1(400, noise=2.0, random_state=0)
BiasVarianceDisplay.from_estimator(
    DecisionTreeRegressor(),
    param_name="max_depth",
    param_range=range(1, 10),
    n_resamples=12,
    sample=draw,
    X_test=X,
    y_test=y,
    truth=truth,
    random_state=0,
)
