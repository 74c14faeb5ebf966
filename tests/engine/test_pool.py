"""The shared pool of threads."""

import os
import threading
import time

import pytest

from maxmargin.engine import run_parallel, thread_count
from maxmargin.engine._pool import _cores


def test_results_keep_the_order_of_the_arguments():
    assert run_parallel(lambda a, b: (a, b), [(k, -k) for k in range(20)]) == [(k, -k) for k in range(20)]


def test_nothing_to_do():
    assert run_parallel(lambda a: a, []) == []


def test_a_single_task_runs_on_the_calling_thread():
    assert run_parallel(lambda _: threading.get_ident(), [(0,)]) == [threading.get_ident()]


def test_the_first_of_several_tasks_runs_on_the_calling_thread():
    idents = run_parallel(lambda _: threading.get_ident(), [(k,) for k in range(4)])
    assert idents[0] == threading.get_ident()
    assert threading.get_ident() not in idents[1:]


@pytest.mark.parametrize("where", [0, 3])
def test_an_exception_leaves_after_every_task_has_ended(where):
    started, ended = [], []
    release = threading.Event()

    def task(k):
        started.append(k)
        if k == where:
            raise KeyError(k)
        release.wait(60)
        time.sleep(0.2)  # still at work when the culprit's exception is on its way
        ended.append(k)

    def on_error():
        release.set()

    if where:  # the calling thread waits for the others in their order: let the ones before the culprit end
        release.set()
    with pytest.raises(KeyError):
        run_parallel(task, [(k,) for k in range(6)], on_error=on_error)
    assert sorted(ended) == sorted(k for k in started if k != where)


def test_on_error_is_not_called_without_an_error():
    called = []
    run_parallel(lambda _: None, [(0,), (1,)], on_error=lambda: called.append(1))
    assert called == []


def test_many_threads_may_use_the_pool_at_once():
    results = [None] * 8

    def work(t):
        results[t] = run_parallel(lambda k: k * t, [(k,) for k in range(50)])

    threads = [threading.Thread(target=work, args=(t,)) for t in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == [[k * t for k in range(50)] for t in range(8)]


def test_thread_count():
    cores = _cores()
    assert 1 <= cores <= os.cpu_count()
    assert thread_count(None) == cores
    assert thread_count(-1) == cores
    assert thread_count(-2) == max(1, cores - 1)
    assert thread_count(-1000) == 1
    assert thread_count(3) == 3


def test_zero_threads_are_refused():
    with pytest.raises(ValueError, match="n_jobs=0"):
        thread_count(0)


def test_tasks_are_leaves():
    """What a task wants to have run in parallel it runs itself: nobody waits for threads that all wait."""

    def inner(k):
        return k, threading.get_ident()

    def outer(k):
        found = run_parallel(inner, [(i,) for i in range(3)], long=bool(k % 2))
        assert {ident for _, ident in found} == {threading.get_ident()}
        return [i for i, _ in found]

    count = 4 * _cores() + 1
    assert run_parallel(outer, [(k,) for k in range(count)]) == [[0, 1, 2]] * count
    assert run_parallel(outer, [(k,) for k in range(count)], long=True) == [[0, 1, 2]] * count


def test_long_tasks_leave_the_calling_thread_free():
    idents = run_parallel(lambda _: threading.get_ident(), [(k,) for k in range(3)], long=True)
    assert threading.get_ident() not in idents
    assert run_parallel(lambda _: threading.get_ident(), [(0,)], long=True) != [threading.get_ident()]


def test_every_estimator_inside_a_task_of_a_pool_of_one_thread(run_python):
    """The thread of the pool would wait for itself if any task in the library ran others and waited for them."""
    run_python(
        """
        import warnings
        import numpy as np
        from concurrent.futures import ThreadPoolExecutor
        from sklearn.base import clone
        from maxmargin.engine import _pool, run_parallel
        from tests.engine.fuzz_interrupts import _data, estimators

        warnings.simplefilter("ignore")

        class Strict(ThreadPoolExecutor):
            def submit(self, *args, **options):
                assert not _pool._own.is_task, "a task has handed work to the pool"
                return super().submit(*args, **options)

        _pool._pool = Strict(1)
        data = _data(np.random.default_rng(0))

        def task(name):
            model, target = estimators()[name]
            y = data[target] if target else None
            model = clone(model).fit(data["X"], y)
            if hasattr(model, "predict"):
                model.predict(data["X"])
            return name

        for name in estimators():  # also by themselves, where their own tasks go to the pool
            task(name)
        names = [(name,) for name in estimators()]
        assert run_parallel(task, names, long=True) == list(estimators())
        """,
        timeout=1800,
    )


def test_cross_validation_in_threads_ends(run_python):
    """Two fits at once whose tasks compute what they share on first use, itself in parallel."""
    run_python(
        """
        import joblib
        import numpy as np
        from sklearn.model_selection import cross_val_score
        from maxmargin.linear_model import Ridge

        rng = np.random.default_rng(0)
        X = rng.normal(size=(60_000, 30))
        y = X @ rng.normal(size=30) + rng.normal(size=60_000)
        with joblib.parallel_backend("threading"):
            assert min(cross_val_score(Ridge(), X, y, cv=4, n_jobs=2)) > 0.9
        """,
        timeout=600,
    )


def test_first_imports_and_fits_in_several_threads(run_python):
    run_python(
        """
        import importlib
        import threading
        import numpy as np

        X = np.random.default_rng(0).normal(size=(100, 3))
        errors = []

        def work(room, name):
            try:
                getattr(importlib.import_module(f"maxmargin.{room}"), name)().fit(X, X[:, 0] > 0)
            except BaseException as error:
                errors.append(error)

        models = [("svm", "SVC"), ("tree", "DecisionTreeClassifier"), ("linear_model", "LogisticRegression"),
                  ("neighbors", "KNeighborsClassifier"), ("cluster", "KMeans")]
        threads = [threading.Thread(target=work, args=model) for model in models]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors, errors
        """,
        timeout=600,
    )
