"""A symmetric matrix is computed in portions between which Ctrl-C is heard, and the portions change no bit of it."""

import numpy as np
import pytest

from maxmargin.data import Rows
from maxmargin.kernels import RBF, _tiled_gram

X = np.random.default_rng(0).normal(size=(2000, 100))


def _counted(monkeypatch):
    """The strips of rows of each task, call by call."""
    calls, run = [], _tiled_gram.run_parallel

    def counting(task, arguments, **options):
        calls.append([len(a[2]) for a in arguments])
        return run(task, arguments, **options)

    monkeypatch.setattr(_tiled_gram, "run_parallel", counting)
    return calls


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_portions_change_nothing(monkeypatch, threads):
    gram = RBF(0.01).gram(Rows(X), None, threads)
    coef = np.random.default_rng(1).normal(size=(1, len(X)))
    monkeypatch.setattr(_tiled_gram, "_UNHEARD", 1e18)
    whole, (products, *_) = gram.own_whole(np.float64), gram.sized_products(np.arange(len(X)), coef)
    monkeypatch.setattr(_tiled_gram, "_UNHEARD", 1.0)
    calls = _counted(monkeypatch)
    assert np.array_equal(gram.own_whole(np.float64), whole)
    assert np.array_equal(gram.sized_products(np.arange(len(X)), coef)[0], products)
    assert max(map(max, calls)) == 1


def test_no_task_is_long(monkeypatch):
    calls = _counted(monkeypatch)
    gram = RBF(0.01).gram(Rows(X), None, 2)
    gram.own_whole(np.float64)
    squares = -(-len(X) // gram._side())  # of a strip, at most
    work = max(map(max, calls)) * squares * gram._side() ** 2 * (10 + gram.multiplications)
    assert len(calls) > 1
    assert work <= max(_tiled_gram._UNHEARD, squares * gram._side() ** 2 * (10 + gram.multiplications))
