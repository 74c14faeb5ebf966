"""The same answer every time: again, from several threads at once, and after a fork."""

import os
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_all_start_methods

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from maxmargin.svm import SVC


def assert_identical(a, b):
    assert_array_equal(a.support_, b.support_)
    assert_array_equal(a.dual_coef_, b.dual_coef_)
    assert_array_equal(a.intercept_, b.intercept_)
    assert_array_equal(a.n_iter_, b.n_iter_)
    assert a.certificate_.dual == b.certificate_.dual
    assert a.certificate_.relative_gap == b.certificate_.relative_gap


@pytest.fixture(scope="module", params=["two classes", "many classes", "more than a working set", "float32"])
def data(request, clouds, load):
    if request.param == "two classes":
        return clouds(300, 4)
    if request.param == "many classes":
        return load("digits")
    X, y = clouds(2500, 6, distance=0.5)
    return (X.astype(np.float32) if request.param == "float32" else X), y


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_two_fits_are_identical_to_the_bit(data, n_jobs):
    X, y = data
    first, second = (SVC(C=3.0, n_jobs=n_jobs).fit(X, y) for _ in range(2))
    assert_identical(first, second)
    assert_array_equal(first.decision_function(X), second.decision_function(X))


def test_a_refit_forgets_the_last_fit(data):
    X, y = data
    model = SVC(C=3.0).fit(X[: len(X) // 2], y[: len(X) // 2])
    assert_identical(model.fit(X, y), SVC(C=3.0).fit(X, y))


def test_a_seed_changes_nothing(data):
    X, y = data
    before = np.random.get_state()[1].copy()
    assert_identical(SVC(random_state=0).fit(X, y), SVC(random_state=1).fit(X, y))
    assert_array_equal(np.random.get_state()[1], before)  # nobody's random numbers were used


def test_the_number_of_threads_changes_no_more_than_rounding(clouds):
    X, y = clouds(2500, 6, distance=0.5)
    one, two = (SVC(C=3.0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.certificate_.dual == pytest.approx(two.certificate_.dual, rel=1e-4)


def test_four_fits_at_once(data):
    X, y = data
    serial = SVC(C=3.0).fit(X, y)
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(SVC(C=3.0).fit, X, y) for _ in range(4)]
    for fit in fits:
        assert_identical(fit.result(), serial)


def test_four_different_fits_at_once(clouds):
    X, y = clouds(1500, 4, distance=0.5)
    settings = [{"kernel": "linear"}, {"kernel": "rbf"}, {"kernel": "poly"}, {"kernel": "rbf", "C": 10.0}]
    serial = [SVC(**s).fit(X, y) for s in settings]
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(SVC(**s).fit, X, y) for s in settings]
    for fit, alone in zip(fits, serial, strict=True):
        assert_identical(fit.result(), alone)


def test_predictions_from_several_threads(clouds):
    X, y = clouds(3000, 4)
    model = SVC().fit(X, y)
    expected = model.decision_function(X)
    with ThreadPoolExecutor(4) as pool:
        for values in pool.map(model.decision_function, [X] * 8):
            assert_array_equal(values, expected)


@pytest.mark.skipif(
    "fork" not in get_all_start_methods() or not hasattr(os, "register_at_fork"), reason="no fork on this system"
)
def test_fits_in_a_forked_child(run_python):
    """Threads do not survive a fork: the child has to have a pool of its own."""
    run_python("""
        import multiprocessing
        import warnings
        import numpy as np
        from maxmargin.svm import SVC

        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of any fork of a process with threads
        rng = np.random.default_rng(0)
        X = rng.normal(size=(2500, 20))
        y = rng.integers(0, 4, 2500)

        def fit(queue):
            queue.put(SVC(n_jobs=2).fit(X, y).intercept_)

        here = SVC(n_jobs=2).fit(X, y).intercept_
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        children = [context.Process(target=fit, args=(queue,), daemon=True) for _ in range(2)]
        for child in children:
            child.start()
        for child in children:
            assert np.array_equal(queue.get(timeout=120), here)
        for child in children:
            child.join(60)
            assert child.exitcode == 0
        assert np.array_equal(SVC(n_jobs=2).fit(X, y).intercept_, here)  # and the parent goes on
    """)
