"""Every peer that is installed here: what it hands over must mean what the referee takes it for."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.kernel.cases import Case, gamma_value, targets
from benchmarks.kernel.contenders import CONTENDERS, MaxMargin
from benchmarks.kernel.judge import judge_model, value_error
from benchmarks.worker import ContenderError
from sklearn.datasets import make_blobs, make_friedman1

pytestmark = pytest.mark.filterwarnings("ignore")  # the peers' own


def _run(contender, case, X, y):
    subject = contender(case, X, y)
    try:
        subject.warm_up()
    except ContenderError as error:
        pytest.skip(str(error))
    subject.fit(1e-4)
    values = subject.decide()
    return judge_model(case, X, y, gamma_value(case.gamma, X), subject.multipliers()), values


@pytest.mark.parametrize("contender", CONTENDERS)
@pytest.mark.parametrize("first", [0, 1])  # which class comes first in the data
@pytest.mark.parametrize("gamma", [0.05, "scale", "auto"])
def test_two_classes(contender, first, gamma):
    X, y = make_blobs(n_samples=120, centers=2, cluster_std=5.0, n_features=3, random_state=0)
    rows = np.argsort(y != first, kind="stable")
    case = Case("test", None, targets(1, 1), C=2.0, gamma=gamma)
    judgement, values = _run(contender, case, X[rows], y[rows])
    assert judgement.relative_gap < 1e-3
    assert judgement.clipped < 1e-6
    assert judgement.sum_residual < 1e-6
    assert value_error(values, judgement) < 1e-4


@pytest.mark.parametrize("contender", CONTENDERS)
def test_several_classes_that_appear_out_of_order(contender):
    X, y = make_blobs(n_samples=160, centers=4, cluster_std=4.0, n_features=3, random_state=0)
    rows = np.argsort(-y, kind="stable")
    case = Case("test", None, targets(1, 1), C=2.0, gamma=0.05)
    judgement, _ = _run(contender, case, X[rows], y[rows] * 2 - 3)
    assert judgement.relative_gap < 1e-3
    assert judgement.problems == 6


@pytest.mark.parametrize("contender", CONTENDERS)
def test_csr(contender):
    X, y = make_blobs(n_samples=120, centers=2, cluster_std=5.0, n_features=5, random_state=0)
    X[X < 0] = 0
    case = Case("test", None, targets(1, 1), gamma=0.05)
    judgement, _ = _run(contender, case, sp.csr_matrix(X), np.where(y == 0, -1, 1))
    assert judgement.relative_gap < 1e-3


@pytest.mark.parametrize("contender", CONTENDERS)
def test_regression(contender):
    X, y = make_friedman1(n_samples=120, random_state=0)
    case = Case("test", None, targets(1, 1), gamma="auto", regression=True)
    judgement, values = _run(contender, case, X, (y - y.mean()) / y.std())
    assert judgement.relative_gap < 1e-3
    assert value_error(values, judgement) < 1e-4


def test_ours_meets_a_gap_that_it_is_asked_for():
    X, y = make_blobs(n_samples=120, centers=2, cluster_std=5.0, random_state=0)
    case = Case("test", None, targets(1, 1), gamma=0.05)
    subject = MaxMargin(case, X, y)
    subject.fit(1e-1, gap_tol=1e-7)
    assert judge_model(case, X, y, 0.05, subject.multipliers()).relative_gap < 1e-7
    assert subject.note() == ""


def test_rows_can_be_limited():
    X, y = make_blobs(n_samples=120, centers=2, random_state=0)
    subject = MaxMargin(Case("test", None, targets(1, 1), gamma=0.05), X, y)
    subject.use_rows(50)
    subject.fit(1e-3)
    assert subject.decide().shape == (50,)
