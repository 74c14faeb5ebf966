"""A pytest plugin that puts this project's trees and forests in the place of scikit-learn's before its tests are."""

import sklearn.ensemble
import sklearn.tree

import maxmargin.ensemble
import maxmargin.tree

for _name in ("DecisionTreeClassifier", "DecisionTreeRegressor", "export_text"):
    setattr(sklearn.tree, _name, getattr(maxmargin.tree, _name))
for _name in ("RandomForestClassifier", "RandomForestRegressor"):
    setattr(sklearn.ensemble, _name, getattr(maxmargin.ensemble, _name))
