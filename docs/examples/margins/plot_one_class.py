"""
One class and what lies outside
===============================

:class:`~maxmargin.svm.OneClassSVM` separates the samples from the origin of the feature space, with as wide a
margin as it can. What stays on the side of the origin is an outlier. :math:`\\nu` is the part of the samples that
may be left out.

No labels are used: the crosses are the samples that the machine itself rejects.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin.svm import OneClassSVM

X, _ = make_moons(200, noise=0.1, random_state=0)
model = OneClassSVM(nu=0.05, gamma=3.0).fit(X)

across, up = np.meshgrid(np.linspace(-1.8, 2.8, 150), np.linspace(-1.3, 1.8, 150))
values = model.decision_function(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
inside = model.predict(X) > 0

figure, ax = plt.subplots(layout="constrained")
ax.contourf(across, up, values, levels=20, cmap="cividis", alpha=0.7)
ax.contour(across, up, values, levels=[0.0], colors="black")
ax.scatter(*X[inside].T, s=14, color="white", edgecolor="black", label="inside")
ax.scatter(*X[~inside].T, s=40, marker="x", color="black", label="outliers")
ax.legend()
