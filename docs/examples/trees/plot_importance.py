"""
Which features a forest uses
============================

The importance of a feature is the part of all gains in purity that its splits have made. It says what the forest
used, and not what causes the classes: of two features that say the same, either may be used.

``combine="product"`` multiplies the trees' probabilities instead of averaging them, a product of experts.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from maxmargin.ensemble import RandomForestClassifier
from maxmargin.plotting import ImportanceDisplay

bunch = load_breast_cancer()
X, X_test, y, y_test = train_test_split(bunch.data, bunch.target, test_size=0.4, random_state=0)
model = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y)
ImportanceDisplay.from_estimator(model, feature_names=bunch.feature_names, most=10)

product = RandomForestClassifier(n_estimators=100, combine="product", random_state=0).fit(X, y)
for name, forest in (("mean", model), ("product", product)):
    print(f"{name}: {100 * forest.score(X_test, y_test):.1f} % of new samples")
