"""
A margin, its multipliers and its slacks
========================================

A support vector machine puts the widest strip that it can between two classes. The samples on the edge of the strip
or beyond it are the support vectors; each has a multiplier :math:`\\alpha_i`, written beside it. Samples outside the
margin have the multiplier 0: without them the machine would be the same.

A sample inside the margin pays for its slack :math:`\\xi_i`, drawn as a line to the margin boundary of its class,
and its multiplier is as large as it can be, :math:`\\alpha_i = C`. Those on the boundary have multipliers between 0
and *C*.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC

X, y = make_blobs(44, centers=[(-1.6, -0.9), (1.6, 0.9)], cluster_std=1.0, random_state=4)
model = SVC(kernel="linear", C=0.5).fit(X, y)

figure, ax = plt.subplots(figsize=(8.0, 6.2), layout="constrained")
MarginDisplay.from_estimator(model, X, y, slack=True, ax=ax)
for row, multiplier in zip(model.support_, np.abs(model.dual_coef_[0]), strict=True):
    halo = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7}
    ax.annotate(f"α = {multiplier:.2f}", X[row], xytext=(9, -12), textcoords="offset points", fontsize=9, bbox=halo)
ax.set_title(f"The margin is {model.margin_width_[0]:.2f} wide", loc="left")

# %%
# The certificate bounds how far this machine can be from the best one, from the model and the data alone.

print(model.certificate_)
