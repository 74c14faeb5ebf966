"""Ctrl-C is noticed, kept and raised: never lost, never another error."""

import contextlib
import inspect
import os
import signal
import sys
import threading
import time
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import maxmargin
from maxmargin.engine import (
    interruptible,
    keep_interrupt,
    raise_interrupt,
    run_parallel,
    shielded,
    stop_flag,
    unshielded,
    was_interrupted,
)
from maxmargin.tables import ColumnReader, DenseRows

from . import fuzz_interrupts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal are sent otherwise here")


@pytest.fixture(autouse=True)
def _handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def press():
    signal.raise_signal(signal.SIGINT)


def public_classes():
    rooms = [import_module(f"maxmargin.{room}") for room in maxmargin._ROOMS]
    found = [getattr(room, name) for room in rooms for name in room.__all__]
    kinds = {c for c in found if inspect.isclass(c) and issubclass(c, BaseEstimator)}
    kinds -= {ColumnReader, DenseRows}  # they run no compiled code, and have nothing to keep
    return sorted(kinds, key=lambda c: c.__name__)


@pytest.mark.parametrize("kind", public_classes())
def test_every_public_method_of_every_estimator_is_interruptible(kind):
    ours = {
        name: method
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_") and inspect.unwrap(method).__module__.startswith("maxmargin.")
    }
    assert "fit" in ours
    assert [name for name, method in ours.items() if not getattr(method, "_is_interruptible", False)] == []


def test_the_fuzz_knows_every_estimator():
    tried = {type(model) for model, _ in fuzz_interrupts.estimators().values()}
    bases = {"LinearClassifierMachine", "LinearMachine", "LinearSearch", "SearchClassifier", "SearchRegressor"}
    assert {c.__name__ for c in public_classes()} - {c.__name__ for c in tried} <= bases


def test_it_is_raised_at_once_where_nothing_is_half_done():
    reached = []

    @interruptible
    def method():
        press()
        reached.append(1)

    with pytest.raises(KeyboardInterrupt):
        method()
    assert reached == []


def test_one_that_was_swallowed_is_raised_at_the_end():
    ended = []

    @interruptible
    def method():
        try:
            press()
        except KeyboardInterrupt:
            pass
        assert was_interrupted()
        assert stop_flag()[0]
        ended.append(1)

    with pytest.raises(KeyboardInterrupt):
        method()
    assert ended == [1]
    assert not was_interrupted()


def test_one_that_became_another_error_is_raised():
    @interruptible
    def method():
        try:
            press()
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    with pytest.raises(KeyboardInterrupt):
        method()


@pytest.mark.parametrize(
    "module", ["numba.core.serialize", "llvmlite.binding.executionengine", "weakref", "_weakrefset"]
)
def test_it_waits_where_an_exception_would_be_dropped(module):
    """By the first, numba makes the arrays that compiled functions return; LLVM and weak references call the others."""
    inside = {"__name__": module, "press": press, "done": []}
    exec("def unpickle():\n    press()\n    done.append(1)\n    return 3", inside)
    values = []

    @interruptible
    def method():
        values.append(inside["unpickle"]())
        for _ in range(10**9):
            values.append(len(values)) if len(values) < 3 else None

    with pytest.raises(KeyboardInterrupt):
        method()
    assert inside["done"] == [1]
    assert values[0] == 3


def _by_decorator(lock):
    lock(time.sleep)(30)


def _by_stack(lock):
    with contextlib.ExitStack() as stack:
        stack.enter_context(lock)
        time.sleep(30)


@pytest.mark.parametrize("enter", [_by_decorator, _by_stack])
def test_the_compiler_is_not_left_locked_by_one_that_waited_for_it(enter):
    """Raised before whoever takes the lock has noted that, it would leave it held, and other threads waiting."""
    from numba.core.compiler_lock import global_compiler_lock as lock

    held, pressed, free = threading.Event(), threading.Event(), []

    def hold():
        with lock:
            held.set()
            pressed.wait(30)
            time.sleep(0.1)

    def send():
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)
        pressed.set()

    others = [threading.Thread(target=hold), threading.Thread(target=send)]
    others[0].start()
    held.wait(30)

    @interruptible
    def method():
        others[1].start()
        enter(lock)

    with pytest.raises(KeyboardInterrupt):
        method()
    for thread in others:
        thread.join()
    other = threading.Thread(target=lambda: free.append(lock._lock.acquire(timeout=20)) or lock._lock.release())
    other.start()
    other.join()
    assert free == [True]


def test_it_waits_for_what_is_shielded_but_not_for_what_is_open_inside():
    done = []

    @unshielded
    def may_be_left():
        press()
        done.append("left undone")

    @shielded
    def both(inner):
        if inner:
            try:
                may_be_left()
            finally:
                done.append("cleaned up")
        else:
            press()
            done.append("as a whole")

    for inner in (False, True):
        with pytest.raises(KeyboardInterrupt):
            interruptible(both)(inner)
    assert done == ["as a whole", "cleaned up"]


def _pressed_in_an_import(name, monkeypatch):
    """A method that imports a module, while which it is interrupted, and two more."""

    class Finder:
        def find_spec(self, wanted, path=None, target=None):
            if wanted == name:
                press()

    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    reached = []

    @interruptible
    def method():
        try:
            import_module(name)
        except ModuleNotFoundError:
            pass
        reached.append("the end")

    return method, reached


