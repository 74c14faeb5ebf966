"""
Models from partitions
======================

The estimators of ``maxmargin.dask`` take rows in partitions, on one machine or on many, and are otherwise those of
one machine. Each partition sends sums, and rows stay where they are; only a search for *C* and *gamma* needs all rows
in each worker.

What comes back is an ordinary model: it predicts, and is drawn, without the cluster. Titles state what its certificate
says of all the rows.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin.dask import SVCCV, KMeans, LargeSVC, LinearSVC, LogisticRegression, RandomForestClassifier

rows, labels = make_moons(3000, noise=0.25, random_state=0)
X, y = da.from_array(rows, chunks=(750, 2)), da.from_array(labels, chunks=750)  # four partitions
machines = (LinearSVC(), LogisticRegression(), LargeSVC(gamma=1.0, gap_tol=0.05))
models = [machine.fit(X, y) for machine in machines]
models.append(RandomForestClassifier(n_estimators=20, max_depth=6, random_state=0).fit(X, y))
models.append(SVCCV(Cs=[1, 10], gammas=[0.5, 2], cv=3).fit(rows[::10], labels[::10]))
models.append(KMeans(2, random_state=0).fit(X))

grid = np.stack(np.meshgrid(np.linspace(-1.8, 2.8, 120), np.linspace(-1.4, 1.9, 90)), axis=-1)
figure, panels = plt.subplots(2, 3, figsize=(10.5, 5.6), layout="constrained", sharex=True, sharey=True)
for model, ax in zip(models, panels.flat, strict=True):
    regions = model.predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    ax.contourf(*np.moveaxis(grid, -1, 0), regions, levels=[-0.5, 0.5, 1.5], colors=["#0055a7", "#e66100"], alpha=0.25)
    for label, marker, colour in ((0, "o", "#0055a7"), (1, "^", "#e66100")):
        ax.plot(*rows[::10][labels[::10] == label].T, marker, color=colour, markersize=2.5)
    proof = model.certificate_
    gap = f"relative gap {proof.relative_gap:.0e}" if hasattr(proof, "relative_gap") else proof.name
    ax.set_title(f"{type(model).__name__}\n{gap}", fontsize=10)
