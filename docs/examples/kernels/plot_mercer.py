"""
A kernel that is not one
========================

The sigmoid :math:`\\tanh(\\gamma \\langle x, z \\rangle + r)` is often called a kernel. For most parameters its
matrix has negative eigenvalues, so that no feature space has these inner products.

A machine can still be trained, but its problem is not convex, its dual bounds nothing, and the certificate says so.
"""

import warnings

from sklearn.datasets import make_moons

from maxmargin.certificates import IndefiniteKernelWarning
from maxmargin.kernels import check_mercer
from maxmargin.plotting import KernelDisplay
from maxmargin.svm import SVC

X, y = make_moons(80, noise=0.1, random_state=0)
KernelDisplay.from_kernel("sigmoid", X, y, gamma=1.0, coef0=-1.0)
print(check_mercer("sigmoid", X, gamma=1.0, coef0=-1.0))

# %%
# The fit warns. Its status is *stationary*, and the gap is infinite.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", IndefiniteKernelWarning)
    model = SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(X, y)
print(model.certificate_.status, model.certificate_.relative_gap)
