"""No task of the pool waits for another one, so that no number of threads can wait for each other for ever."""

import ast
import threading
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import maxmargin
from maxmargin.cluster import KMeans
from maxmargin.engine import _pool, cached_property, run_parallel, run_portions
from maxmargin.ensemble import AdaBoostClassifier, RandomForestClassifier
from maxmargin.linear_model import LogisticRegression, LogisticRegressionCV, Perceptron, Ridge
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.svm import SVC, SVCCV, LinearSVC
from maxmargin.tree import DecisionTreeClassifier


def test_what_a_task_runs_in_parallel_it_runs_itself():
    def task(_):
        own = threading.get_ident()
        within = run_parallel(lambda _: threading.get_ident(), [(k,) for k in range(3)])
        within += run_portions(lambda _: threading.get_ident(), [(k,) for k in range(3)], 3)
        return own, within

    for own, within in run_parallel(task, [(k,) for k in range(8)]):
        assert within == [own] * 6


def test_the_calling_thread_is_no_task_afterwards():
    for _ in range(2):
        idents = run_parallel(lambda _: threading.get_ident(), [(0,), (1,)])
        assert idents[1] != threading.get_ident()


def test_nested_use_from_many_threads_ends(run_python):
    """A pool whose tasks wait for tasks of their own is full of waiting ones at once."""
    done = run_python(
        """
        import threading
        from maxmargin.engine import run_parallel

        def leaf(a, b):
            return a * b

        def task(a):
            return sum(run_parallel(leaf, [(a, b) for b in range(20)]))

        def user():
            results.append(run_parallel(task, [(a,) for a in range(100)]))

        results = []
        users = [threading.Thread(target=user) for _ in range(8)]
        for thread in users:
            thread.start()
        for thread in users:
            thread.join()
        print(results == [[190 * a for a in range(100)]] * 8)
        """
    )
    assert done.stdout.strip() == "True"


def test_cross_validation_in_threads_ends(run_python):
    done = run_python(
        """
        import joblib, numpy as np
        from sklearn.model_selection import cross_val_score
        from maxmargin.linear_model import Ridge

        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60000, 30)), rng.normal(size=60000)
        with joblib.parallel_backend("threading"):
            scores = cross_val_score(Ridge(), X, y, cv=4, n_jobs=2)
        print(np.isfinite(scores).all())
        """
    )
    assert done.stdout.strip() == "True"


def test_a_cached_property_holds_no_lock_while_it_computes():
    """The lock of functools (before Python 3.12) is one for all objects; a task that waited for it would not end."""
    computing, other_is_done = threading.Event(), threading.Event()

    class Thing:
        def __init__(self, slow):
            self.slow = slow

        @cached_property
        def value(self):
            if self.slow:
                computing.set()
                assert other_is_done.wait(60)
            return object()

    slow, quick = Thing(True), Thing(False)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert computing.wait(60)
    assert quick.value is quick.value
    other_is_done.set()
    thread.join()
    assert slow.value is slow.value


def test_threads_and_locked_properties_are_made_in_the_engine_alone():
    for path in Path(maxmargin.__file__).parent.rglob("*.py"):
        if path.parent.name == "engine":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module in ("functools", "concurrent.futures"):
                assert not {"cached_property", "ThreadPoolExecutor"} & {alias.name for alias in node.names}, path


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(n_estimators=3),
        DecisionTreeClassifier(),
        KMeans(5, n_init=2),
        KNeighborsClassifier(),
        LinearSVC(),
        LogisticRegression(),
        LogisticRegressionCV(Cs=[0.1, 1.0], cv=2),
        Perceptron(tol=None, max_iter=5),
        RandomForestClassifier(4),
        Ridge(),
        SVC(),
        SVCCV(Cs=[1.0], gammas=[0.1], cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_no_task_of_an_estimator_hands_out_tasks(model, monkeypatch):
    """Seen from the pool: whatever is submitted comes from a thread that works on no task."""
    monkeypatch.setattr(_pool, "_cores", lambda: 3)
    submitted, pool = [], _pool._shared_pool()

    class Seen:
        def submit(self, *job):
            submitted.append(_pool._own.is_task)
            return pool.submit(*job)

    monkeypatch.setattr(_pool, "_shared_pool", Seen)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400 if isinstance(model, SVCCV) else 3000, 8))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=len(X)), [-0.5, 0.5])
    model = clone(model).fit(X, y)
    model.predict(X)
    assert not any(submitted)
