"""
The perceptron in a feature space
=================================

The perceptron's weights are a sum of the samples that it got wrong, so that it can be run with kernel values alone.
Exclusive or, which no line can do, takes it a few mistakes.

The theorem about the number of mistakes holds in the feature space, and the certificate states the bound there.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.kernel_model import KernelPerceptron
from maxmargin.plotting import MistakesDisplay

rng = np.random.default_rng(0)
X = rng.choice([-1.0, 1.0], size=(80, 2)) + rng.normal(0, 0.25, (80, 2))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
model = KernelPerceptron(gamma=1.0, trace=True).fit(X, y)

across, up = np.meshgrid(np.linspace(-2, 2, 150), np.linspace(-2, 2, 150))
said = model.decision_function(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
left.contourf(across, up, said > 0, levels=1, cmap="cividis", alpha=0.35)
left.scatter(*X.T, c=y, cmap="cividis", edgecolor="black", linewidth=0.4, s=24)
MistakesDisplay.from_estimator(model, ax=right)
print(model.certificate_.statement)
