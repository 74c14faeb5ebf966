"""``python -m tests.soak --minutes 30``: does anything grow or stay behind when work goes on for long? Linux only.

Two processes with four threads each fit random models of every public estimator on random data, predict, save, load
and make reports. Each process is measured while its threads wait. It fails on an exception, on memory that grows by
more than 50 MB after the first third of the time, and on threads, open files, temporary files or processes left behind.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.soak.judge import complaints, members

GRACE = 900.0  # seconds beyond the time asked for until a process counts as stuck


def start(number, asked, folder):
    """A process with a temporary folder of its own, in a session of its own."""
    home = Path(folder) / f"process {number}"
    home.mkdir()
    command = [sys.executable, "-m", "tests.soak.worker", "--seconds", str(asked.minutes * 60)]
    command += ["--seed", str(asked.seed * 1000 + number), "--threads", str(asked.threads)]
    command += ["--out", f"{folder}/account {number}.json"]
    return subprocess.Popen(command, env=os.environ | {"TMPDIR": str(home)}, start_new_session=True), home


def finish(number, process, home, folder, seconds):
    """The account of a process and what is wrong with it."""
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None, [f"it has not ended within {seconds:.0f} s"]
    left = [str(path.relative_to(home)) for path in sorted(home.rglob("*"))]
    account = Path(folder) / f"account {number}.json"
    if status or not account.exists():
        return None, [f"it ended with status {status}"]
    found = json.loads(account.read_text())
    return found, complaints(found, left, members(process.pid))


def show(number, found):
    """Print how memory went and what was done."""
    settled = [one["memory"] for share, one in found["states"] if share >= 1 / 3]
    last = found["last"]
    if settled:
        print(
            f"process {number}: {settled[0]:.0f} MB after the first third, then {min(settled):.0f} to "
            f"{max(settled):.0f} MB, {last['memory']:.0f} MB at the end; "
            f"{last['threads']} threads, {last['files']} files"
        )
    print(f"process {number}: {', '.join(f'{count} {what}' for what, count in found['counts'].items())}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    asked = parser.parse_args()
    bad, total, begin = [], Counter(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        running = [(number, *start(number, asked, folder)) for number in range(asked.processes)]
        for number, process, home in running:
            wait = begin + asked.minutes * 60 + GRACE - time.monotonic()
            found, words = finish(number, process, home, folder, wait)
            if found is not None:
                show(number, found)
                total.update(found["counts"])
            bad += [f"process {number}: {word}" for word in words]
    print(f"in all: {', '.join(f'{count} {what}' for what, count in total.items())}, {time.monotonic() - begin:.0f} s")
    for word in bad:
        print("FAILED", word)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
