"""Ctrl-C in the middle of a search or a clustering that would take minutes or hours."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

_SCRIPT = """
    import numpy as np
    from maxmargin.cluster import KMeans, SpectralClustering
    from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier

    rng = np.random.default_rng(0)

    def rows(n, d):
        return rng.standard_normal(size=(n, d), dtype=np.float32)

    few, label = rows(600, {d}), np.arange(600) % 2
    {small}  # compiles what is compiled
    many = rows({n}, {d})
    print("at work", flush=True)
    try:
        {large}
        print("was not interrupted", flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    {small}
    print("and goes on", flush=True)
"""

JOBS = {
    "kneighbors": {
        "n": 300_000,
        "d": 128,
        "small": "KNeighborsClassifier().fit(few, label).kneighbors()",
        "large": "KNeighborsClassifier().fit(many, np.arange(len(many)) % 2).kneighbors()",
    },
    "kneighbors by a tree": {
        "n": 1_500_000,
        "d": 9,
        "small": "KNeighborsClassifier(50, algorithm='kd_tree').fit(few, label).kneighbors()",
        "large": "KNeighborsClassifier(50, algorithm='kd_tree').fit(many, np.arange(len(many)) % 2).kneighbors()",
    },
    "condensing": {
        "n": 150_000,
        "d": 64,
        "small": "CondensedNearestNeighbors(reduce=True).fit(few, label)",
        "large": "CondensedNearestNeighbors(reduce=True).fit(many, rng.integers(2, size=len(many)))",
    },
    "KMeans": {
        "n": 200_000,
        "d": 64,
        "small": "KMeans(20, init='random', n_init=1).fit(few)",
        "large": "KMeans(1000, init='random', n_init=100, tol=0, max_iter=10**6).fit(many)",
    },
    "SpectralClustering": {
        "n": 3000,
        "d": 5,
        "small": "SpectralClustering(3, affinity='nearest_neighbors', n_init=2).fit(few)",
        "large": "SpectralClustering(8, affinity='nearest_neighbors', n_init=10**8).fit(many)",
    },
}


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal are sent otherwise here")
@pytest.mark.parametrize("job", JOBS)
def test_ctrl_c(job):
    script = textwrap.dedent(_SCRIPT).format(**JOBS[job])
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    guard = threading.Timer(120, process.kill)  # only against hanging
    guard.start()
    try:
        assert process.stdout.readline() == "at work\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finally:
        guard.cancel()
        process.kill()
        process.wait()
    assert process.returncode == 0, err
    assert out == "stopped\nand goes on\n"
