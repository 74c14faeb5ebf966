"""
L1 leaves features out
======================

A penalty on the absolute values of the weights makes most of them exactly zero. As *C* grows, features enter one
after the other; the legend names those with the largest weights.

With an L2 penalty the vector of weights becomes shorter as a whole, but as a rule no weight is exactly zero.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.linear_model import LinearClassifier
from maxmargin.plotting import PathDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), LinearClassifier(loss="logistic", penalty="l1"))
PathDisplay.from_estimator(model, X, y, Cs=np.geomspace(1e-3, 1, 30))
