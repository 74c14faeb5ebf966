"""
Multipliers against C
=====================

As *C* grows, samples leave the set of support vectors. Multipliers are drawn as a part of *C*. Each is between its
bounds 0 and *C*: it stays at *C* as long as its sample is inside the margin, falls behind once the sample has
reached the boundary, and is 0 from there on if the sample is outside.

The path is computed in one go, each machine starting from the one before it, and every point has a certificate of
its own.
"""

import numpy as np
from sklearn.datasets import make_blobs

from maxmargin.plotting import PathDisplay
from maxmargin.svm import SVC

X, y = make_blobs(44, centers=[(-1.6, -0.9), (1.6, 0.9)], cluster_std=1.0, random_state=4)
display = PathDisplay.from_estimator(SVC(kernel="linear"), X, y, Cs=np.geomspace(1e-3, 10, 40))
