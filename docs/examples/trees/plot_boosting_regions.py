"""
A vote that grows
=================

The regions of a boosted vote after 1, 3, 10 and 100 rounds. Samples are drawn as large as their weights in the next
round: the border is where the work is.

The dashed line is the stump that the round has added.
"""

from sklearn.datasets import make_moons

from maxmargin.ensemble import AdaBoostClassifier
from maxmargin.plotting import BoostingRegionsDisplay

X, y = make_moons(200, noise=0.2, random_state=0)
model = AdaBoostClassifier(n_estimators=100).fit(X, y)
BoostingRegionsDisplay.from_estimator(model, X, y, rounds=(1, 3, 10, 100), grid_resolution=120)
