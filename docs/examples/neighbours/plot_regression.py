"""
Means of neighbours
===================

:class:`~maxmargin.neighbors.KNeighborsRegressor` predicts the mean of the nearest samples. The curve is a
staircase; weights by distance make it pass through the samples.

A small *k* follows the noise and a large one flattens the hills: variance against bias.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.neighbors import KNeighborsRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 60))[:, None]
y = np.sin(x).ravel() + rng.normal(0, 0.15, 60)
grid = np.linspace(0, 6, 500)[:, None]

figure, panels = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
for (k, weights), ax in zip(((1, "uniform"), (8, "uniform"), (8, "distance")), panels, strict=True):
    model = KNeighborsRegressor(k, weights=weights).fit(x, y)
    ax.plot(x, y, "k.")
    ax.plot(grid, model.predict(grid), "C0")
    ax.set_title(f"k = {k}, weights: {weights}", loc="left", fontsize=10)
