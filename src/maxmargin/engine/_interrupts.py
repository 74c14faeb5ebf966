"""Ctrl-C: the one place where it is noticed, kept and raised.

Python raises KeyboardInterrupt wherever the main thread happens to be. That may be inside numba's wrapper of a compiled
function, which then answers with a SystemError; between two steps that belong together; in a destructor, where an
exception is dropped; or in a solver, which has a model to keep first. So while a public method runs (`interruptible`)

- a signal that finds the thread in such a place, or importing a module, waits until it has left it: functions say so by
  `shielded`;
- an interrupt that a solver has caught (`keep_interrupt`), or that anything else has swallowed, is remembered, and
  raised when the method ends, whatever the code in between has made of it;
- compiled loops that take seconds look at `stop_flag`, and run on other threads while the main thread waits
  (``run_parallel(long=True)``).

Each call of a public method has a scope of its own, which the threads that work for it share: fits in other threads of
a user's program go on.

That a function is shielded is read off the stack when a signal arrives. A counter of shielded sections would cost time
in every call, and a signal could find it between the beginning of a section and the counting.

A signal that waits is raised by a trace function in the next line of the frame that called what is shielded. It is also
sent again each millisecond, for where that line is far away, or a debugger has the trace function. That alone would be
too little: a busy thread may be found in one import after another until the method has ended.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # those of `signal` make members of an enumeration: 2 us a call
import _thread
import inspect
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import wraps
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

import numpy as np

_F = TypeVar("_F", bound=Callable)

_SHIELDED: set[CodeType] = set()
_UNSHIELDED: set[CodeType] = set()
# numba's wrapper has the first make the arrays that a compiled function returns, and does not look at exceptions;
# the others are called back, by llvmlite's compiler and when an object is deleted that has weak references: there
# Python prints exceptions and drops them
_DEAF = frozenset({"numba.core.serialize", "llvmlite.binding.executionengine", "weakref", "_weakrefset"})
# ... and this one would keep the lock that all threads compile under, were it left before the function with the `with`
# statement, or the stack of contexts that numba enters it by, knows that it has the lock; that function of its own,
# which holds it while another compiles, may be left
_LOCKING, _HOLDING = "numba.core.compiler_lock", "_acquire_compile_lock"
_ENTERING = frozenset({"enter_context", "_push_cm_exit", "_push_exit_callback"})  # of contextlib

# Importing runs code of others, some of it called back by what drops exceptions; half of a module stays behind, too
_IMPORTING = frozenset({"importlib._bootstrap", "_frozen_importlib"})

_SIGINT = int(signal.SIGINT)
# Seconds after which a signal that had to wait is sent once more
_AGAIN = 1e-3


def shielded(function: _F) -> _F:
    """Let a signal wait while the function, or what it calls, is at work."""
    _SHIELDED.add(function.__code__)
    return function


def unshielded(function: _F) -> _F:
    """A function that may be left at any time, though it is called by one that is shielded."""
    _UNSHIELDED.add(function.__code__)
    return function


class Scope:
    """What one call of a public method has heard."""

    __slots__ = ("flag", "kept")

    def __init__(self) -> None:
        self.kept = False
        self.flag = np.zeros(1, dtype=np.int8)

    def keep(self) -> None:
        """Remember an interrupt, and tell compiled loops to end."""
        self.kept = True
        self.flag[0] = 1


class _Own(threading.local):
    """The scope that a thread works for."""

    scope: Scope | None = None


_own = _Own()


def current_scope() -> Scope | None:
    """The scope that this thread works for."""
    return _own.scope


def work_for(scope: Scope | None) -> None:
    """Let this thread work for a scope that another thread has opened."""
    _own.scope = scope


def stop_flag() -> np.ndarray:
    """An int8 array of length 1 for compiled loops: not 0 as soon as they are to end; see `raise_interrupt`."""
    return np.zeros(1, dtype=np.int8) if _own.scope is None else _own.scope.flag


def was_interrupted() -> bool:
    """Whether there was an interrupt that has yet to be raised."""
    return _own.scope is not None and _own.scope.kept


def raise_interrupt() -> None:
    """Raise the interrupt that was kept, or the signal that waits, if there was one."""
    if _Handler.waiting is not None and threading.get_ident() == threading.main_thread().ident:
        _hand_over(signal.SIGINT, None)
    if was_interrupted():
        raise KeyboardInterrupt


class keep_interrupt:  # noqa: N801  (used as a statement, like `suppress` of contextlib)
    """``with keep_interrupt() as interrupt:`` ends on Ctrl-C; ``interrupt.kept`` tells, and the scope remembers it.

    For solvers: they hand back what they have reached, and the method that was called raises the interrupt at its end.
    """

    kept = False

    @shielded
    def __enter__(self) -> keep_interrupt:
        return self

    @shielded
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return False
        self.kept = True
        if _own.scope is not None:
            _own.scope.keep()
        return True


def interruptible(method: _F) -> _F:
    """A public function or method, during which Ctrl-C is neither lost nor turned into another error."""
    if getattr(method, "_is_interruptible", False):
        return method
    if inspect.isgeneratorfunction(method):

        @wraps(method)
        def call(*args: Any, **options: Any) -> Iterator[Any]:
            generator, end = method(*args, **options), object()
            while (value := _in_scope(next, (generator, end), {})) is not end:
                yield value

    else:

        @wraps(method)
        def call(*args: Any, **options: Any) -> Any:
            if _own.scope is not None:
                return method(*args, **options)
            return _in_scope(method, args, options)

    call._is_interruptible = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


@shielded
def _in_scope(function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """Call a function in a scope of its own, unless the thread works for one already."""
    if _own.scope is not None:
        return _call(function, args, options)
    scope = Scope()
    before = _listen()
    try:
        _own.scope = scope
        return _call(function, args, options)
    except KeyboardInterrupt:
        scope.kept = False  # it is on its way
        raise
    finally:
        _own.scope = None
        if before is not None:
            _stop_listening(before)
        if scope.kept:
            raise KeyboardInterrupt


@unshielded
def _call(function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    return function(*args, **options)


class _Handler:
    """The handler of SIGINT that was there before, the signal that waits, and the frame that will raise it, if any."""

    before: Any = None
    calls_before: bool = False
    waiting: object = None
    frame: FrameType | None = None


@shielded
def _listen() -> Any:
    """Let signals come to `_hear`; the handler before, None where it stays: in threads, or if signals are ignored."""
    if threading.get_ident() != threading.main_thread().ident:
        return None
    before = _signal.getsignal(_SIGINT)
    if not callable(before) or before is _hear:
        return None
    _Handler.before, _Handler.waiting = before, None
    _signal.signal(_SIGINT, _hear)
    return before


@shielded
def _stop_listening(before: Any) -> None:
    """Put the handler back that was there, and hand over a signal that still waits."""
    if _signal.getsignal(_SIGINT) is _hear:
        _signal.signal(_SIGINT, before)
    _forget_frame()
    if _Handler.waiting is not None:
        _Handler.waiting = None
        before(signal.SIGINT, None)


def _hear(number: int, frame: FrameType | None) -> None:
    """Let the handler before decide (Python's own raises KeyboardInterrupt), as soon as it may raise."""
    if _Handler.calls_before:  # it was put there during a method, and calls what it found there: this function
        signal.default_int_handler(number, frame)
    shield = _outermost_shield(frame)
    if shield is None:
        _hand_over(number, frame)
        return
    _raise_after(shield.f_back)
    _Handler.waiting = again = object()
    _thread.start_new_thread(_repeat, (number, again))


def _hand_over(number: int, frame: FrameType | None) -> None:
    """Call the handler before; what it raises is remembered, in case that it is swallowed."""
    _Handler.waiting = None
    _forget_frame()
    _Handler.calls_before = True
    try:
        _Handler.before(number, frame)
    except KeyboardInterrupt:
        if _own.scope is not None:
            _own.scope.keep()
        raise
    finally:
        _Handler.calls_before = False


def _raise_after(frame: FrameType | None) -> None:
    """Raise the signal that waits in the next line of this frame."""
    if frame is _Handler.frame or (sys.gettrace() is not None and _Handler.frame is None):
        return  # it will be, or it cannot be: a debugger, or a measurement of coverage, is at work
    _forget_frame()
    if frame is not None:
        _Handler.frame = frame
        frame.f_trace = _next_line
        sys.settrace(_no_trace)  # without it, nothing is traced


def _forget_frame() -> None:
    if _Handler.frame is not None:
        sys.settrace(None)
        _Handler.frame.f_trace = None
        _Handler.frame = None


def _next_line(frame: FrameType, event: str, argument: object) -> None:
    if _Handler.waiting is None:
        _forget_frame()
    else:
        _hand_over(signal.SIGINT, frame)


def _no_trace(frame: FrameType, event: str, argument: object) -> None:
    """Functions that are called meanwhile are not traced."""


def _repeat(number: int, signal_waiting: object) -> None:
    """Send a signal once more, on a thread of its own: sent from the handler, it would interrupt the handler."""
    time.sleep(_AGAIN)
    if _Handler.waiting is not signal_waiting:
        return
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)  # a true signal, which wakes a thread that waits for a lock
    else:
        _thread.interrupt_main(signal.Signals(number))


def _outermost_shield(frame: FrameType | None) -> FrameType | None:
    """The frame that has to be left first, because an exception in this one would do harm; None if it would not.

    The innermost function that says it may be left, or may not, decides.
    """
    shield = None
    while frame is not None and _takes_lock(frame):
        shield, frame = frame, frame.f_back
    while frame is not None and frame.f_code not in _UNSHIELDED:
        code, module = frame.f_code, frame.f_globals.get("__name__")
        if code in _SHIELDED or code.co_name == "__del__" or module in _DEAF or module in _IMPORTING:
            shield = frame
        frame = frame.f_back
    return shield


def _takes_lock(frame: FrameType) -> bool:
    """Whether a function takes the compiler's lock, or may have to give it back and has not noted that yet."""
    module, name = frame.f_globals.get("__name__"), frame.f_code.co_name
    return name != _HOLDING if module == _LOCKING else module == "contextlib" and name in _ENTERING
