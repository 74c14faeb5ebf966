"""
An approximate machine with an exact certificate
================================================

:class:`~maxmargin.svm.LargeSVC` writes the machine as a sum over a few landmarks. Its certificate is about the
*exact* machine of all rows, which it never computes: the upper end of the bracket is its own objective, the lower
end comes from multipliers.

With more landmarks the bracket closes. :class:`~maxmargin.svm.SVC` on the same rows lies between the two curves, as
it must.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from maxmargin.svm import SVC, LargeSVC

X, y = make_moons(1500, noise=0.3, random_state=0)
counts = (5, 10, 20, 40, 80)
with warnings.catch_warnings():  # of brackets that are still wide: that is what is to be seen
    warnings.simplefilter("ignore", ConvergenceWarning)
    brackets = [LargeSVC(method="landmarks", n_landmarks=n).fit(X, y).certificate_ for n in counts]
exact = SVC().fit(X, y).certificate_

figure, ax = plt.subplots(layout="constrained")
ax.plot(counts, [proof.primal for proof in brackets], "o-", label="upper end: the machine's own objective")
ax.plot(counts, [proof.dual for proof in brackets], "s-", label="lower end: no machine is below")
ax.axhline(exact.primal, color="black", linestyle=":", label="the exact machine")
ax.set(xlabel="landmarks", ylabel="objective", xscale="log")
ax.set_xticks(counts, labels=counts)
ax.minorticks_off()
ax.legend()
