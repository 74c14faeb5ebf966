"""Where a computation runs: on the workers of a client, or on the threads of this process.

All that is ever asked of a cluster are pure functions of a partition, and sums of what they return, added up by a tree.
What a dead worker held is computed again by Dask from where it came from: nothing is kept that could not be.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count
from operator import getitem
from typing import Any
from uuid import uuid4

import dask
import numpy as np

from ..engine import one_blas_thread, thread_count
from ..messages import InputError
from ._errors import ClusterError
from ._watch import wait_for

# Terms of a sum that one task adds up.
_BRANCHES = 8
# The share of the workers' memory that partitions may take to be kept there, instead of being made again each time.
_KEPT = 0.4

# Bytes of arguments that travel with the tasks, above which Dask warns: a forest that grows is larger than its 10 MB.
_LARGE = "1GiB"

_numbers = count()


class Cluster:
    """A client's workers, or the scheduler of this process where there is no client."""

    def __init__(self, client: Any = None) -> None:
        self.client = _checked(client)

    def each(self, name: str, function: Callable[..., Any], parts: Sequence[Any], *shared: Any) -> list[Any]:
        """``[function(part, *shared) for part in parts]``, what it returns being small."""
        return self.gathered(name, self._mapped(name, function, parts, shared))

    def total(self, name: str, function: Callable[..., Any], parts: Sequence[Any], *shared: Any) -> Any:
        """The sum of ``function(part, *shared)`` over the parts: tuples whose places are added up."""
        return self.summed(name, self._mapped(name, function, parts, shared))

    def _tree(self, name: str, terms: list[Any]) -> list[Any]:
        """One task that adds up what these make."""
        while len(terms) > 1:
            token = _token()
            groups = [terms[k : k + _BRANCHES] for k in range(0, len(terms), _BRANCHES)]
            terms = [
                dask.delayed(added, traverse=True)(group, dask_key_name=(f"{name}-sum-{token}", i))
                for i, group in enumerate(groups)
            ]
        return terms

    def reduced(
        self,
        name: str,
        function: Callable[..., Any],
        merge: Callable[..., Any],
        finish: Callable[..., Any],
        parts: Sequence[Any],
        groups: int,
        asked: Any,
        about: Any,
    ) -> list[Any]:
        """``finish(sum, k, about)`` of each of the sums of the lists ``function(part, asked)``, place by place.

        Sums stay with the workers: what `finish` makes of them alone is sent.
        """
        terms, token = self._mapped(name, function, parts, (asked,)), _token()
        known = dask.delayed(about, name=f"{name}-about-{token}", traverse=False)
        pick, put, done = (dask.delayed(call, pure=True) for call in (getitem, merge, finish))
        found = []
        for k in range(groups):
            level = [pick(term, k, dask_key_name=(f"{name}-group-{token}", k, i)) for i, term in enumerate(terms)]
            depth = 0
            while len(level) > 1:
                level = [
                    put(level[i : i + _BRANCHES], dask_key_name=(f"{name}-merge-{token}", k, depth, i))
                    for i in range(0, len(level), _BRANCHES)
                ]
                depth += 1
            found.append(done(level[0], k, known, dask_key_name=(f"{name}-end-{token}", k)))
        return list(self._compute(found, name))

    def mapped(self, name: str, function: Callable[..., Any], parts: Sequence[Any], *shared: Any) -> list[Any]:
        """Tasks that make something of each part, not yet computed."""
        return self._mapped(name, function, parts, shared)

    def paired(
        self, name: str, function: Callable[..., Any], parts: Sequence[Any], others: Sequence[Any], *shared: Any
    ) -> list[Any]:
        """Tasks that make something of each part and what belongs to it, not yet computed."""
        return self._mapped(name, function, list(zip(parts, others, strict=True)), shared)

    def summed(self, name: str, terms: Sequence[Any]) -> Any:
        """The sum of what these tasks make, tuples whose places are added up."""
        return self._compute(self._tree(name, list(terms)), name)[0]

    def gathered(self, name: str, tasks: Sequence[Any]) -> list[Any]:
        """What these tasks make, being small."""
        return list(self._compute(list(tasks), name))

    def has_room(self, size: float) -> bool:
        """Whether so many bytes may be kept by the workers (or this process)."""
        return size <= _KEPT * self.memory()

    def kept(self, parts: Sequence[Any], size: float) -> list[Any]:
        """The parts, held by the workers (or this process) if their `size` in bytes leaves room; else as they are."""
        if not parts or not self.has_room(size):
            return list(parts)
        if self.client is None:
            with one_blas_thread():
                return list(dask.persist(*parts, optimize_graph=False))
        held = self.client.persist(list(parts), optimize_graph=False)
        return list(held)

    def memory(self) -> float:
        """Bytes that all workers together may use."""
        if self.client is None:
            from ..engine import memory_size

            return float(memory_size())
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return float(sum(worker.get("memory_limit") or 2**33 for worker in workers)) if workers else np.inf

    def threads(self) -> int:
        """Tasks that run at the same time."""
        if self.client is None:
            return thread_count(None)
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return max(1, sum(int(worker.get("nthreads") or 1) for worker in workers))

    def _mapped(self, name: str, function: Callable[..., Any], parts: Sequence[Any], shared: tuple) -> list[Any]:
        token = _token()
        leaves = [
            dask.delayed(value, name=f"{name}-argument-{token}-{k}", traverse=False) for k, value in enumerate(shared)
        ]
        call = dask.delayed(function, pure=True, traverse=False)
        own = [part if isinstance(part, tuple) else (part,) for part in parts]
        return [call(*part, *leaves, dask_key_name=(f"{name}-{token}", i)) for i, part in enumerate(own)]

    def _compute(self, tasks: list[Any], name: str) -> Sequence[Any]:
        if self.client is None:
            with one_blas_thread():
                return dask.compute(*tasks, optimize_graph=False)
        return self._compute_on_workers(tasks, name)

    def _compute_on_workers(self, tasks: list[Any], name: str) -> Sequence[Any]:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGE}):
            futures = self.client.compute(tasks, optimize_graph=False)
        done = False
        try:
            wait_for(self.client, futures, name)
            done = True
        finally:
            if not done and self.client.status == "running":  # Ctrl-C, or a cluster that is lost
                self.client.cancel(futures, force=True)
        lost = [future for future in futures if future.cancelled()]
        if lost:
            raise ClusterError(
                f"{name}: cancelled, since the client or the scheduler was closed or restarted. Fit again."
            )
        return self.client.gather(futures)


