"""
The width of the RBF kernel
===========================

*gamma* says how fast similarity falls with distance. With a small *gamma* every sample is similar to every other
one, and the boundary is nearly a line. With a large *gamma* each sample is similar to itself alone: the machine
memorises the samples.

All three machines are optimal for their own problem, and their certificates say so. Which problem to solve is
decided by samples that were not used in training.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC

X, y = make_moons(400, noise=0.25, random_state=0)
X_test, y_test = X[100:], y[100:]
X, y = X[:100], y[:100]

figure, panels = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", sharey=True)
for gamma, ax in zip((0.05, 2.0, 100.0), panels, strict=True):
    model = SVC(C=5, gamma=gamma).fit(X, y)
    MarginDisplay.from_estimator(model, X, y, legend=False, ax=ax)
    ax.set_title(
        f"gamma = {gamma:g}: {100 * model.score(X, y):.0f} % of its own,\n"
        f"{100 * model.score(X_test, y_test):.0f} % of new samples",
        fontsize=10,
    )
