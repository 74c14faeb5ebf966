"""
The perceptron and its mistakes
===============================

The perceptron adds every sample that it gets wrong to its weights. On separable data it makes at most
:math:`(R/\\gamma)^2` mistakes, however many samples there are.

These samples are far from the origin. Centring shortens them and widens the margin in the space of :math:`(x, 1)`:
here both the mistakes and their bound come down. (The left axis is logarithmic, the right one is not.)
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from maxmargin.linear_model import Perceptron
from maxmargin.plotting import MistakesDisplay

X, y = load_iris(return_X_y=True)
figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
for centred, ax in zip((False, True), panels, strict=True):
    model = Perceptron(centred=centred, trace=True).fit(X[:100], y[:100])
    MistakesDisplay.from_estimator(model, ax=ax)
    ax.set_title("centred" if centred else "as given", loc="left")
    print(model.certificate_.statement)
