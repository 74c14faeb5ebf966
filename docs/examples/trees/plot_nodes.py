"""
What a node may ask
===================

A threshold on one feature cuts along the axes: an oblique border becomes a staircase. Nodes that ask about a plane
(``node="oblique"``) or a box (``node="box"``) need fewer leaves where the classes are so shaped.

The number of leaves is the price of the wrong question.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.tree import DecisionTreeClassifier

X = np.random.default_rng(0).uniform(-1, 1, (600, 2))
y = (X.sum(axis=1) > 0).astype(int)
across, up = np.meshgrid(np.linspace(-1, 1, 200), np.linspace(-1, 1, 200))
points = np.column_stack([across.ravel(), up.ravel()])

figure, panels = plt.subplots(1, 3, figsize=(12, 4.3), layout="constrained", sharey=True)
for node, ax in zip(("axis", "oblique", "box"), panels, strict=True):
    model = DecisionTreeClassifier(node=node, random_state=0).fit(X, y)
    ax.contourf(across, up, model.predict(points).reshape(across.shape), levels=1, cmap="cividis", alpha=0.5)
    ax.scatter(*X.T, c=y, cmap="cividis", s=6)
    ax.set(title=f"{node}: {model.get_n_leaves()} leaves", aspect="equal")
