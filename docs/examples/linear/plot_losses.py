"""
What errors cost
================

All losses of a classifier are functions of the margin :math:`z = y f(x)`. The zero-one loss counts errors, and is
not convex. The hinge is convex and nowhere below it, and is zero only from a margin of 1 on. The perceptron loss
asks for no margin; the logistic loss never quite comes to zero.

Where a loss is steep for large errors, outliers pull hard.
"""

from maxmargin.plotting import LossDisplay

LossDisplay.from_losses(["zero_one", "perceptron", "hinge", "squared_hinge", "logistic"])
