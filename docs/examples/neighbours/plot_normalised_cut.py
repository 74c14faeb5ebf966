"""
A cut between two moons
=======================

No two centres can tell two moons apart. A normalised cut looks at a graph of neighbours instead, and cuts where
little similarity is lost in proportion to what is left on either side.

The second eigenvector says where to cut, and the eigenvalues bound every cut from below: the best one is inside the
band.
"""

from sklearn.datasets import make_moons

from maxmargin.cluster import SpectralClustering
from maxmargin.plotting import SpectralDisplay

X, _ = make_moons(300, noise=0.07, random_state=0)
model = SpectralClustering(2, affinity="rbf_nearest_neighbors", gamma="median", assign_labels="best_ncut").fit(X)
SpectralDisplay.from_estimator(model, X)
print(model.certificate_.statement)
