"""The soak does its jobs, and sees what is left over. `make soak` runs it for half an hour."""

import os
import tempfile
import threading

import numpy as np
import pytest
from tests.soak.__main__ import faults, growth
from tests.soak.jobs import KINDS, RECIPES, chosen, fit, page, same, table, tour
from tests.soak.worker import PAUSES, Soak, held, resident

pytest.importorskip("matplotlib")
linux = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="reads /proc")
NOTHING = {"files": [], "threads": ["MainThread", "maxmargin_0"], "tasks": 9, "processes": []}


def account(**changes):
    """What a process without a fault says."""
    memory = [(float(i), 400.0, 400.0) for i in range(PAUSES)]
    plain = {
        "errors": [],
        "memory": memory,
        "alive": [],
        "left": [],
        "early": NOTHING,
        "last": NOTHING,
        "late": NOTHING,
    }
    return {**plain, **changes}


@pytest.mark.parametrize(
    ("work", "name"), [(fit, "Ridge"), (fit, "DecisionTreeClassifier"), (page, "Ridge"), (table, "")]
)
def test_jobs_are_done(work, name, tmp_path):
    outcomes = {work(name, np.random.default_rng(seed), tmp_path) for seed in range(3 if work is fit else 1)}
    assert outcomes <= {"fitted", "reported", "read", "refused"} and outcomes != {"refused"}


def test_the_tour_goes_to_every_estimator():
    jobs = [job for part in range(4) for job in tour(part, 4)]
    assert set(jobs) == {(kind, name) for kind in ("fit", "page") for name in RECIPES}
    rng = np.random.default_rng(0)
    assert {chosen(rng)[0] for _ in range(200)} == set(KINDS)


def test_answers_that_differ_are_seen():
    same({"predict": np.array([1.0, np.nan])}, {"predict": np.array([1.0, np.nan])})
    with pytest.raises(AssertionError):
        same({"predict": np.array([1.0])}, {"predict": np.array([np.nextafter(1.0, 2.0)])})


def test_no_fault_where_there_is_none():
    assert faults(account(), cores=2) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"errors": ["ValueError"]}, "an exception"),
        ({"memory": [(float(i), 0.0, 400.0 + 4 * i) for i in range(PAUSES)]}, "memory has grown by 56.0 MB"),
        ({"left": ["model.mm"]}, "temporary files are left"),
        ({"alive": ["soak-1"]}, "threads are left"),
        ({"late": {**NOTHING, "threads": ["MainThread", "Thread-7"]}}, "threads are left"),
        ({"late": {**NOTHING, "threads": [f"maxmargin_{k}" for k in range(3)]}}, "threads are left"),
        ({"last": {**NOTHING, "tasks": 40}}, "40 threads of the system"),
        ({"late": {**NOTHING, "files": ["/tmp/a"]}}, "files are open"),
        ({"late": {**NOTHING, "processes": [77]}}, "processes are left"),
    ],
)
def test_faults_are_seen(changes, words):
    found = faults(account(**changes), cores=2)
    assert len(found) == 1 and words in found[0]


def test_growth_counts_from_the_first_third():
    early = [(0.0, 0.0, 100.0 * i) for i in range(7)]  # until everything has been compiled and loaded
    assert growth(early + [(0.0, 0.0, 900.0)] * 17) == 0


@linux
def test_what_a_process_holds():
    before = held()
    event = threading.Event()
    thread = threading.Thread(target=event.wait, name="left over")
    thread.start()
    with tempfile.NamedTemporaryFile() as file:
        now = held()
        assert file.name in now["files"] and file.name not in before["files"]
    assert "left over" in now["threads"] and now["tasks"] > before["tasks"]
    event.set()
    thread.join()
    before_trim, trimmed = resident()
    assert 0 < trimmed <= before_trim + 10


@linux
def test_threads_rest_together_and_errors_are_kept(tmp_path, monkeypatch):
    def job(kind, name, rng, folder):
        (folder / "file").write_text("x")
        if rng.random() < 0.01:
            raise ValueError("once in a while")
        return "done"

    monkeypatch.setattr("tests.soak.worker.job", job)
    monkeypatch.setattr("tests.soak.worker.resident", lambda: (1.0, 1.0))
    soak = Soak(0, 3, tmp_path)
    memory, (early, last), alive = soak.run(0.5)
    assert len(memory) == PAUSES and not alive and not list(tmp_path.iterdir())
    assert early["tasks"] >= 4 and last["tasks"] >= 4
    assert soak.tally["error"] == len(soak.errors) > 0 and "once in a while" in soak.errors[0]
