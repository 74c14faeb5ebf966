"""
A rare class
============

Where one class has twenty times as many samples, it has the majority nearly everywhere. Three remedies: weigh
neighbours by one over the size of their class, draw as few of the common class, or make new samples of the rare
one.

The recall is the part of the rare class that is recognised; the precision, the part of what is called rare that is
rare. One is paid for with the other.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.neighbors import KNeighborsClassifier, SyntheticOverSampler, UnderSampler
from maxmargin.plotting import NeighborsDisplay

rng = np.random.default_rng(0)


def draw(common, rare):
    X = np.concatenate([rng.normal(0, 1.0, (common, 2)), rng.normal(1.5, 0.5, (rare, 2))])
    return X, np.repeat([0, 1], [common, rare])


X, y = draw(600, 30)
X_test, y_test = draw(6000, 300)
plain, weighted = KNeighborsClassifier(15), KNeighborsClassifier(15, weights="inverse_class_size")
cases = {
    "plain": (plain, X, y),
    "weighted by class size": (weighted, X, y),
    "under-sampled": (plain, *UnderSampler(random_state=0).fit_resample(X, y)),
    "synthetic samples": (plain, *SyntheticOverSampler(random_state=0).fit_resample(X, y)),
}
figure, panels = plt.subplots(2, 2, figsize=(10, 8.4), layout="constrained", sharex=True, sharey=True)
for (name, (model, rows, labels)), ax in zip(cases.items(), panels.flat, strict=True):
    model.fit(rows, labels)
    said = model.predict(X_test)
    recall, precision = (said[y_test == 1] == 1).mean(), (y_test[said == 1] == 1).mean()
    NeighborsDisplay.from_estimator(model, rows, labels, legend=False, grid_resolution=100, ax=ax)
    ax.set_title(f"{name}: recall {recall:.2f}, precision {precision:.2f}", fontsize=10)
