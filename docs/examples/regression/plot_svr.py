"""
Support vector regression
=========================

Errors of less than :math:`\\varepsilon` cost nothing. The samples inside the tube have no part in the curve; those
on its edge or outside are the support vectors.

:class:`~maxmargin.svm.NuSVR` finds the width of the tube itself: at most the part :math:`\\nu` of the samples is
outside.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.svm import SVR, NuSVR

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 60))[:, None]
y = np.sin(x).ravel() + rng.normal(0, 0.15, 60)
grid = np.linspace(0, 6, 300)[:, None]

tubes = {"SVR, ε = 0.2": (SVR(C=10, epsilon=0.2), 0.2), "NuSVR, ν = 0.2": (NuSVR(C=10, nu=0.2), None)}
figure, panels = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", sharey=True)
for (name, (model, width)), ax in zip(tubes.items(), panels, strict=True):
    model.fit(x, y)
    if width is None:  # the edge of the tube: the error of the samples with a multiplier inside its bounds
        free = np.abs(model.dual_coef_[0]) < np.abs(model.dual_coef_[0]).max() * (1 - 1e-6)
        width = np.abs(model.predict(x) - y)[model.support_][free].mean()
    curve = model.predict(grid)
    ax.plot(grid, curve, "k")
    ax.fill_between(grid.ravel(), curve - width, curve + width, alpha=0.2)
    ax.plot(x, y, ".", color="grey")
    ax.plot(x[model.support_], y[model.support_], "o", mfc="none", mec="C3", label="support vectors")
    ax.set_title(f"{name}: the tube is ±{width:.2f}", loc="left")
    ax.legend()
