"""Two worker processes of one thread each, and rows in their memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

WORKERS = 2


@contextmanager
def two_workers() -> Iterator[Any]:
    """A client of them."""
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dask's own: sockets that it closes late
        with (
            LocalCluster(
                n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
            ) as cluster,
            Client(cluster) as client,
        ):
            client.wait_for_workers(WORKERS, timeout=120)
            yield client


def spread(client: Any, array: np.ndarray, partitions: int) -> Any:
    """An array in the memory of the workers, in so many partitions."""
    import dask.array as da
    from distributed import wait

    rows = -(-len(array) // partitions)
    found = da.from_array(array, chunks=(rows, *array.shape[1:])).persist()
    wait(found)
    return found
