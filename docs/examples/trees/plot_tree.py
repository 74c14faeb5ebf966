"""
A decision tree
===============

Each node asks whether one feature is at most some number; the question is the one that leaves the classes purest. A
leaf answers with the classes of its training samples.

Purity is measured by the Gini impurity or by the entropy. On most data the two ask nearly the same questions.
"""

from sklearn.datasets import load_iris

from maxmargin.plotting import TreeDisplay
from maxmargin.tree import DecisionTreeClassifier

iris = load_iris()
model = DecisionTreeClassifier(max_depth=3).fit(iris.data, iris.target)
TreeDisplay.from_estimator(model, feature_names=iris.feature_names, class_names=iris.target_names)

by_entropy = DecisionTreeClassifier(max_depth=3, criterion="entropy").fit(iris.data, iris.target)
same = (model.predict(iris.data) == by_entropy.predict(iris.data)).mean()
print(f"Gini and entropy agree on {100 * same:.0f} % of the samples")
print(model.certificate_.statement)
