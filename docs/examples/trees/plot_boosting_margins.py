"""
Boosting widens small margins
=============================

The margin of a sample is the part of the votes for its class minus the part for the strongest other one. The curves
show how many samples have at most a given margin.

After the training error is zero (no sample left of 0), further rounds raise the smallest margins at the cost of the
largest.
"""

from sklearn.datasets import make_moons

from maxmargin.ensemble import AdaBoostClassifier
from maxmargin.plotting import BoostingMarginDisplay

X, y = make_moons(300, noise=0.2, random_state=0)
model = AdaBoostClassifier(n_estimators=300).fit(X, y)
BoostingMarginDisplay.from_estimator(model, X, y)
