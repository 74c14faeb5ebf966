"""
Several classes, three ways
===========================

*One against one* trains a machine for each pair of classes and lets them vote. *One against the rest* trains one
for each class and takes the largest decision value. *Crammer and Singer* train all classes in a single problem, in
which a sample pays for what its own class lacks of being 1 ahead of the best other one.

The borders differ where no samples are, and around the cloud that lies between the others: no line separates it
from all the rest. Each pair, each class and the single problem has a certificate.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from maxmargin.svm import SVC, LinearSVC

X, y = make_blobs(160, centers=4, cluster_std=1.4, random_state=6)
models = {
    "one against one": SVC(kernel="linear"),
    "one against the rest": LinearSVC(loss="hinge"),
    "Crammer and Singer": LinearSVC(multi_class="crammer_singer"),
}
low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
across, up = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 200))
points = np.column_stack([across.ravel(), up.ravel()])

figure, panels = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", sharey=True)
for (name, model), ax in zip(models.items(), panels, strict=True):
    model.fit(X, y)
    ax.contourf(across, up, model.predict(points).reshape(across.shape), levels=3, cmap="viridis", alpha=0.35)
    ax.scatter(*X.T, c=y, cmap="viridis", edgecolor="black", linewidth=0.4, s=18)
    ax.set_title(f"{name}: {100 * model.score(X, y):.0f} % correct", fontsize=10)
