"""
Choosing C and gamma
====================

:class:`~maxmargin.svm.SVCCV` tries pairs of *C* and *gamma* by cross-validation: each is trained on some folds and
scored on the one left out. The winner is trained once more on all samples.

The star is the winner; the outline encloses all pairs whose score is within one standard error of it, and the
diamond is the simplest of these. They lie along a diagonal: a wider kernel wants a larger *C*.
"""

import numpy as np
from sklearn.datasets import make_moons

from maxmargin.plotting import SearchDisplay
from maxmargin.svm import SVCCV

X, y = make_moons(200, noise=0.25, random_state=0)
search = SVCCV(Cs=np.geomspace(0.01, 1000, 6), gammas=np.geomspace(0.01, 100, 5)).fit(X, y)
SearchDisplay.from_estimator(search)
print(search.best_params_)
