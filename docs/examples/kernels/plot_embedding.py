"""
Points from a matrix of similarities
====================================

A positive semi-definite matrix *K* is the Gram matrix of some points: with :math:`K = U \\Lambda U^T` they are the
rows of :math:`U \\Lambda^{1/2}`. :class:`~maxmargin.kernel_approximation.KernelEmbedding` computes them.

Here the similarities are those of an RBF kernel on two moons. In the first two coordinates of the embedding the
moons have been bent; with all coordinates, the inner products are the matrix again.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin.kernel_approximation import KernelEmbedding
from maxmargin.kernels import RBF

X, y = make_moons(150, noise=0.06, random_state=0)
K = RBF(1.0)(X)
embedded = KernelEmbedding(kernel="precomputed").fit_transform(K)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
left.scatter(*X.T, c=y, cmap="cividis", edgecolor="black", linewidth=0.4, s=20)
left.set(title="the samples", aspect="equal")
right.scatter(*embedded[:, :2].T, c=y, cmap="cividis", edgecolor="black", linewidth=0.4, s=20)
right.set(title="first two coordinates of the embedding", aspect="equal")
print(
    f"{embedded.shape[1]} coordinates; largest error of an inner product {np.abs(embedded @ embedded.T - K).max():.1e}"
)
