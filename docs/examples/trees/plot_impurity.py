"""
Gini impurity and entropy
=========================

For two classes with parts *p* and 1 − *p*, the Gini impurity is 2*p*(1 − *p*) and the entropy −*p* ln *p* − (1 −
*p*) ln(1 − *p*). Both are 0 for pure nodes and largest at one half; scaled to the same height they hardly differ.

The error of the majority has a corner. Many splits that make nodes purer leave it unchanged, so that it is a poor
guide.
"""

import matplotlib.pyplot as plt
import numpy as np

p = np.linspace(1e-9, 1 - 1e-9, 400)
entropy = -p * np.log(p) - (1 - p) * np.log(1 - p)

figure, ax = plt.subplots(layout="constrained")
ax.plot(p, 4 * p * (1 - p), label="Gini impurity")
ax.plot(p, entropy / np.log(2), "--", label="entropy")
ax.plot(p, 2 * np.minimum(p, 1 - p), ":", label="error of the majority")
ax.set(xlabel="part of one class in the node", ylabel="impurity, scaled to 1 at the top")
ax.legend()
