"""
How many clusters
=================

The inertia falls with every further centre. What counts is whether it falls faster than it would on samples without
clusters, drawn from a box of the same size.

:func:`~maxmargin.cluster.elbow` compares the two curves, and says when there is no sign of clusters at all.
"""

from sklearn.datasets import make_blobs

from maxmargin.cluster import elbow
from maxmargin.plotting import ElbowDisplay

X, _ = make_blobs(300, centers=4, cluster_std=1.0, random_state=3)
found = elbow(X, range(1, 10), random_state=0)
ElbowDisplay.from_elbow(found)
print(found.reason)
