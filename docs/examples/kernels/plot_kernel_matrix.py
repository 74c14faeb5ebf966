"""
The matrix of a kernel
======================

The Gram matrix holds the value of the kernel for each pair of samples; here the samples are ordered by class. A
good kernel shows blocks: samples of one class are similar to each other.

The eigenvalues on the right say how many directions of the feature space the samples use. They are never negative:
the matrix is positive semi-definite, as Mercer's condition asks.
"""

from sklearn.datasets import load_iris

from maxmargin.plotting import KernelDisplay
from maxmargin.svm import SVC

iris = load_iris()
model = SVC().fit(iris.data, iris.target)
KernelDisplay.from_estimator(model, iris.data, iris.target, class_names=list(iris.target_names))
