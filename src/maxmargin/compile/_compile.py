"""Compile in several processes, and write what they found into one file."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from ..engine import HOST, Entry, Store, package_digest, store_path, unpack, write_store
from ._tour import jobs
from ._work import Done, begin, compile_only, work

_TICK = 1.0  # seconds between two looks at what has been done


@dataclass(frozen=True)
class Progress:
    """How far it is.

    Parameters
    ----------
    level : str
        What is compiled for.
    done, total : int
        Jobs.
    functions : int
        Compiled so far, each for one signature, and those that they call.
    seconds : float
        Since the beginning.

    """

    level: str
    done: int
    total: int
    functions: int
    seconds: float


@dataclass
class Result:
    """What has been compiled.

    Parameters
    ----------
    path : Path
        The file.
    functions : int
        Each for one signature.
    compiled : int
        How many of them were not in the file before.
    megabytes : float
        Size of the file.
    seconds : float
        From beginning to end.
    missing : dict of str
        Jobs that could not be done, and what has to be installed for them.
    failed : dict of str
        Jobs that have failed, and why.

    """

    path: Path
    functions: int
    compiled: int
    megabytes: float
    seconds: float
    missing: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def compile_level(
    level: str,
    folder: Path,
    processes: int,
    told: Callable[[Progress], None],
    like: Path | None = None,
    only: Sequence[str] = (),
) -> Result:
    """Compile for one level of processors; what is there already and of current sources is kept.

    Parameters
    ----------
    level : str
        A name in `LEVELS`, or "host".
    folder : Path
        Where the file goes.
    processes : int
        How many work side by side.
    told : callable
        Told of the progress.
    like : Path, optional
        A file of machine code: what is in it is compiled, and nothing is run. By default the tour says what is
        needed, and this machine has to have the level.
    only : sequence of str
        Estimators of the tour; all by default. What is there of others stays.

    Returns
    -------
    Result

    """
    begun = time.perf_counter()
    path = store_path(folder, level)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):  # where nothing can be written, nothing need be compiled
        pass
    before = _contents(path, level)
    digest = package_digest()
    entries = dict(before) if only else {}
    result = Result(path, 0, 0, 0.0, 0.0)
    target: tuple[str, str, str] | None = None
    with _environment(level, path) as cache, _pool(processes) as pool:
        tasks = _tour(pool, only) if like is None else _known(pool, like)
        todo = set(tasks)
        while todo:
            finished, todo = wait(todo, _TICK, FIRST_COMPLETED)
            for done in map(_result, finished):
                target = done.target
                entries.update((entry.key, entry) for entry in done.entries)
                if done.missing:
                    result.missing[done.name] = done.missing
                if done.failed:
                    result.failed[done.name] = done.failed
            compiled = sum(1 for _ in cache.rglob("*.nbc"))
            told(Progress(level, len(tasks) - len(todo), len(tasks), compiled, time.perf_counter() - begun))
    assert target is not None
    write_store(path, entries.values(), level, target, {"sources": None if only else digest})
    result.functions, result.compiled = len(entries), len(entries.keys() - before.keys())
    result.megabytes, result.seconds = path.stat().st_size / 1e6, time.perf_counter() - begun
    return result


def _result(task: Future) -> Done:
    done: Done = task.result()
    return done


def is_complete(path: Path, level: str) -> bool:
    """Whether a file is there, whole, for this level, made by this compiler, and from the sources as they are."""
    try:
        store = Store(path)
        return store.is_of(level) and store.note()["sources"] == package_digest()
    except Exception:  # whatever is wrong with it, it is made anew
        return False


def _contents(path: Path, level: str) -> dict[tuple[str, str], Entry]:
    try:
        store = Store(path)
        return {entry.key: entry for entry in store.entries()} if store.is_of(level) else {}
    except Exception:  # nothing of it can be kept
        return {}


def _tour(pool: ProcessPoolExecutor, only: Sequence[str]) -> list[Future]:
    return [pool.submit(work, job) for job in jobs() if not only or job.split()[0] in only]


def _known(pool: ProcessPoolExecutor, like: Path) -> list[Future]:
    """Functions of one module go to one process: they share much of what they call."""
    by_module: dict[str, list[tuple[str, bytes]]] = {}
    for entry in Store(like).entries():
        signature = tuple(unpack(entry.content)[3].args)
        by_module.setdefault(entry.function.split(":", 1)[0], []).append((entry.function, pickle.dumps(signature)))
    largest_first = sorted(by_module.items(), key=lambda item: -len(item[1]))
    return [pool.submit(compile_only, module, signatures) for module, signatures in largest_first]


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(processes, get_context("spawn"), begin)
    try:
        yield pool
    except BaseException:
        workers = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:  # a job takes up to a minute, and nobody waits for it any more
            worker.terminate()
        raise
    pool.shutdown()


@contextmanager
def _environment(level: str, path: Path) -> Iterator[Path]:
    """What processes that are started find: the level, what was compiled for it before, and a cache that they share."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "kept", path.name)
        kept.parent.mkdir()
        with suppress(OSError):
            shutil.copyfile(path, kept)
        cache = Path(folder, "cache")
        os.environ["NUMBA_CACHE_DIR"] = str(cache)
        os.environ["MAXMARGIN_MACHINE_CODE"] = str(kept.parent)
        if level != HOST:
            os.environ["NUMBA_CPU_NAME"] = level
            os.environ["NUMBA_CPU_FEATURES"] = ""
        try:
            yield cache
        finally:
            os.environ.clear()
            os.environ.update(before)
