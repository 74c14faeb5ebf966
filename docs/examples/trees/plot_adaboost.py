"""
AdaBoost and its bound
======================

Each round trains a stump on the same samples, with more weight on those that were wrong. The training error is
below :math:`\\prod_t 2\\sqrt{\\varepsilon_t(1-\\varepsilon_t)}`, which falls as long as every stump is a little
better than guessing.

The error on other samples comes down in the first rounds and then changes little, though rounds go on after the
training error has reached zero.
"""

from sklearn.datasets import make_moons

from maxmargin.ensemble import AdaBoostClassifier
from maxmargin.plotting import BoostingDisplay

X, y = make_moons(900, noise=0.2, random_state=0)
model = AdaBoostClassifier(n_estimators=200).fit(X[:300], y[:300])
BoostingDisplay.from_estimator(model, X_test=X[300:], y_test=y[300:])
print(model.certificate_.statement)
