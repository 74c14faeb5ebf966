"""
Underfitting and overfitting
============================

Without the truth, two scores tell the story: that on the training samples and that on samples held out. Where both
are low the model is too simple; where they diverge it memorises its samples.

The verdict above the picture is :func:`maxmargin.diagnostics.validation_curve`'s own.
"""

from sklearn.datasets import make_moons

from maxmargin.diagnostics import validation_curve
from maxmargin.plotting import CurveDisplay
from maxmargin.tree import DecisionTreeClassifier

X, y = make_moons(500, noise=0.35, random_state=0)
curve = validation_curve(
    DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[1, 2, 3, 4, 6, 8, 12], cv=8
)
CurveDisplay.from_curve(curve, score_name="accuracy")
