"""
Gradient descent, conjugate gradients, Newton
=============================================

Three ways down the same smooth hill, logistic regression on standardised but correlated features. Gradient descent
zigzags across the valley; conjugate gradients remember the last direction; Newton's method knows the curvature
and needs a handful of steps.

A step of Newton's method is the most expensive: it solves a system of equations with as many unknowns as there are
features.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from maxmargin.linear_model import LinearClassifier
from maxmargin.plotting import TraceDisplay

X, y = load_breast_cancer(return_X_y=True)
models = {
    name: LinearClassifier(loss="logistic", solver=name, max_iter=3000, trace=True).fit(scale(X), y)
    for name in ("gradient_descent", "conjugate_gradient", "newton")
}
TraceDisplay.from_estimators(models)
