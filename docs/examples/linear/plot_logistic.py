"""
Logistic regression
===================

The logistic function turns a decision value into a probability. Logistic regression chooses the weights under which
the labels that were seen are most likely; no assumption about the distribution of *x* is made.

The more the classes overlap, the more gently the curve rises; if they are nearly separated it is steep.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from maxmargin.linear_model import LogisticRegression

bunch = load_breast_cancer()
radius, benign = bunch.data[:, :1], bunch.target
model = LogisticRegression(C=np.inf).fit(radius, benign)

grid = np.linspace(radius.min(), radius.max(), 300)[:, None]
figure, ax = plt.subplots(layout="constrained")
ax.plot(grid, model.predict_proba(grid)[:, 1], "k")
jitter = np.random.default_rng(0).uniform(-0.03, 0.03, len(benign))
ax.scatter(radius, benign + jitter, c=benign, cmap="cividis", s=10, alpha=0.6)
ax.set(xlabel="mean radius of the cells", ylabel="probability of a benign tumour")
