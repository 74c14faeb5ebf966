"""Waiting for a cluster without waiting for ever: what it is asked about while a computation takes long."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from distributed import wait

from ._errors import ClusterError

# Seconds between two looks at the cluster, and how long it may have no worker that works.
_LOOK = 2.0
_PATIENCE = 40.0
# Seconds without a sign of life after which a worker counts as dead; Dask itself waits for five minutes.
_SILENT = 30.0


def wait_for(client: Any, futures: Sequence[Any], what: str, patience: float = _PATIENCE) -> None:
    """Until all futures have ended; an error where they never will."""
    watch = _Watch(client, what, patience)
    with client.as_current():
        while True:
            try:
                wait(list(futures), timeout=_LOOK)
                return
            except TimeoutError:
                watch.look()


class _Watch:
    """What was seen of the workers of a cluster since a computation began."""

    def __init__(self, client: Any, what: str, patience: float) -> None:
        self.client, self.what, self.patience = client, what, patience
        self.useless_since: float | None = None

    def look(self) -> None:
        """Raise if nobody is left to work; have workers that fell silent removed, so that others do their part."""
        now = time.time()
        if self.client.status not in ("running", "connecting"):
            raise ClusterError(f"{self.what}: the client is {self.client.status}; the scheduler may be gone.")
        workers = self.client.scheduler_info(n_workers=-1)["workers"] if self.client.status == "running" else {}
        silent = [address for address, worker in workers.items() if now - worker["last_seen"] > _SILENT]
        if silent:
            self.client.run_on_scheduler(_remove, silent)
        states = [worker.get("status", "running") for address, worker in workers.items() if address not in silent]
        if any(state == "running" for state in states):
            self.useless_since = None
            return
        self.useless_since = self.useless_since or now
        if now - self.useless_since >= self.patience:
            raise ClusterError(f"{self.what}: {_why(self.client.status, states)}")


def _why(status: str, states: list[str]) -> str:
    if status != "running":
        return "the scheduler does not answer: it may be gone. Make a new Client, and fit again."
    if not states:
        return "no worker is left: all of them have died or were never there. Start workers, and fit again."
    return (
        f"no worker works: {len(states)} of them, which are {', '.join(sorted(set(states)))}. Workers pause when their "
        f"memory is full: use smaller partitions, more memory, or more workers."
    )


def _remove(addresses: list[str], dask_scheduler: Any = None) -> Any:
    """On the scheduler: what it does by itself after five minutes of silence."""
    removals = [dask_scheduler.remove_worker(address, stimulus_id="maxmargin-silent-worker") for address in addresses]

    async def all_removed() -> None:
        for removal in removals:
            await removal

    return all_removed()
