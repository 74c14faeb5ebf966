"""The soak covers every estimator, and its judge hears what it should. ``make soak`` runs it for half an hour."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from tests.soak.judge import complaints, members, state
from tests.soak.recipes import RECIPES, public_estimators
from tests.soak.worker import Soak, job


def test_every_public_estimator_has_a_recipe():
    assert public_estimators() <= set(RECIPES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RECIPES)
def test_a_job(name):
    assert job(name, np.random.default_rng(0), rows=60, reports=0.0) == ["fits", "saves", "loads"]


def account(*memory, threads=6, files=5, names=("MainThread",), errors=()):
    """An account with these measurements, the first after the first third, and the last at the end."""
    during = {"threads": threads + 4, "files": files, "names": []}
    states = [((n + 1) / len(memory), during | {"memory": size}) for n, size in enumerate(memory[:-1])]
    last = {"memory": memory[-1], "threads": threads, "files": files, "names": list(names)}
    return {"workers": 4, "states": states, "last": last, "errors": list(errors)}


def test_nothing_to_complain_about():
    # The first of six measurements counts for nothing: memory of the first third.
    assert complaints(account(10, 300, 340, 310, 349, 320), [], []) == []


@pytest.mark.parametrize(
    ("found", "left", "processes", "word"),
    [
        (account(10, 300, 320, 330, 340, 351), [], [], "grown by 51 MB"),
        (account(10, 300, 360, 300, 300, 300), [], [], "grown by 60 MB"),
        (account(300, 300, 300), ["page.html"], [], "file page.html"),
        (account(300, 300, 300), [], [17], "process 17"),
        (account(300, 300, 300, names=("MainThread", "maxmargin_0", "writer")), [], [], "threads writer"),
        (account(300, 300, 300, errors=["boom"]), [], [], "boom"),
    ],
)
def test_complaints(found, left, processes, word):
    (said,) = complaints(found, left, processes)
    assert word in said


def test_more_threads_or_files_at_the_end():
    found = account(300, 300, 300)
    found["last"] |= {"threads": 7, "files": 6}
    assert len(complaints(found, [], [])) == 2


def test_the_state_counts_threads_and_files(tmp_path):
    before = state()
    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="left behind")
    thread.start()
    with (tmp_path / "file").open("w"):
        during = state()
    over.set()
    thread.join()
    assert during.threads == before.threads + 1
    assert during.files == before.files + 1
    assert "left behind" in during.names


def test_processes_of_a_session():
    command = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'input()'], stdin=0); input()"
    with subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE, start_new_session=True) as process:
        while len(members(process.pid)) < 2:
            assert process.poll() is None
        process.stdin.close()
    assert process.pid not in members(process.pid)


@pytest.mark.filterwarnings("ignore")
def test_errors_of_threads_are_kept(monkeypatch):
    def broken(name, rng):
        raise ValueError(f"no {name}")

    monkeypatch.setattr("tests.soak.worker.job", broken)
    found = Soak(seed=0, threads=2).run(0.1)
    assert found["errors"]
    assert "ValueError: no " in found["errors"][0]
