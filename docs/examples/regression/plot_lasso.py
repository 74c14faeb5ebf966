"""
The lasso and the elastic net
=============================

The penalty :math:`\\alpha \\|w\\|_1` makes weights exactly zero, the more the larger :math:`\\alpha`. The elastic
net adds a part of :math:`\\|w\\|^2`, so that columns that are alike stay together instead of taking turns.

Cross-validation chooses :math:`\\alpha`, and the certificate of the winner is a duality gap.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_regression

from maxmargin.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV
from maxmargin.plotting import PathDisplay

X, y = make_regression(80, 40, n_informative=6, noise=5.0, random_state=0)
figure, panels = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
for model, ax in zip((Lasso(), ElasticNet(l1_ratio=0.5)), panels, strict=True):
    PathDisplay.from_estimator(model, X, y, alphas=np.geomspace(0.05, 100, 40), legend=False, ax=ax)
    ax.set_title(type(model).__name__, loc="left")

for search in (LassoCV(alphas=20), ElasticNetCV(alphas=20, l1_ratio=[0.5, 0.9])):
    search.fit(X, y)
    print(type(search).__name__, np.count_nonzero(search.coef_), "weights,", search.certificate_.status)
