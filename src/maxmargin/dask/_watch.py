"""Waiting for a cluster without waiting for ever: what it is asked about while a computation takes long."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from ._errors import ClusterError

# Seconds between two looks at the cluster, and how long it may have no worker that works.
_LOOK = 2.0
PATIENCE = 40.0


def wait_for(client: Any, futures: Sequence[Any], what: str) -> None:
    """Until all futures have ended, or were cancelled; an error where they never will.

    Not by `distributed.wait`, which waits for the current client's: what makes a client the current one sets Dask's
    scheduler and puts it back, and so back to a client that another thread has closed meanwhile.
    """
    watch, ended = _Watch(client, what), threading.Semaphore(0)
    for future in futures:
        future.add_done_callback(lambda _: ended.release())
    for _ in futures:
        while not ended.acquire(timeout=_LOOK):
            watch.look()


class _Watch:
    """What was seen of the workers of a cluster since a computation began."""

    def __init__(self, client: Any, what: str) -> None:
        self.client, self.what = client, what
        self.useless_since: float | None = None
        self.held: list[Any] = []

    def look(self) -> None:
        """Raise if nobody is left to work."""
        now = time.monotonic()
        if self.client.status not in ("running", "connecting"):
            raise ClusterError(
                f"{self.what}: the client is {self.client.status}: it or the scheduler was closed or restarted. Make a "
                f"new Client, and fit again."
            )
        workers = self.client.scheduler_info(n_workers=-1)["workers"] if self.client.status == "running" else {}
        # one that is silent is Dask's affair, which gives it up after `distributed.scheduler.worker-ttl`: on a machine
        # that is overloaded healthy workers are silent for a minute
        states = [worker.get("status", "running") for worker in workers.values()]
        held = [_held(worker) for worker in workers.values()]
        if any(state == "running" for state in states) or held != self.held:
            self.held, self.useless_since = held, None
            return
        self.useless_since = self.useless_since or now
        if now - self.useless_since >= PATIENCE:
            raise ClusterError(f"{self.what}: {_why(self.client.status, states)}")


def _held(worker: dict[str, Any]) -> tuple[Any, ...]:
    """What a worker has in memory and on disk: while that changes, one that is paused makes room."""
    metrics = worker.get("metrics", {})
    return worker.get("status"), metrics.get("managed_bytes"), str(metrics.get("spilled_bytes"))


def _why(status: str, states: list[str]) -> str:
    if status != "running":
        return "the scheduler does not answer: it may be gone. Make a new Client, and fit again."
    if not states:
        return "no worker is left: all of them have died or were never there. Start workers, and fit again."
    return (
        f"no worker works: {len(states)} of them, which are {', '.join(sorted(set(states)))}. Workers pause when their "
        f"memory is full: use smaller partitions, more memory, or more workers."
    )
