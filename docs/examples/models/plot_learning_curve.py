"""
Would more samples help
=======================

The score on held-out samples against the number of training samples. If it still rises at the right end, more
samples will help; if it has met the training score, they will not, and a more flexible model might.

Here a narrow kernel memorises its samples, and the curve says so.
"""

from sklearn.datasets import make_moons

from maxmargin.diagnostics import learning_curve
from maxmargin.plotting import CurveDisplay
from maxmargin.svm import SVC

X, y = make_moons(400, noise=0.3, random_state=0)
curve = learning_curve(SVC(C=10, gamma=30.0), X, y, random_state=0)
CurveDisplay.from_curve(curve, score_name="accuracy")
print(curve.verdict)
