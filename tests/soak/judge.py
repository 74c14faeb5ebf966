"""What a process holds on to, from /proc, and what may not be left of it."""

import gc
import os
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

MOST_GROWTH = 50.0  # MB
POOL = "maxmargin"  # threads of the shared pool have names that begin so; they stay for the next call


@dataclass(frozen=True)
class State:
    """Memory in MB, threads of the system, open files, and Python's threads by name."""

    memory: float
    threads: int
    files: int
    names: list[str]

    def facts(self):
        """As a dict."""
        return asdict(self)


def state():
    """The state of this process while nothing is computed."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return State(
        memory=pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        threads=len(os.listdir("/proc/self/task")),
        files=len(os.listdir("/proc/self/fd")),
        names=sorted(thread.name for thread in threading.enumerate()),
    )


def members(session):
    """Processes of a session that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if int(after[3]) == session and after[0] != "Z":
                found.append(int(entry.name))
    return found


def complaints(found, left, processes):
    """What is wrong with one process of a soak.

    Parameters
    ----------
    found : dict
        Its account: "states" as (share of the time, `State` as a dict), "errors" and "last", the state at the end.
    left : list of str
        Files that it has left behind.
    processes : list of int
        Processes that it has left behind.

    """
    words = [f"error: {error}" for error in found["errors"]]
    words += [f"left behind: file {name}" for name in left]
    words += [f"left behind: process {number}" for number in processes]
    settled = [one for share, one in found["states"] if share >= 1 / 3]
    if not settled:
        return [*words, "too short: nothing was measured after the first third"]
    begin, last = settled[0], found["last"]
    grown = max(one["memory"] for one in (*settled, last)) - begin["memory"]
    if grown > MOST_GROWTH:
        words.append(f"memory has grown by {grown:.0f} MB after the first third, beyond {MOST_GROWTH:.0f} MB")
    # At the end the four threads of the soak are gone, so that no more may be left than before without them.
    if last["threads"] > begin["threads"] - found["workers"]:
        words.append(f"{last['threads']} threads at the end, {begin['threads'] - found['workers']} in the first third")
    if odd := [name for name in last["names"] if name != "MainThread" and not name.startswith(POOL)]:
        words.append(f"left behind: threads {', '.join(odd)}")
    if last["files"] > begin["files"]:
        words.append(f"{last['files']} files are open at the end, {begin['files']} after the first third")
    return words
