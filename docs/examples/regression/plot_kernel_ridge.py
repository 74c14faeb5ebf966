"""
Kernel ridge regression
=======================

Ridge regression in the feature space of a kernel. Unlike in support vector regression every sample has a part in
the curve, and the solution is one system of linear equations.

Kernels can be added: here a straight line plus bumps.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.kernel_model import KernelRidge
from maxmargin.kernels import RBF, Linear

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 60))[:, None]
y = np.sin(2 * x).ravel() + 0.5 * x.ravel() + rng.normal(0, 0.2, 60)
grid = np.linspace(-1, 7, 300)[:, None]

figure, ax = plt.subplots(layout="constrained")
ax.plot(x, y, "k.")
for kernel, style in ((RBF(1.0), "--"), (RBF(1.0) + Linear() + 1.0, "-")):
    model = KernelRidge(alpha=0.1, kernel=kernel).fit(x, y)
    ax.plot(grid, model.predict(grid), style, label=str(kernel))
ax.legend()
print(model.certificate_)
