"""A pytest plugin that puts this project's machines in the place of scikit-learn's before its tests are imported."""

import sklearn.svm

import maxmargin.svm

for _name in maxmargin.svm.__all__:
    setattr(sklearn.svm, _name, getattr(maxmargin.svm, _name))
