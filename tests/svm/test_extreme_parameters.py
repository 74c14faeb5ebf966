"""C of a million, gammas over nine orders of magnitude, every row twice: the certificate tells the truth."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.svm import SVC, SVR, NuSVC, OneClassSVM


def quietly(machine, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(X, y)


@pytest.mark.parametrize("gamma", np.logspace(-6, 3, 10))
@pytest.mark.parametrize("copies", [1, 2])
def test_classifier(clouds, assert_truthful, gamma, copies):
    X, y = clouds(150)
    X, y = np.tile(X, (copies, 1)), np.tile(y, copies)
    assert_truthful(quietly(SVC(C=1e6, gamma=gamma, max_iter=2_000_000), X, y), X, y)


@pytest.mark.parametrize("gamma", [1e-6, 1e-2, 1.0, 1e3])
@pytest.mark.parametrize("machine", [SVR(C=1e6), NuSVC(nu=0.3), OneClassSVM(nu=0.2)], ids=lambda m: type(m).__name__)
def test_the_other_machines(clouds, gamma, machine):
    X, y = clouds(150)
    X, y = np.tile(X, (2, 1)), np.tile(y, 2)
    model = quietly(machine.set_params(gamma=gamma, max_iter=500_000), X, y)
    claimed, proven = model.certificate_, model.certificate_.verify(X, y)
    assert max(claimed.dual, proven.dual) <= min(claimed.primal, proven.primal)
    assert (claimed.status is Status.CONVERGED) == (proven.status is Status.CONVERGED)
    assert proven.status is not Status.REFUTED
    # two ways to compute a kernel differ by 1e-13, which bounds of 1e6 turn into a gap of 1e-6
    assert proven.relative_gap <= 1.001 * claimed.relative_gap + 1e-5
