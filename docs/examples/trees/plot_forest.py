"""
A random forest and its out-of-bag error
========================================

A forest bags its trees, and lets each split choose among a few features only, so that the trees differ more. The
out-of-bag error falls with the first trees and then rests: more trees do not overfit.

The band is one standard error. The error on other samples is inside it.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from maxmargin.ensemble import RandomForestClassifier
from maxmargin.plotting import OutOfBagDisplay

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
model = RandomForestClassifier(n_estimators=150, random_state=0).fit(X, y)
OutOfBagDisplay.from_estimator(model, X_test=X_test, y_test=y_test)
print(model.certificate_.statement)
