"""
The samples that matter
=======================

Most samples are far inside their class, and no decision hangs on them. Hart's rule keeps those that one nearest
neighbour needs to be right on *every* training sample; that is what the certificate checks.

``reduce=True`` then drops what turned out not to be needed.
"""

from sklearn.datasets import make_moons

from maxmargin.neighbors import CondensedNearestNeighbors
from maxmargin.plotting import NeighborsDisplay

X, y = make_moons(300, noise=0.2, random_state=0)
model = CondensedNearestNeighbors(reduce=True).fit(X, y)
NeighborsDisplay.from_estimator(model, X, y)
print(model.certificate_.statement)
