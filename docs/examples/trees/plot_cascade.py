"""
A cascade for rare positives
============================

Where positives are rare, most negatives can be rejected by a few learners. Each stage of a cascade passes nearly
all positives and rejects many negatives, and what it rejects is not looked at again.

Rates multiply: the recall of the cascade is the product of the stages', and so is its false positive rate.
"""

import numpy as np

from maxmargin.ensemble import CascadeClassifier
from maxmargin.plotting import CascadeDisplay

X = np.random.default_rng(0).normal(size=(10_000, 3))
y = (np.abs(X) > 1.2).all(axis=1)
model = CascadeClassifier(random_state=0).fit(X, y)
CascadeDisplay.from_estimator(model)
print(f"{100 * y.mean():.1f} % of the samples are positive")
print(model.certificate_.statement)
