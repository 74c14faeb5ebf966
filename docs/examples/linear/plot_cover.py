"""
How many labellings a plane can do
==================================

Of :math:`2^p` ways to label *p* points in general position in *N* dimensions, a plane through the origin can do
:math:`2 \\sum_{k<N} \\binom{p-1}{k}` (Cover's theorem). Up to *p = N* that is all of them, and at *p = 2N* exactly
half.

The more dimensions, the sharper the fall: with many more dimensions than samples, being separable means nothing.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.bounds import cover_fraction

figure, ax = plt.subplots(layout="constrained")
for dimensions, style in ((5, ":"), (25, "--"), (125, "-")):
    points = np.arange(1, 4 * dimensions + 1)
    fractions = [cover_fraction(int(p), dimensions=dimensions) for p in points]
    ax.plot(points / dimensions, fractions, style, color="black", label=f"N = {dimensions}")
ax.axvline(2, color="C1", linewidth=1)
ax.set(xlabel="points per dimension, p/N", ylabel="part of the labellings that are separable")
ax.legend()
