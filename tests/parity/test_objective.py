"""The optimum, by another route: every binary problem of real data sets against scikit-learn run to 1e-10.

Reference values come from the multipliers of scikit-learn's machine, with kernel values by its plain functions, in
float64. They are trusted only as far as they are feasible; a reference that is not exact would be too low, never
too high.
"""

import itertools

import numpy as np
import pytest
import sklearn.svm
from sklearn.metrics.pairwise import pairwise_kernels

from maxmargin.certificates import Status
from maxmargin.svm import SVC

SETTINGS = list(itertools.product(["linear", "poly", "rbf"], [0.01, 1.0, 100.0]))


def problem_of(name, X, y, kernel, C):
    """The rows to train on: all of them, but for one setting that takes the reference more than a minute."""
    if name == "spambase" and kernel == "linear" and C == 100.0:
        chosen = np.random.default_rng(0).permutation(len(y))[:700]
        return X[chosen], y[chosen]
    return X, y


def pairs(model, y):
    """(rows, signed multipliers) of each binary problem, from the attributes that both libraries have."""
    classes = len(model.classes_)
    coef = np.zeros((classes - 1, len(y)))
    coef[:, model.support_] = model.dual_coef_
    label = np.searchsorted(model.classes_, y)
    if classes == 2:
        return [(np.arange(len(y)), coef[0])]
    found = []
    for a in range(classes):
        for b in range(a + 1, classes):
            rows = np.flatnonzero((label == a) | (label == b))
            found.append((rows, np.where(label[rows] == a, coef[b - 1, rows], coef[a, rows])))
    return found


def dual_values(model, K, y):
    return np.array([np.abs(b).sum() - b @ K[np.ix_(r, r)] @ b / 2 for r, b in pairs(model, y)])


@pytest.mark.parametrize(("kernel", "C"), SETTINGS)
def test_dual_objective_and_predictions(real_data, kernel, C):
    name, X, y = real_data
    X, y = problem_of(name, X, y, kernel, C)
    ours = SVC(kernel=kernel, C=C, gap_tol=1e-7).fit(X, y)
    reference = sklearn.svm.SVC(kernel=kernel, C=C, tol=1e-10, cache_size=500).fit(X, y)

    assert ours.certificate_.status is Status.CONVERGED
    options = {} if kernel == "linear" else {"gamma": 1 / (X.shape[1] * X.var())}
    if kernel == "poly":
        options |= {"degree": 3, "coef0": 0.0}
    K = pairwise_kernels(X, metric=kernel, **options)
    theirs = dual_values(reference, K, y)
    claimed = np.array([c.dual for c in ours.certificate_.problems])
    np.testing.assert_allclose(claimed, theirs, rtol=1e-6)
    np.testing.assert_allclose(dual_values(ours, K, y), theirs, rtol=1e-6)  # and not only by our own account
    for c in ours.certificate_.problems:
        assert 0 <= c.relative_gap <= 1e-7
        assert c.kkt_violation <= ours.tol
    primal = np.array([c.primal for c in ours.certificate_.problems])
    assert (primal >= theirs * (1 - 1e-9)).all()  # the reference lies below every primal value

    # labels may differ only where a decision value is next to nothing
    ours.decision_function_shape = "ovo"
    near = (np.abs(np.atleast_2d(ours.decision_function(X).T)) < 1e-3).any(axis=0)
    differ = ours.predict(X) != reference.predict(X)
    assert not (differ & ~near).any()


def test_multipliers_are_feasible(real_data):
    """What the proof rests on: multipliers in their boxes, with sum zero."""
    _, X, y = real_data
    model = SVC(kernel="rbf", C=2.0).fit(X, y)
    for rows, beta in pairs(model, y):
        assert np.abs(beta).max() <= 2.0
        assert abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
        assert len({tuple(np.unique(np.sign(beta[y[rows] == c]))) for c in np.unique(y[rows])}) == 2


@pytest.mark.parametrize("options", [{}, {"shrinking": False}, {"cache_size": 0.5}, {"n_jobs": 1}], ids=str)
@pytest.mark.parametrize("d", [5, 150])
def test_many_samples_and_many_features(clouds, d, options):
    """Working sets, kept rows, samples set aside, next to no memory: the same optimum."""
    X, y = clouds(2400, d, distance=1.0 / np.sqrt(d))
    ours = SVC(gap_tol=1e-7, **options).fit(X, y)
    reference = sklearn.svm.SVC(tol=1e-8).fit(X, y)
    K = pairwise_kernels(X, metric="rbf", gamma=1 / (d * X.var()))
    assert ours.certificate_.status is Status.CONVERGED
    assert ours.certificate_.dual == pytest.approx(dual_values(reference, K, y)[0], rel=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-3, 1e-5])
def test_violation_means_what_it_means_there(real_data, kernel, tol):
    """Where both libraries stop at the same ``tol``, both have a violation of at most that."""
    _, X, y = real_data
    if len(X) > 1000:
        X, y = X[::5], y[::5]
    model = SVC(kernel=kernel, tol=tol).fit(X, y)
    assert model.certificate_.kkt_violation <= tol
    assert model.certificate_.verify(X, y).kkt_violation <= tol
