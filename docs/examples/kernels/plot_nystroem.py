"""
Landmarks, and what they leave
==============================

:class:`~maxmargin.kernel_approximation.Nystroem` projects the feature space on the span of a few samples, the
landmarks. What the projection leaves of the kernel matrix is itself positive semi-definite, and its trace measures
what is lost.

A smooth kernel (a small *gamma*) needs few landmarks. A spiky one needs nearly all samples, and the stated leftover
warns of it.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.kernel_approximation import Nystroem

X = np.random.default_rng(0).normal(size=(400, 2))
counts = (5, 10, 20, 40, 80, 160)

figure, ax = plt.subplots(layout="constrained")
for gamma, marker in ((0.05, "o"), (0.5, "s"), (5.0, "^")):
    left = [Nystroem(gamma=gamma, n_components=n, random_state=0).fit(X).relative_leftover_ for n in counts]
    ax.loglog(counts, np.maximum(left, 1e-13), marker=marker, label=f"gamma = {gamma:g}")
ax.set(xlabel="landmarks", ylabel="part of the trace that is left")
ax.legend()
