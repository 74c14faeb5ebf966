"""
Polynomials that fit too well
=============================

A polynomial of degree *M* has *M* + 1 coefficients. With ten samples, degree 1 is too stiff, degree 3 about right,
and degree 9 goes through every sample and through nothing else.

The training error falls with every degree, so that it cannot choose.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.linear_model import PolynomialRegression

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 1, 10))[:, None]
y = np.sin(2 * np.pi * x.ravel()) + rng.normal(0, 0.2, 10)
grid = np.linspace(0, 1, 300)[:, None]

figure, panels = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
for degree, ax in zip((1, 3, 9), panels, strict=True):
    model = PolynomialRegression(degree=degree).fit(x, y)
    ax.plot(grid, np.sin(2 * np.pi * grid), "k:", label="truth")
    ax.plot(grid, model.predict(grid), "C0", label=f"degree {degree}")
    ax.plot(x, y, "ko")
    ax.set(ylim=(-2, 2), title=f"training error {np.mean((model.predict(x) - y) ** 2):.3f}")
    ax.legend()
