"""
Weight decay
============

Ridge regression adds :math:`\\alpha \\|w\\|^2` to the squares. The polynomial of degree 9 calms down: its
coefficients, which were in the thousands, become small.

:class:`~maxmargin.linear_model.RidgeCV` chooses :math:`\\alpha` by leaving out each sample in turn, without
training again.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from maxmargin.linear_model import LinearRegression, PolynomialRegression, Ridge, RidgeCV
from maxmargin.plotting import PathDisplay

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 1, 10))[:, None]
y = np.sin(2 * np.pi * x.ravel()) + rng.normal(0, 0.2, 10)
grid = np.linspace(0, 1, 300)[:, None]

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
left.plot(x, y, "ko")
for alpha, style in ((0.0, ":"), (1e-4, "-"), (1.0, "--")):
    model = PolynomialRegression(degree=9, alpha=alpha).fit(x, y)
    left.plot(grid, model.predict(grid), style, label=f"α = {alpha:g}, largest weight {np.abs(model.coef_).max():.2g}")
left.set(ylim=(-2, 2))
left.legend()

# %%
# On the right, the weights of ten features of the diabetes data against :math:`\alpha`.

X, target = load_diabetes(return_X_y=True, as_frame=True)
PathDisplay.from_estimator(Ridge(), X, target, alphas=np.geomspace(1e-3, 100, 30), ax=right)
chosen = RidgeCV(alphas=np.geomspace(1e-3, 100, 30)).fit(X, target)
plain = LinearRegression().fit(X, target)
print(f"RidgeCV: α = {chosen.alpha_:.3g}, R² {chosen.score(X, target):.3f}; least squares {plain.score(X, target):.3f}")
