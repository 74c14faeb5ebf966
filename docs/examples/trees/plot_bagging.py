"""
Bags with replacement, and disjoint ones
========================================

Bagging trains each tree on as many samples as there are, drawn with replacement; a bag holds 63.2 % of the samples.
The samples that a bag has missed judge its tree: the out-of-bag error costs no sample.

Disjoint bags deal the samples out instead. The trees are independent, and each has seen far fewer samples. The band
is one standard error around the out-of-bag error of all trees; the dashed line is the error on other samples.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from maxmargin.ensemble import BaggingClassifier
from maxmargin.plotting import OutOfBagDisplay

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
figure, panels = plt.subplots(1, 2, figsize=(11.5, 4.8), layout="constrained", sharey=True)
for model, ax in zip(
    (
        BaggingClassifier(n_estimators=40, random_state=0),
        BaggingClassifier(n_estimators=10, bootstrap="disjoint", random_state=0),
    ),
    panels,
    strict=True,
):
    OutOfBagDisplay.from_estimator(model.fit(X, y), X_test=X_test, y_test=y_test, legend=False, ax=ax)
    ax.set_title(f"{100 * model.bag_fractions_.mean():.0f} % of the samples in each bag", loc="left")
