"""Long tasks on threads of their own, and signals while they run."""

import _thread
import os
import signal
import threading

import pytest

from maxmargin.engine import interruptible, run_queue


@pytest.mark.parametrize("kind", ["signal", "simulated", "another"])
def test_a_signal_is_heard_while_all_tasks_wait(kind):
    """The main thread has nothing else to do; before, it heard a signal only by chance."""
    stop, heard = threading.Event(), []

    def task():
        heard.append(stop.wait(60))

    def alarm(*_):
        raise TimeoutError("alarm")

    send = {
        "signal": lambda: os.kill(os.getpid(), signal.SIGINT),
        "simulated": _thread.interrupt_main,
        "another": lambda: os.kill(os.getpid(), signal.SIGALRM),
    }[kind]
    before = signal.signal(signal.SIGALRM, alarm)
    timer = threading.Timer(0.3, send)
    timer.start()
    try:
        with pytest.raises(TimeoutError if kind == "another" else KeyboardInterrupt):
            interruptible(run_queue)([task, task], 2, stop.set)
    finally:
        signal.signal(signal.SIGALRM, before)
        timer.join()
    assert heard == [True, True]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxmargin-")]
