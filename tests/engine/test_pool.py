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
