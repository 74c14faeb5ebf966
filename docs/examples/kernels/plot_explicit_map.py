"""
The polynomial kernel is a map to monomials
===========================================

:math:`(\\gamma \\langle x, z \\rangle + r)^2` is the inner product of all monomials up to degree 2, each with the
right coefficient. :class:`~maxmargin.kernel_approximation.PolynomialMap` computes them.

A linear machine on the monomials and a kernel machine on the samples are therefore the same. Their decision
boundaries are drawn over each other, and differ by no more than the tolerance of the two fits.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.pipeline import make_pipeline

from maxmargin.kernel_approximation import PolynomialMap
from maxmargin.svm import SVC

X, y = make_circles(150, factor=0.5, noise=0.15, random_state=0)
by_kernel = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
by_map = make_pipeline(PolynomialMap(2, gamma=1.0, coef0=1.0), SVC(kernel="linear")).fit(X, y)

across, up = np.meshgrid(np.linspace(-1.7, 1.7, 200), np.linspace(-1.7, 1.7, 200))
points = np.column_stack([across.ravel(), up.ravel()])
figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
ax.scatter(*X.T, c=y, cmap="cividis", edgecolor="black", linewidth=0.4, s=20)
for model, style, width in ((by_kernel, "solid", 4.0), (by_map, "dashed", 1.5)):
    values = model.decision_function(points).reshape(across.shape)
    ax.contour(
        across, up, values, levels=[0.0], linestyles=style, linewidths=width, colors=["C1" if width > 2 else "k"]
    )
ax.set(title="solid: the kernel; dashed: its six monomials", aspect="equal")

difference = np.abs(by_kernel.decision_function(points) - by_map.decision_function(points)).max()
print(f"largest difference of decision values: {difference:.1e}")
