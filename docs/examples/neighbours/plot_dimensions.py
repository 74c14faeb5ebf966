"""
The curse of dimensionality
===========================

In many dimensions all samples are about equally far from each other. The nearest neighbour of a sample is then
hardly nearer than the farthest one, and says little about it.

The curves are for 500 samples drawn evenly from a cube; the bands hold the middle 80 % of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.neighbors import KNeighborsClassifier

rng = np.random.default_rng(0)
dimensions = (1, 2, 4, 8, 16, 32, 64, 128, 256)
ratios = []
for d in dimensions:
    X = rng.uniform(size=(500, d))
    distances, _ = KNeighborsClassifier(499).fit(X, np.arange(500) % 2).kneighbors()
    ratios.append(np.quantile(distances[:, 0] / distances[:, -1], (0.1, 0.5, 0.9)))
low, middle, high = np.transpose(ratios)

figure, ax = plt.subplots(layout="constrained")
ax.fill_between(dimensions, low, high, alpha=0.2)
ax.semilogx(dimensions, middle, "o-")
ax.set(xlabel="dimensions", ylabel="distance to the nearest over distance to the farthest", ylim=(0, 1))
