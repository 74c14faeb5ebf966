"""
How a certificate closes
========================

The primal objective of a machine comes down as it is trained, and the dual objective, a lower bound that no machine
can beat, comes up. The optimum is always between the two. Their difference is the duality gap.

When the gap is small enough the fit stops. What is stated as its quality is computed afresh from the model.
"""

from sklearn.datasets import make_moons

from maxmargin.plotting import CertificateDisplay
from maxmargin.svm import SVC

X, y = make_moons(400, noise=0.3, random_state=0)
display = CertificateDisplay.from_fit(SVC(C=10), X, y, moments=12, against="iterations")
