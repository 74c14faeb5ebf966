"""All contenders of a case at once: each in its worker, taking turns; who fails drops out with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any

from . import timing
from .contender import Contender
from .options import Options
from .progress import say
from .worker import LIMIT, QUICK_LIMIT, Answer, ContenderError, TooSlowError, Worker


class Contest:
    """Workers for all contenders; use it in a ``with`` statement.

    Parameters
    ----------
    contenders : sequence of Contender classes
    case : object
        Handed to each contender; has a ``name``.
    data : tuple
        Handed to each contender after the case.
    options : Options
    targeted : collection of str
        Names of the contenders that a target speaks of: their long runs are repeated. The others may take no longer
        than `timing.patience` allows.
    rehearsal : sequence of (method, arguments)
        Calls that a contender that compiles makes in a process thrown away, so that compiling is in nobody's memory.

    """

    def __init__(
        self,
        contenders: Sequence[type[Contender]],
        case: Any,
        data: tuple,
        options: Options,
        targeted: Iterable[str] = (),
        rehearsal: Sequence[tuple[str, dict]] = (),
    ) -> None:
        self.case, self.options = case, options
        self.failed: dict[str, str] = {}  # why who dropped out did so
        self.stopped: dict[str, float] = {}  # seconds after which who was too slow was ended
        self._contenders = {c.name: c for c in contenders}
        self._data, self._targeted, self._rehearsal = data, set(targeted), rehearsal
        self._limit = QUICK_LIMIT if options.quick else LIMIT
        self._workers: dict[str, Worker] = {}

    def __enter__(self) -> Contest:
        say(f"{self.case.name}: starting {', '.join(self._contenders)}")
        try:
            for name, contender in self._contenders.items():
                self._workers[name] = Worker(contender, self.case, self._data, self._limit)
            for contender in self._contenders.values():
                if contender.compiles:
                    self._rehearse(contender)
            for name in self._contenders:
                self._guarded(name, lambda worker: worker.ready())
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._close()

    def _close(self) -> None:
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()

    def _rehearse(self, contender: type[Contender]) -> None:
        if not self._rehearsal:
            return
        worker = Worker(contender, self.case, self._data, self._limit)
        try:
            worker.ready()
            for method, arguments in self._rehearsal:
                worker.call(method, **arguments)
        except ContenderError:
            pass  # the worker that counts will say so
        finally:
            worker.close()

    @property
    def names(self) -> list[str]:
        """Contenders still in the race."""
        return list(self._workers)

    def compiles(self, name: str) -> bool:
        return self._contenders[name].compiles

    def targeted(self, name: str) -> bool:
        """Whether a target speaks of the contender."""
        return name in self._targeted

    def _guarded(self, name: str, action: Any) -> Any:
        """The result of an action on a worker; None if it failed, in which case the contender is out."""
        if name not in self._workers:
            return None
        try:
            return action(self._workers[name])
        except ContenderError as error:
            if isinstance(error, TooSlowError):
                self.stopped[name] = error.seconds
            self.dismiss(name, str(error))
            return None

    def dismiss(self, name: str, reason: str) -> None:
        """Take a contender out of the race."""
        self.failed[name] = reason
        say(f"{self.case.name}: {name}: {reason}")
        self._workers.pop(name).close()

    def ask(self, name: str, method: str, **arguments: Any) -> Answer | None:
        """One call, or None if it failed; a `limit` among the arguments is the worker's."""
        return self._guarded(name, lambda worker: worker.call(method, **arguments))

    def race(
        self,
        method: str,
        only: Iterable[str] | None = None,
        hurried: bool = False,
        settled: Callable[[str, dict[str, float]], bool] | None = None,
        **arguments: Any,
    ) -> dict[str, timing.Laps]:
        """Timed runs of a method by everybody (or `only` some), in turns.

        Long runs are not repeated if `hurried`, nor where ``settled(name, seconds of the first runs so far)`` says that
        there is nothing to be learnt from it.
        """
        say(f"{self.case.name}: {method} {_shown(arguments)}".rstrip())
        laps: dict[str, timing.Laps] = {}
        plans: dict[str, timing.Plan] = {}
        firsts: dict[str, float] = {}
        runners = [n for n in self.names if only is None or n in only]
        for name in sorted(
            runners, key=lambda n: not self.targeted(n)
        ):  # those that set the limit for the others first
            targeted, quick = self.targeted(name), self.options.quick
            limit = (
                None if targeted else timing.patience(max((firsts[n] for n in firsts if self.targeted(n)), default=0))
            )
            first = self.ask(name, method, limit=limit, **arguments)
            # loading compiled code is no part of a contender's speed
            warm = self.ask(name, method, limit=limit, **arguments) if self.compiles(name) else first
            if first is not None and warm is not None:
                seconds = firsts[name] = warm.seconds[0]
                clear = settled is not None and settled(name, firsts)
                plans[name] = timing.plan(seconds, targeted=targeted, quick=quick, hurried=hurried, settled=clear)
                laps[name] = timing.Laps([seconds] * plans[name].first_counts, first.peak_mb, first.value)
                say(f"{self.case.name}: {method}: {name} {seconds:.3g} s, {_runs(plans[name].runs)}")
        for name, seconds in timing.take_turns(plans, lambda n, k: self._portion(n, method, k, arguments)).items():
            laps[name].seconds += seconds
        return {name: lap for name, lap in laps.items() if lap.seconds and name in self._workers}

    def _portion(self, name: str, method: str, times: int, arguments: dict) -> list[float]:
        answer = self.ask(name, method, repeat=times, **arguments)
        return [] if answer is None else answer.seconds


def _runs(n: int) -> str:
    return "1 run" if n == 1 else f"{n} runs"


def _shown(arguments: dict) -> str:
    return ", ".join(f"{key}={value:g}" for key, value in arguments.items() if value is not None)
