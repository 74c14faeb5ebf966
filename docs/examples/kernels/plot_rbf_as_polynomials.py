"""
The RBF kernel as a sum of polynomials
======================================

:math:`e^{-\\gamma \\|x - z\\|^2} = e^{-\\gamma \\|x\\|^2} e^{-\\gamma \\|z\\|^2} \\sum_d (2\\gamma)^d \\langle x, z
\\rangle^d / d!` is a sum of polynomial kernels of all degrees. Cut off after some degree it is an explicit map of
finitely many columns, :class:`~maxmargin.kernel_approximation.TruncatedRBF`.

The error falls faster than any power of the degree, and the bound that the map states is never below it. Here the
two nearly coincide.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.kernel_approximation import TruncatedRBF
from maxmargin.kernels import RBF

X = np.random.default_rng(0).normal(size=(60, 2))
exact, degrees = RBF(0.2)(X), range(1, 16, 2)
errors, bounds = [], []
for degree in degrees:
    truncated = TruncatedRBF(gamma=0.2, degree=degree).fit(X)
    F = truncated.transform(X)
    errors.append(np.abs(F @ F.T - exact).max())
    bounds.append(truncated.error_bound_)

figure, ax = plt.subplots(layout="constrained")
ax.semilogy(degrees, bounds, "s--", markersize=11, markerfacecolor="none", label="stated bound")
ax.semilogy(degrees, errors, "o-", markersize=5, label="largest error")
ax.set(xlabel="degree of the last polynomial", ylabel="error of a kernel value")
ax.legend()
