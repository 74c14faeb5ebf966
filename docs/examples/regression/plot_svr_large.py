"""
Choosing a regression machine, and making it large
==================================================

:class:`~maxmargin.svm.SVRCV` chooses *C* and *gamma* by cross-validation. :class:`~maxmargin.svm.LargeSVR` writes
the curve with a few landmarks, and its certificate brackets the exact machine. :class:`~maxmargin.svm.LinearSVR` is
the straight line among them.

The three are drawn over the same noisy samples.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.svm import SVRCV, LargeSVR, LinearSVR

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 400))[:, None]
y = np.sin(x).ravel() + 0.3 * x.ravel() + rng.normal(0, 0.2, 400)
grid = np.linspace(0, 6, 300)[:, None]

models = {
    "SVRCV": SVRCV(Cs=[0.1, 1, 10], gammas=[0.1, 1, 10], epsilon=0.1, cv=3),
    "LargeSVR, 15 landmarks": LargeSVR(method="landmarks", n_landmarks=15, epsilon=0.1),
    "LinearSVR": LinearSVR(C=10, epsilon=0.1),
}
figure, ax = plt.subplots(layout="constrained")
ax.plot(x, y, ".", color="silver")
for (name, model), style in zip(models.items(), ("-", "--", ":"), strict=True):
    ax.plot(grid, model.fit(x, y).predict(grid), style, linewidth=2, label=name)
ax.legend()
print(models["SVRCV"].best_params_)
print(models["LargeSVR, 15 landmarks"].certificate_)
