"""
The parameter nu
================

:class:`~maxmargin.svm.NuSVC` has :math:`\\nu` in the place of *C*: at most the part :math:`\\nu` of the samples is
inside the margin, and at least that part are support vectors. The two curves enclose the diagonal.

That makes :math:`\\nu` easier to choose than *C*, which is a price and depends on the scale of the data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin.svm import NuSVC

X, y = make_moons(200, noise=0.25, random_state=0)
nus = np.linspace(0.05, 0.85, 12)
support, inside = [], []
for nu in nus:
    model = NuSVC(nu=nu).fit(X, y)
    multipliers = np.abs(model.dual_coef_[0])
    support.append(len(model.support_) / len(X))
    inside.append(np.mean(multipliers > multipliers.max() * (1 - 1e-6)) * len(multipliers) / len(X))

figure, ax = plt.subplots(layout="constrained")
ax.plot(nus, support, "o-", label="support vectors")
ax.plot(nus, inside, "s-", label="samples at the upper bound (inside the margin)")
ax.plot(nus, nus, "k--", label="ν")
ax.set(xlabel="ν", ylabel="part of the samples")
ax.legend()
