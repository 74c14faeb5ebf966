"""
Loss by round
=============

Gradient boosting adds a small tree in each round, fitted to the derivatives of the loss. The loss of the training rows
falls in every round, as the certificate proves; that of new rows ends by rising.

The same in two losses: the squared error of a regression, and the logistic loss of a classification.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split

from maxmargin.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


def squared(y, values):
    return np.mean((y - values) ** 2)


def logistic(y, probabilities):
    return -np.mean(np.log(probabilities[np.arange(len(y)), y]))


figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axes, estimator, load, loss in (
    (panels[0], HistGradientBoostingRegressor, load_diabetes, squared),
    (panels[1], HistGradientBoostingClassifier, load_breast_cancer, logistic),
):
    X, new, y, unseen = train_test_split(*load(return_X_y=True), random_state=0)
    model = estimator(max_iter=60).fit(X, y)
    stages = model.staged_predict if loss is squared else model.staged_predict_proba
    axes.plot([loss(y, values) for values in stages(X)], label="training rows")
    axes.plot([loss(unseen, values) for values in stages(new)], "--", label="held-out rows")
    axes.set(xlabel="round", ylabel=f"{loss.__name__} loss", title=estimator.__name__)
    axes.legend()
