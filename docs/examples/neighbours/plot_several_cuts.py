"""
Cutting in K: again and again, or at once
=========================================

A graph can be cut in two, and the parts cut further; or *K* eigenvectors can be read at once, with k-means in the
space that they span. Cutting again and again cannot undo its first cut, so that it matters where that is made.

The certificate gives all of them the same lower bound: the sum of the *K* smallest eigenvalues.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.cluster import SpectralClustering

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 600)
ring = np.repeat([1, 2, 3], [100, 200, 300])
X = ring[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.14, (600, 2))

names = {"sign": "in two by sign, again", "best_ncut": "in two at the best threshold, again", "kmeans": "three at once"}
figure, panels = plt.subplots(1, 3, figsize=(12, 4.6), layout="constrained", sharey=True)
for (rule, name), ax in zip(names.items(), panels, strict=True):
    model = SpectralClustering(
        3, affinity="rbf_nearest_neighbors", gamma="median", assign_labels=rule, random_state=0
    ).fit(X)
    ax.scatter(*X.T, c=model.labels_, cmap="viridis", s=8)
    bound = model.certificate_.figures["best ncut at least"]
    ax.set(title=f"{name}: Ncut {model.ncut_:.4f},\nno cut is below {bound:.4f}", aspect="equal")
