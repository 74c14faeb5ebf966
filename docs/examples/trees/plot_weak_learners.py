"""
Three weak learners
===================

Stumps ask about one feature, boxes about an interval of several, planes about a weighted sum. Any of them can be
boosted, as long as it is a little better than guessing.

Which is best depends on the shape of the classes: for a ring, a single box does well already.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

from maxmargin.ensemble import AdaBoostClassifier, DecisionBox, DecisionPlane, DecisionStump

X, y = make_circles(300, factor=0.5, noise=0.12, random_state=0)
across, up = np.meshgrid(np.linspace(-1.5, 1.5, 150), np.linspace(-1.5, 1.5, 150))
points = np.column_stack([across.ravel(), up.ravel()])

figure, panels = plt.subplots(1, 3, figsize=(12, 4.3), layout="constrained", sharey=True)
for learner, ax in zip((DecisionStump(), DecisionBox(), DecisionPlane()), panels, strict=True):
    alone = learner.fit(X, y).score(X, y)
    model = AdaBoostClassifier(learner, n_estimators=30).fit(X, y)
    ax.contourf(across, up, model.predict(points).reshape(across.shape), levels=1, cmap="cividis", alpha=0.5)
    ax.scatter(*X.T, c=y, cmap="cividis", edgecolor="black", linewidth=0.3, s=14)
    ax.set_title(
        f"{type(learner).__name__}: {100 * alone:.0f} % alone, {100 * model.score(X, y):.0f} % boosted", fontsize=10
    )
