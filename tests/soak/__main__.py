"""Half an hour of random work in several threads and processes at once; nothing may be left over, and no memory lost.

``python -m tests.soak --minutes 30`` starts two processes of four threads. Each thread fits random models of all public
estimators, asks them, saves and loads them, makes reports about them, and reads tables. At 24 moments all threads rest,
and the resident memory is read, after garbage collection and after free pages have been given back to the system.

It fails on an exception; on threads that wait for one another; on memory that has grown by more than 50 MB since the
first third; and on threads, open files, temporary files or processes that are left. The library keeps one
pool of threads, as many as there are cores; they are named ``maxmargin``, and do not count as left over.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

MOST = 50.0  # megabytes
STARTED_LATE = 16  # threads of the system: the pools of Arrow and BLAS start when they are needed first


def growth(memory):
    """Megabytes by which memory has grown since the first third: medians of three pauses at either end."""
    after = [trimmed for _, _, trimmed in memory[len(memory) // 3 - 1 :]]
    return median(after[-3:]) - median(after[:3])


def faults(account, cores):
    """What is wrong with a process, by what it says at its end."""
    found = [f"an exception:\n{error}" for error in account["errors"]]
    grown = growth(account["memory"])
    if grown > MOST:
        found.append(f"memory has grown by {grown:.1f} MB since the first third, more than {MOST:.0f} MB")
    early, late = account["early"], account["late"]
    others = [name for name in late["threads"] if name != "MainThread" and not name.startswith("maxmargin")]
    pool = [name for name in late["threads"] if name.startswith("maxmargin")]
    if others or account["alive"] or len(pool) > cores:
        found.append(f"threads are left: {others + account['alive'] + pool}")
    tasks = account["last"]["tasks"]
    if tasks > early["tasks"] + STARTED_LATE:
        found.append(f"{tasks} threads of the system, where {early['tasks']} were at the first third")
    files = Counter(late["files"]) - Counter(early["files"])
    if files:
        found.append(f"files are open: {sorted(files)}")
    if account["left"]:
        found.append(f"temporary files are left: {account['left']}")
    if late["processes"]:
        found.append(f"processes are left: {late['processes']}")
    return found


def show(number, account):
    """Figures of a process."""
    at = account["memory"]
    third = len(at) // 3 - 1
    print(f"process {number}: {sum(account['tally'].values())} jobs {account['tally']}")
    print(
        f"  resident after garbage collection: {at[third][1]:.0f} MB at the first third, {at[-1][1]:.0f} MB at the end;"
        f" with free pages given back: {at[third][2]:.0f} and {at[-1][2]:.0f} MB, growth {growth(at):+.1f} MB"
    )
    print(f"  at each pause: {' '.join(f'{trimmed:.0f}' for _, _, trimmed in at)}")
    late = account["late"]
    print(f"  left: {len(account['left'])} temporary files, {len(late['processes'])} processes, {late['threads']}")
    tasks = [account[when]["tasks"] for when in ("early", "last")]
    print(
        f"  threads of the system: {tasks[0]} at the first third, {tasks[1]} at the last pause, {late['tasks']} after"
    )
    print(f"  slowest job: {account['slowest'][0]}, {account['slowest'][1]:.1f} s")


def start(seed, asked, folder):
    """A process of the soak; its temporary files go into a folder of its own."""
    inner = Path(folder) / str(seed)
    inner.mkdir()
    words = [sys.executable, "-m", "tests.soak.worker", "--seconds", str(60 * asked.minutes), "--seed", str(seed)]
    words += ["--threads", str(asked.threads), "--folder", str(inner)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    bad = []
    with tempfile.TemporaryDirectory(prefix="maxmargin-soak-") as folder:
        running = [start(asked.seed + k, asked, folder) for k in range(asked.processes)]
        for number, process in enumerate(running):
            said, _ = process.communicate()
            if process.returncode:
                bad.append(f"process {number} ended with {process.returncode}")
                continue
            account = json.loads(said)
            show(number, account)
            bad += [f"process {number}: {fault}" for fault in faults(account, os.cpu_count() or 1)]
    print(f"{asked.processes} processes of {asked.threads} threads, {asked.minutes:g} minutes: {len(bad)} faults")
    for fault in bad:
        print("FAILED", fault)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