@np.errstate(over="ignore", invalid="ignore")  # what is not finite, no certificate confirms
def added(terms: list[tuple]) -> tuple:
    """Tuples (or tuples of them) added up place by place; None stays None."""
    total = terms[0]
    for term in terms[1:]:
        total = _plus(total, term)
    return total


def _plus(a: Any, b: Any) -> Any:
    if isinstance(a, tuple | list):
        return type(a)(_plus(x, y) for x, y in zip(a, b, strict=True))
    return None if a is None else a + b


def _token() -> str:
    return f"{uuid4().hex[:8]}{next(_numbers)}"


def _checked(client: Any) -> Any:
    """A client that can be used, or None where there is none."""
    from distributed import Client, default_client, get_client

    inside = _is_inside_a_task()
    if client is None and inside:
        client = get_client()
        while client.status == "connecting":  # another task of this worker has just asked for it
            time.sleep(0.05)
    if client is None:
        try:
            client = default_client()
        except ValueError:
            return None
        if client.asynchronous or client.status != "running":
            return None if client.status == "closed" else _refuse(client)
        return client
    if not isinstance(client, Client):
        raise InputError(
            f"client must be a dask.distributed.Client, or None for the current one; got a {type(client).__name__}. "
            f"Type client=Client(cluster).",
            argument="client",
        )
    if client.asynchronous or client.status != "running":
        return _refuse(client)
    return client


def _is_inside_a_task() -> bool:
    """Whether a worker runs this; then it goes on in a thread of its own: what it waits for needs the worker's."""
    from distributed import get_worker, secede
    from distributed.threadpoolexecutor import thread_state

    try:
        get_worker()
    except ValueError:
        return False
    if getattr(thread_state, "proceed", False):
        secede()
    return True


def _refuse(client: Any) -> Any:
    what = "asynchronous" if client.asynchronous else client.status
    raise InputError(
        f"client is {what}; a fit needs one that runs and is not asynchronous. Type client=Client(...) anew.",
        argument="client",
    )
