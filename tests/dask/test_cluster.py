"""Fits on real processes: the same model, workers that die, clients that are closed, two fits at once, Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time

import dask
import dask.array as da
import distributed
import numpy as np
import pytest
from distributed import Client, LocalCluster

import maxmargin.dask as on
from maxmargin import cluster
from maxmargin.dask import ClusterError
from maxmargin.dask._watch import _Watch
from maxmargin.messages import InputError

from .samples import on_cluster, rows, targets

# Of Dask's own: sockets that it closes late, and what it says when workers are killed.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", name="processes")
def start_processes():
    # a worker that is killed needs longer than Dask's 15 seconds to come back where the machine is busy
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "600s"})
    options = {"processes": True, "dashboard_address": None, "silence_logs": 50}
    with patient, LocalCluster(n_workers=2, threads_per_worker=1, **options) as made:
        yield made


@pytest.fixture
def client(processes):
    with Client(processes) as connected:
        connected.wait_for_workers(2, timeout=60)
        yield connected


def samples(kind="two"):
    X, z = rows(600)
    y = targets(z, kind)
    return X, y, on_cluster(X, 4), on_cluster(y, 4)


def kill_a_worker(client, after):
    """Send SIGKILL to one of the worker processes in a while."""
    pid = next(iter(client.run(os.getpid).values()))
    timer = threading.Timer(after, os.kill, (pid, signal.SIGKILL))
    timer.start()
    return timer


def test_processes_find_what_threads_find_and_their_certificate_agrees(client):
    for name, params, kind in (("LogisticRegression", {}, "two"), ("Ridge", {}, "number")):
        X, y, Xd, yd = samples(kind)
        model = getattr(on, name)(client=client, **params).fit(Xd, yd)
        found = model.certificate_.verify(Xd, yd)
        assert found.status is model.certificate_.status
        assert model.certificate_.verify(X, y).status is found.status
        assert (model.predict(Xd).compute() == model.predict(X)).all()


def test_a_worker_that_is_killed_changes_nothing(client):
    _, _, Xd, yd = samples()
    machine = on.LinearSVC(client=client, loss="hinge")
    begin = time.perf_counter()
    expected = machine.fit(Xd, yd)
    timer = kill_a_worker(client, 0.5 * (time.perf_counter() - begin))
    model = machine.fit(Xd, yd)
    timer.join()
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.certificate_.verify(Xd, yd).primal == model.certificate_.primal


def test_k_means_goes_on_when_a_worker_is_killed(client):
    """What the worker remembered of its rows is made again."""
    X, _, Xd, _ = samples()
    machine = on.KMeans(20, client=client, init=X[:20], tol=0)
    expected = cluster.KMeans(20, init=X[:20], tol=0).fit(X)
    timer = kill_a_worker(client, 0.3)
    model = machine.fit(Xd)
    timer.join()
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.n_iter_ == expected.n_iter_ and model.certificate_.verify(Xd).holds


def test_a_kernel_machine_and_its_proof_on_processes(client):
    X, y, Xd, yd = samples()
    model = on.LargeSVC(client=client, n_landmarks=60, gap_tol=0.5).fit(Xd, yd)
    for found in (model.certificate_.verify(Xd, yd), model.certificate_.verify(X, y)):
        assert found.status is model.certificate_.status


@pytest.mark.parametrize("name", ["RandomForestClassifier", "SVCCV"])
def test_a_forest_and_a_search_survive_a_worker(client, name):
    X, y, Xd, yd = samples()
    data = (X[:120], y[:120]) if name == "SVCCV" else (Xd, yd)
    params = {"Cs": 2, "gammas": 2} if name == "SVCCV" else {"n_estimators": 3, "random_state": 0}
    machine = getattr(on, name)(client=client, **params)
    begin = time.perf_counter()
    expected = machine.fit(*data)
    timer = kill_a_worker(client, 0.5 * (time.perf_counter() - begin))
    model = machine.fit(*data)
    timer.join()
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.certificate_.verify(*data).status is expected.certificate_.status


def test_two_fits_at_once(client):
    _, _, Xd, yd = samples()
    expected, found = on.LogisticRegression(client=client).fit(Xd, yd), {}

    def fit(k):
        found[k] = on.LogisticRegression(client=client).fit(Xd, yd)

    threads = [threading.Thread(target=fit, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model in found.values():
        np.testing.assert_array_equal(model.coef_, expected.coef_)


def slowly(block):
    time.sleep(0.5)
    return block


def test_ctrl_c_ends_a_fit_and_cancels_its_tasks(client):
    X, y, _, yd = samples()
    Xd = on_cluster(X, 4).map_blocks(slowly, dtype=float)
    model = on.LinearSVC(client=client)
    threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(Xd, yd)
    assert not hasattr(model, "coef_")
    assert on.LinearSVC(client=client).fit(on_cluster(X, 4), yd).predict(X).shape == y.shape


def fit_inside(X, y, own):
    made = distributed.get_client() if own else None
    model = on.LogisticRegression(client=made).fit(on_cluster(X, 3), on_cluster(y, 3))
    return model.coef_, str(model.certificate_.verify(on_cluster(X, 2), on_cluster(y, 2)).status)


def test_fits_inside_of_tasks_leave_the_threads_of_their_workers(client):
    """More of them than there are threads: each would wait for what needs its own."""
    X, y, _, _ = samples()
    expected = on.LogisticRegression(client=client).fit(on_cluster(X, 3), on_cluster(y, 3))
    tasks = [client.submit(fit_inside, X, y, own, pure=False) for own in (False, True, False)]
    for coef, status in client.gather(tasks):
        assert status == "converged"
        np.testing.assert_array_equal(coef, expected.coef_)


def close_when_busy(client):
    while not client.futures:
        time.sleep(0.01)
    client.close()


def test_a_client_that_is_closed_in_a_fit(processes):
    X, _, _, yd = samples()
    connected = Client(processes)
    closing = threading.Thread(target=close_when_busy, args=(connected,))
    closing.start()
    with pytest.raises(ClusterError, match="closed or restarted"):
        on.LinearSVC(client=connected).fit(on_cluster(X, 4).map_blocks(slowly, dtype=float), yd)
    closing.join()
    assert dask.config.get("scheduler", None) is None  # it was that of the client, for all that came later


def test_a_client_that_is_closed(processes):
    _, _, Xd, yd = samples()
    closed = Client(processes)
    closed.close()
    with pytest.raises(InputError, match="client is closed"):
        on.LinearSVC(client=closed).fit(Xd, yd)


def test_a_cluster_whose_workers_are_gone_says_so(monkeypatch):
    monkeypatch.setattr("maxmargin.dask._watch.PATIENCE", 1.0)
    _, _, Xd, yd = samples()
    with (
        LocalCluster(n_workers=0, processes=True, dashboard_address=None, silence_logs=50) as empty,
        Client(empty) as client,
    ):
        with pytest.raises(ClusterError, match="no worker is left"):
            on.LinearSVC(client=client).fit(Xd, yd)


class Full:
    """What a client says of a worker that is paused."""

    status, on_disk = "running", 0

    def scheduler_info(self, n_workers):
        metrics = {"managed_bytes": 10**9, "spilled_bytes": {"memory": 0, "disk": self.on_disk}}
        return {"workers": {"tcp://one": {"status": "paused", "metrics": metrics}}}


def test_paused_workers_are_waited_for_while_they_write_to_disk(monkeypatch):
    monkeypatch.setattr("maxmargin.dask._watch.PATIENCE", 0.0)
    client = Full()
    watch = _Watch(client, "fit")
    for size in range(3):
        client.on_disk = size
        watch.look()
    with pytest.raises(ClusterError, match="paused"):
        watch.look()


def test_an_error_in_a_partition_is_the_users_own(client):
    def broken(block):
        raise OSError("the disk is gone")

    _, _, Xd, yd = samples()
    with pytest.raises(OSError, match="the disk is gone"):
        on.LinearSVC(client=client).fit(Xd.map_blocks(broken, dtype=float, meta=np.empty((0, 0))), yd)
    assert isinstance(da.from_array(np.ones(3)).sum().compute(), float)
