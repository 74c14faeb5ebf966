"""
Chord, tangent and second derivative
====================================

A function is convex if its graph is nowhere above a chord; if it is differentiable, that is the same as being
nowhere below a tangent, and as having a second derivative that is nowhere negative.

:func:`maxmargin.losses.check_convexity` tries all three on a grid. The logistic loss passes; the zero-one loss is
above one of its chords, and the check says which.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.losses import check_convexity

z = np.linspace(-4, 4, 400)
logistic, zero_one = np.log1p(np.exp(-z)), (z <= 0).astype(float)

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
left.plot(z, logistic, "k")
left.plot([-3, 2], np.log1p(np.exp([3, -2])), "C0o-", label="chord: above")
slope = -1 / (1 + np.exp(0.5))
left.plot(z, np.log1p(np.exp(-0.5)) + slope * (z - 0.5), "C1--", label="tangent: below")
left.set(title="logistic", ylim=(-1, 4), xlabel="z")
right.plot(z, zero_one, "k")
right.plot([-0.5, 3.5], [1, 0], "C3o-", label="chord: below the graph for −0.5 < z ≤ 0, above it after")
right.set(title="zero-one", ylim=(-1, 4), xlabel="z")
for ax in (left, right):
    ax.legend()

print(check_convexity("logistic"))
print(check_convexity("zero_one"))