def test_one_that_waited_is_raised_in_the_next_line(monkeypatch):
    """And not when it happens to be sent again at a moment without an import: there may be none."""
    method, reached = _pressed_in_an_import("no_such_module", monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        method()
    assert reached == []
    assert sys.gettrace() is None


def test_a_debugger_keeps_its_trace_function(monkeypatch):
    """What waits is then raised by the next look at it, or at the end."""
    method, _ = _pressed_in_an_import("no_such_module", monkeypatch)

    def trace(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(KeyboardInterrupt):
            method()
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)


def test_one_that_waits_is_raised_where_files_would_be_written():
    reached = []

    @shielded
    def half():
        press()
        raise_interrupt()
        reached.append("written")

    with pytest.raises(KeyboardInterrupt):
        interruptible(half)()
    assert reached == []


def test_a_solver_keeps_it_and_the_method_raises_it():
    ends = []

    def solve():
        with keep_interrupt() as interrupt:
            press()
        return interrupt.kept

    @interruptible
    def method():
        ends.append(solve())
        raise_interrupt()
        ends.append("went on")

    with pytest.raises(KeyboardInterrupt):
        method()
    assert ends == [True]


def test_kept_in_a_task_of_the_pool_it_is_raised_by_the_method():
    def solve(k):
        with keep_interrupt():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interruptible(run_parallel)(solve, [(k,) for k in range(3)])


def test_a_method_in_another_thread_goes_on():
    entered, leave, heard = threading.Event(), threading.Event(), []

    @interruptible
    def elsewhere():
        entered.set()
        leave.wait(60)
        heard.append(was_interrupted() or stop_flag()[0])

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert entered.wait(60)
    with pytest.raises(KeyboardInterrupt):
        interruptible(press)()
    leave.set()
    thread.join(60)
    assert heard == [False]


def test_compiled_loops_on_the_pool_are_told_to_end():
    entered = threading.Event()

    def loop():
        flag = stop_flag()
        entered.set()
        while not flag[0]:
            pass

    @interruptible
    def method():
        presser.start()
        run_parallel(loop, [()], long=True)

    presser = threading.Thread(target=lambda: entered.wait(60) and os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        method()
    presser.join(60)


def test_one_that_came_while_tasks_were_handed_out_wakes_the_thread_that_waits_for_them():
    def loop():
        flag = stop_flag()
        while not flag[0]:
            pass

    class Arguments(list):
        def __getitem__(self, place):
            press()  # run_parallel is shielded here
            return super().__getitem__(place)

    with pytest.raises(KeyboardInterrupt):
        interruptible(run_parallel)(loop, Arguments([()]), long=True)


def test_a_handler_of_the_user_decides():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        assert interruptible(lambda: press() or 5)() == 5
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [1]


def test_a_handler_that_calls_the_one_it_found_during_a_method():
    found = []

    @interruptible
    def method():
        if not found:
            found.append(signal.getsignal(signal.SIGINT))
            signal.signal(signal.SIGINT, lambda *given: found[0](*given))
        else:
            press()

    before = signal.getsignal(signal.SIGINT)
    try:
        method()
        with pytest.raises(KeyboardInterrupt):
            method()
    finally:
        signal.signal(signal.SIGINT, before)


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert interruptible(lambda: press() or 5)() == 5
    finally:
        signal.signal(signal.SIGINT, before)


def test_generators():
    @interruptible
    def steps():
        yield 1
        try:
            press()
        except KeyboardInterrupt:
            pass
        yield 2

    found = []
    with pytest.raises(KeyboardInterrupt):
        for step in steps():
            found.append(step)
    assert found == [1]


class _At:
    """Ctrl-C at the k-th report."""

    def __init__(self, k):
        self.left, self.pressed = k, False

    def __call__(self, state):
        self.left -= 1
        if self.left == 0:
            self.pressed = True
            raise KeyboardInterrupt


_REPORTING = [
    (name, k)
    for name, (model, _) in fuzz_interrupts.estimators().items()
    if "callback" in model.get_params()
    for k in (1, 2, 4)
]


@pytest.mark.parametrize(("name", "k"), _REPORTING)
@pytest.mark.filterwarnings("ignore")
def test_no_report_at_which_a_solver_drops_it(name, k):
    model, target = fuzz_interrupts.estimators()[name]
    data = fuzz_interrupts._data(np.random.default_rng(0))
    X, y = data["X"][:200], data[target][:200] if target else None
    for tolerance in (None, 0.3):  # where the proof is met already, the interrupt counts all the same
        callback, name = _At(k), "tol" if "tol" in model.get_params() else "gap_tol"
        trial = clone(model).set_params(callback=callback, **({} if tolerance is None else {name: tolerance}))
        try:
            trial.fit(X, y)
            raised = False
        except KeyboardInterrupt:
            raised = True
        assert raised == callback.pressed


def test_no_sketch_in_which_a_solver_drops_it():
    """Large smooth problems begin with a part of the rows: an interrupt there is not the end of the sketch alone."""
    from maxmargin.linear_model import LinearClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 2))
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    callback = _At(1)
    with pytest.raises(KeyboardInterrupt):
        LinearClassifier(loss="logistic", solver="newton", callback=callback).fit(X, y)
    assert callback.pressed


def test_a_few_dozen_at_random_moments():
    """Many more by ``python -m tests.engine.fuzz_interrupts``."""
    names = [
        "RandomForestClassifier, fitted",
        "RandomForestClassifier, cross-validated",
        "LogisticRegression, fitted",
        "KNeighborsClassifier, used",
        "LinearSVC, used",
        "SVC of three classes, fitted",
        "DecisionTreeClassifier, fitted",
    ]
    found = fuzz_interrupts.run(40, 0, names)
    assert len(found) == 40
    assert fuzz_interrupts.wrong(found) == []
