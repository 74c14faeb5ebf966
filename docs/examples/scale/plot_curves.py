"""
Curves from partitions
======================

:class:`~maxmargin.dask.Ridge`, :class:`~maxmargin.dask.LinearSVR` and :class:`~maxmargin.dask.RandomForestRegressor`
are fitted to the same samples in one, four and sixteen partitions. The curves coincide: how the rows are divided
changes the first two by no more than rounding or the tolerance, and the forest not at all.

Ridge and the support vector machine are linear in their columns, here the cosines of nine frequencies.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from maxmargin.dask import LinearSVR, RandomForestRegressor, Ridge

rng = np.random.default_rng(0)
x = rng.uniform(0, 1, 2400)
target = np.sin(9 * x) * x + rng.normal(0, 0.15, 2400)
new = np.linspace(0, 1, 300)


def columns(x):
    return np.cos(np.pi * np.arange(1, 10) * x[:, None])


models = (Ridge(alpha=1e-3), LinearSVR(C=1.0, epsilon=0.1), RandomForestRegressor(30, max_depth=7, random_state=0))
figure, panels = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained", sharey=True)
for model, ax in zip(models, panels, strict=True):
    ax.plot(x[::6], target[::6], ".", color="0.75", markersize=3)
    curves = []
    for partitions, style in ((1, "-"), (4, "--"), (16, ":")):
        size = len(x) // partitions
        X = da.from_array(columns(x), chunks=(size, 9))
        fitted = model.fit(X, da.from_array(target, chunks=size))
        curves.append(fitted.predict(columns(new)))
        ax.plot(new, curves[-1], style, label=f"{partitions} partitions" if partitions > 1 else "1 partition")
    apart = np.ptp(curves, axis=0).max()
    ax.set_title(f"{type(model).__name__}: {f'at most {apart:.0e} apart' if apart else 'the same'}", fontsize=10)
panels[0].legend(fontsize=8)
