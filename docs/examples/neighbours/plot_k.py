"""
How many neighbours
===================

With one neighbour every sample rules a cell of its own, and single samples make islands. With fifteen the boundary
is smooth. With too many, the larger class wins everywhere.

Rings mark the training samples that the vote gets wrong.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.plotting import NeighborsDisplay

X, y = make_moons(600, noise=0.3, random_state=0)
X_test, y_test = X[200:], y[200:]
X, y = X[:200], y[:200]

figure, panels = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", sharey=True)
for k, ax in zip((1, 15, 120), panels, strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    NeighborsDisplay.from_estimator(model, X, y, legend=False, grid_resolution=120, ax=ax)
    ax.set_title(f"k = {k}: {100 * model.score(X_test, y_test):.0f} % of new samples", fontsize=10)
