"""
Why a penalty generalises
=========================

If one sample is replaced, a machine with a strong penalty hardly changes. From that alone follows a bound on how
much worse it is on new samples than on its own, on average: :math:`2\\rho^2/(\\lambda m)` for *m* samples and a
loss of slope :math:`\\rho`.

The bound trades that against the bias :math:`\\lambda B^2` towards short weights. The sum is smallest at
:math:`\\lambda = (\\rho/B)\\sqrt{2/m}`, the dot.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.bounds import best_regularisation, stability_bound

slope, radius, samples = 1.0, 2.0, 200
values = np.geomspace(1e-3, 1, 100)
bias = values * radius**2
variance = np.array([stability_bound(slope, value, samples) for value in values])
best = best_regularisation(slope, radius, samples)

figure, ax = plt.subplots(layout="constrained")
ax.loglog(values, variance, "--", label="from stability: 2ρ²/(λm)")
ax.loglog(values, bias, ":", label="from the penalty: λB²")
ax.loglog(values, bias + variance, "k", label="both")
ax.plot(best.regularisation, best.excess, "ko")
ax.set(xlabel="λ", ylabel="bound on the excess loss")
ax.legend()
