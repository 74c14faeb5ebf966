"""
A margin, its multipliers and its slacks
========================================

A support vector machine puts the widest strip that it can between two classes. The samples on the edges of the strip,
those inside it and those that are misclassified are the support vectors; each has a multiplier :math:`\\alpha_i`,
written beside it. All other samples have the multiplier 0: without them the machine would be the same.

A sample inside the margin pays for its slack :math:`\\xi_i`, drawn as a line to the margin boundary of its class,
and its multiplier is as large as it can be, :math:`\\alpha_i = C`. Those on the boundary have multipliers between 0
and *C*.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC

X, y = make_blobs(44, centers=[(-1.6, -0.9), (1.6, 0.9)], cluster_std=1.0, random_state=227)
model = SVC(kernel="linear", C=0.5).fit(X, y)
slacks = np.maximum(0, 1 - np.where(y == 1, 1, -1) * model.decision_function(X))

figure, ax = plt.subplots(figsize=(7.6, 6.6), layout="constrained")
MarginDisplay.from_estimator(model, X, y, slack=True, ax=ax)
for row, multiplier in zip(model.support_, np.abs(model.dual_coef_[0]), strict=True):
    words = f"α = {multiplier:.2f}" + (f"\nξ = {slacks[row]:.2f}" if slacks[row] > 1e-6 else "")
    left = (y[row] == 0) != (slacks[row] > 0.5)  # off the lines of slack, and of other labels
    halo = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
    place = {"xytext": (-10 if left else 10, 0), "textcoords": "offset points", "ha": "right" if left else "left"}
    ax.annotate(words, X[row], va="bottom" if y[row] else "top", fontsize=11, bbox=halo, **place)
ax.set_title(f"The margin is {model.margin_width_[0]:.2f} wide", loc="left")

# %%
# The certificate bounds how far this machine can be from the best one, from the model and the data alone.

print(model.certificate_)
