"""
Trees, bags, forests and boosting for numbers
=============================================

A single deep tree follows the noise. Means over trees of different bags are calmer, and so is the weighted median
of boosted ones.

The errors are those against the true curve, which the learners have never seen.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.ensemble import AdaBoostRegressor, BaggingRegressor, RandomForestRegressor
from maxmargin.tree import DecisionTreeRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 150))[:, None]
y = np.sin(x).ravel() + rng.normal(0, 0.3, 150)
grid = np.linspace(0.1, 5.9, 400)[:, None]

models = [
    DecisionTreeRegressor(),
    BaggingRegressor(DecisionTreeRegressor(), n_estimators=50, random_state=0),
    RandomForestRegressor(n_estimators=50, min_samples_leaf=5, random_state=0),
    AdaBoostRegressor(n_estimators=50, random_state=0),
]
figure, panels = plt.subplots(2, 2, figsize=(11, 7), layout="constrained", sharex=True, sharey=True)
for model, ax in zip(models, panels.flat, strict=True):
    curve = model.fit(x, y).predict(grid)
    ax.plot(x, y, ".", color="silver")
    ax.plot(grid, curve, "C0")
    ax.plot(grid, np.sin(grid), "k:")
    error = np.sqrt(np.mean((curve - np.sin(grid).ravel()) ** 2))
    ax.set_title(f"{type(model).__name__}: error {error:.3f}", loc="left", fontsize=10)
