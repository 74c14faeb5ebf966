"""
Four solvers of one problem
===========================

Sequential minimal optimisation (SMO) moves two multipliers at a time, decomposition many, projected gradients all
of them; the active set method takes Newton's steps among those that are free. They solve the same problem, so that
their certificates agree.

:class:`~maxmargin.plotting.Recorder` listens to a fit from outside, and the last line says what it heard.
"""

from sklearn.datasets import make_moons

from maxmargin.plotting import Recorder, TraceDisplay
from maxmargin.svm import SVC

X, y = make_moons(300, noise=0.3, random_state=0)
names = ("decomposition", "smo", "projected_gradient", "active_set")
models = {name: SVC(C=10, solver=name, trace=True).fit(X, y) for name in names}
TraceDisplay.from_estimators(models)

recorder = Recorder()
SVC(C=10, solver="projected_gradient", callback=recorder).fit(X, y)
print(len(recorder), "reports, the last after", recorder.iterations[-1], "iterations")
