"""
Single samples, momentum, RMSprop and Adam
==========================================

A stochastic step follows the gradient of one sample or of a small batch. Momentum averages the directions of past
steps, RMSprop divides each weight's step by the recent size of its gradient, and Adam does both.

The answer of each is the mean of its steps, and all four are judged by the same duality gap. On this small convex
problem plain single-sample steps are the quickest: rates that adapt pay where gradients differ much more between
weights.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from maxmargin.linear_model import LinearClassifier
from maxmargin.plotting import TraceDisplay

X, y = load_breast_cancer(return_X_y=True)
options = {
    "single samples": {},
    "momentum": {"direction": "momentum", "momentum": 0.9, "batch_size": 16},
    "RMSprop": {"direction": "rmsprop", "decay": 0.99, "batch_size": 16},
    "Adam": {"direction": "adam", "momentum": 0.9, "decay": 0.999, "batch_size": 16},
}
models = {
    name: LinearClassifier(
        loss="logistic", solver="sgd", tol=2e-2, max_iter=2000, trace=True, solver_options=given
    ).fit(scale(X), y)
    for name, given in options.items()
}
TraceDisplay.from_estimators(models)
