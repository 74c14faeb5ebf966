"""
Probabilities from a kernel
===========================

:class:`~maxmargin.kernel_model.KernelLogisticRegression` puts the logistic loss in the place of the hinge: the
output is a probability, and every sample has a part in it. :class:`~maxmargin.svm.SVC` gives decision values; what
it knows is where the margin is.

The shades are probabilities of 10 %, 30 %, 50 %, 70 % and 90 %.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin.kernel_model import KernelLogisticRegression

X, y = make_moons(150, noise=0.25, random_state=0)
model = KernelLogisticRegression(C=10, gamma=1.0).fit(X, y)

across, up = np.meshgrid(np.linspace(-1.8, 2.8, 150), np.linspace(-1.5, 2.0, 150))
chance = model.predict_proba(np.column_stack([across.ravel(), up.ravel()]))[:, 1].reshape(across.shape)
figure, ax = plt.subplots(layout="constrained")
shades = ax.contourf(across, up, chance, levels=[0, 0.1, 0.3, 0.5, 0.7, 0.9, 1], cmap="cividis", alpha=0.7)
figure.colorbar(shades, label="probability of class 1")
ax.scatter(*X.T, c=y, cmap="cividis", edgecolor="white", linewidth=0.6, s=24)
