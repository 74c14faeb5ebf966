"""Portions: each done once, results in their order, no more threads than allowed, an error ends them."""

from threading import Lock

import pytest

from maxmargin.engine import run_portions


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_are_in_order(threads):
    assert run_portions(lambda a, b: a * b, [(k, k + 1) for k in range(40)], threads) == [
        k * (k + 1) for k in range(40)
    ]
    assert run_portions(lambda: None, [], threads) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_no_more_threads_than_allowed(threads):
    lock, running, most = Lock(), [0], [0]

    def task(k):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        sum(range(20_000))
        with lock:
            running[0] -= 1

    run_portions(task, [(k,) for k in range(30)], threads)
    assert most[0] <= threads


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_leaves_the_rest_undone(threads):
    done = []

    def task(k):
        if k == 3:
            raise KeyboardInterrupt
        done.append(k)

    with pytest.raises(KeyboardInterrupt):
        run_portions(task, [(k,) for k in range(10_000)], threads)
    assert len(done) < 9_999
