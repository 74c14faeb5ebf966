"""
The price of slack
==================

*C* is the price of one unit of slack. A small *C* buys a wide margin with many samples inside it; a large *C*
avoids slack, and the margin becomes narrow. The limit :math:`C = \\infty` is the hard margin, which exists only if
the classes are separable.

Neither end is right in general: *C* is chosen on samples that were not trained on.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC

X, y = make_blobs(44, centers=[(-1.6, -0.9), (1.6, 0.9)], cluster_std=1.0, random_state=4)

figure, panels = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", sharey=True)
for C, ax in zip((0.01, 1.0, 100.0), panels, strict=True):
    model = SVC(kernel="linear", C=C).fit(X, y)
    MarginDisplay.from_estimator(model, X, y, legend=False, ax=ax)
    ax.set_title(f"C = {C:g}: {model.margin_width_[0]:.2f} wide, {len(model.support_)} support vectors", fontsize=10)
