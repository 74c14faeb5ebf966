"""
Two fixed points of k-means
===========================

k-means moves centres to the means of their samples, and samples to their nearest centre, until nothing moves. That
is a fixed point, and the certificate proves it; it need not be the best one.

On the left each centre has found a group. On the right two centres share one group and one centre has two: nothing
moves there either. This is why several starts are made.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from maxmargin.cluster import KMeans
from maxmargin.plotting import KMeansDisplay

X, _ = make_blobs(400, centers=[(-5, -3), (4, -4), (-3, 5), (5, 4)], cluster_std=1.2, random_state=0)
figure, panels = plt.subplots(1, 2, figsize=(10.8, 5.4), layout="constrained")
for rows, ax in zip((range(56, 60), range(16, 20)), panels, strict=True):
    model = KMeans(4, init=X[rows], tol=0).fit(X)
    KMeansDisplay.from_estimator(model, X, ax=ax)
    ax.set_title(f"inertia {model.inertia_:.0f}", loc="left")
    print(model.certificate_.statement)
