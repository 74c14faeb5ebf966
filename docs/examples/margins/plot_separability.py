"""
Proof that two classes cannot be separated
==========================================

If some point is both a convex combination of samples of one class and one of samples of the other, no plane can have
the two classes on different sides: the convex hulls meet. :func:`maxmargin.svm.separability` finds such a point, or
the widest separating margin; one of the two always exists.

The polygons are the samples that the combinations use. Anyone can check the proof by adding up.
"""

import numpy as np

from maxmargin.plotting import HullsDisplay
from maxmargin.svm import separability

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(-1.0, 1.0, (30, 2)), rng.normal(1.0, 1.0, (30, 2))])
y = np.repeat([0, 1], 30)

verdict = separability(X, y)
HullsDisplay.from_proof(verdict.proof, X, y)
print(verdict)
print("the proof holds:", verdict.proof.verify(X, y).holds)
