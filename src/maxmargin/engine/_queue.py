"""Long tasks on threads of their own, while the calling thread waits for Ctrl-C.

`run_parallel` is for tiles of a few milliseconds, of which the caller computes one itself. Here tasks take seconds, may
name further tasks, and may use `run_parallel` inside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from threading import Condition, Lock, Thread

from ._interrupts import Scope, current_scope, shielded, unshielded, work_for

Task = Callable[[], Iterable["Task"] | None]


class _Queue:
    def __init__(self, tasks: Iterable[Task], urgent: bool) -> None:
        self.waiting = deque(tasks)
        self.running = 0
        self.error: BaseException | None = None
        self.done = False
        self._ended = Lock()  # held while a thread is at work
        self._ended.acquire()
        self._urgent, self._changed, self._working = urgent, Condition(), 0

    def start(self, scope: Scope | None, threads: int) -> list[Thread]:
        """Threads that do the tasks."""
        self._working = threads
        workers = [Thread(target=self.work, args=(scope,), name=f"maxmargin-{k}") for k in range(threads)]
        for worker in workers:
            worker.start()
        return workers

    def work(self, scope: Scope | None) -> None:
        work_for(scope)
        while (task := self._next()) is not None:
            further: Iterable[Task] = ()
            try:
                further = task() or ()
            except BaseException as error:
                self.stop(error)
            with self._changed:
                self.running -= 1
                if self._urgent:
                    self.waiting.extendleft(reversed(list(further)))
                else:
                    self.waiting.extend(further)
                self._changed.notify_all()
        with self._changed:
            self._working -= 1
            if not self._working:
                self.done = True
                self._ended.release()

    @unshielded
    def wait(self) -> bool:
        """Whether all threads have ended, after a tenth of a second at most; a signal is raised here.

        It cannot be raised in ``Thread.join``, which would take a running thread for one that has ended.
        """
        if not self.done and self._ended.acquire(timeout=0.1):
            self._ended.release()  # a signal in between leaves it locked, which `done` makes up for
        return self.done

    def _next(self) -> Task | None:
        with self._changed:
            while not self.waiting and self.running and self.error is None:
                self._changed.wait()
            if not self.waiting or self.error is not None:
                self._changed.notify_all()
                return None
            self.running += 1
            return self.waiting.popleft()

    def stop(self, error: BaseException) -> None:
        with self._changed:
            self.error = self.error or error
            self._changed.notify_all()


@shielded
def run_queue(
    tasks: Iterable[Task], threads: int, on_stop: Callable[[], None] | None = None, *, urgent: bool = False
) -> None:
    """Run tasks until none is left; those that a task returns come last, or first if `urgent`.

    The first error ends it: `on_stop` is called (to tell running tasks to end early), they are waited for, and the
    error is raised. So is what the handler of a signal raises: Ctrl-C, or the end that another signal asks for.
    """
    queue = _Queue(tasks, urgent)
    scope = current_scope()
    workers = queue.start(scope, threads)
    told = ended = False
    while not ended:
        try:
            ended = queue.wait()
        except BaseException as error:
            queue.stop(error)
            if scope is not None:
                scope.flag[0] = 1  # compiled loops end too
        if queue.error is not None and not told:
            told = True
            if on_stop is not None:
                on_stop()
    for worker in workers:
        worker.join()
    if queue.error is not None:
        raise queue.error
