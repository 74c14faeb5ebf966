"""Kernel machines on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import svm
from ._estimator import OnCluster
from ._large_fit import fit_large_svc


@dataclass(kw_only=True, eq=False, repr=False)
class LargeSVC(OnCluster, svm.LargeSVC):
    """`maxmargin.svm.LargeSVC` for rows on a cluster.

    A machine over landmarks: these are sent to every partition, which keeps the features of its rows. The certificate
    is of the *exact* problem, as on one machine: its optimum is proven to lie between two numbers. Takes the kernels
    "rbf" and "poly", two classes or ``multi_class="ovr"``. There are no exact steps: a gap above `gap_tol` needs more
    landmarks.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import LargeSVC
    >>> X = da.random.default_rng(0).normal(size=(2000, 2), chunks=(500, 2))
    >>> model = LargeSVC(n_landmarks=100).fit(X, (X**2).sum(axis=1) > 1)
    >>> proof = model.certificate_
    >>> 0 < proof.dual <= proof.primal < 1.01 * proof.dual
    True

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on rows X with labels y; returns the fitted `maxmargin.svm.LargeSVC`."""
        return self._fit_ordinary(svm.LargeSVC, fit_large_svc, X, y, sample_weight)
