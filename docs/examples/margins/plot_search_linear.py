"""
Choosing C of a linear machine
==============================

:class:`~maxmargin.svm.LinearSVCCV` scores a row of values of *C* by cross-validation, each machine starting from
the one before. The curve is flat near its top: any *C* in the band is as good as the best one, as far as these
samples can tell.

:class:`~maxmargin.linear_model.LogisticRegressionCV` does the same for logistic regression.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from maxmargin.linear_model import LogisticRegressionCV
from maxmargin.plotting import SearchDisplay
from maxmargin.svm import LinearSVCCV

X, y = load_breast_cancer(return_X_y=True)
figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained", sharey=True)
for search, ax in zip((LinearSVCCV, LogisticRegressionCV), panels, strict=True):
    found = search(Cs=np.geomspace(1e-4, 10, 9)).fit(scale(X), y)
    SearchDisplay.from_estimator(found, ax=ax, legend=False)
    ax.set_title(f"{search.__name__}: C = {found.best_params_['C']:.3g}", loc="left")
