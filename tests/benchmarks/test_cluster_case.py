"""A whole benchmark of clusters on small data, and the referee's word on right and wrong answers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import cluster, command_line
from benchmarks.cluster.cases import (
    CASES,
    KMEANS,
    SKLEARN_ELKAN,
    SKLEARN_LLOYD,
    SPECTRAL,
    KMeansCase,
    SpectralCase,
    circles,
)
from benchmarks.cluster.contenders import Centres, contenders
from benchmarks.cluster.judge import KMeansJudge, SpectralJudge
from benchmarks.datasets import Data
from benchmarks.names import INTELEX, OURS, SKLEARN
from benchmarks.options import Options
from benchmarks.worker import ContenderError
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import make_blobs

pytestmark = pytest.mark.filterwarnings("ignore")  # the peers' own


def _blobs(options):
    X, y = make_blobs(n_samples=400, centers=4, cluster_std=2.0, n_features=3, random_state=0)
    return Data(X, y, "made")


CASE = KMeansCase("test", _blobs, {SKLEARN: 2}, (SKLEARN_LLOYD, SKLEARN_ELKAN, INTELEX), k=4)
CUT = SpectralCase("cut", _blobs, {SKLEARN: 2}, k=4)


def _run(contender, case, *subjects):
    subject = contender(case, *subjects)
    try:
        subject.warm_up()
    except ContenderError as error:
        pytest.skip(str(error))
    subject.before("fit")
    subject.fit()
    return subject


@pytest.mark.parametrize("contender", contenders(CASE))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_everybody_comes_to_the_same_rest(contender, dtype):
    case = replace(CASE, dtype=dtype)
    data = case.data(Options())
    start = case.start(data, Options())
    subject = _run(contender, case, data.X, start)
    verdict = KMeansJudge(case, data.X)(subject.name, subject.found())
    assert verdict.flaw == ""
    truth = KMeans(4, init=start.astype(float), n_init=1, tol=0).fit(data.X.astype(float))
    assert verdict.value == pytest.approx(truth.inertia_, rel=1e-6)
    assert verdict.numbers["change"] == 0
    assert verdict.numbers["move"] < 1e-5
    assert subject.note() == ""
    subject.rehearse()
    assert subject.found().steps <= 2
    subject.use_rows(100)
    subject.fit()
    assert len(subject.found().labels) == 100


def test_start_has_no_row_twice():
    X = np.repeat(np.arange(8.0), 3)[:, None]
    start = CASE.start(Data(X, np.zeros(24), "made"), Options())
    assert len(np.unique(start)) == len(start) == 4


def test_referee_of_kmeans():
    data = _blobs(None)
    judge = KMeansJudge(CASE, data.X)
    model = KMeans(4, n_init=1, tol=0, random_state=0).fit(data.X)
    at_rest = judge("x", Centres(model.cluster_centers_, model.labels_, model.n_iter_))
    assert at_rest.flaw == ""
    assert at_rest.value == pytest.approx(model.inertia_, rel=1e-12)
    moved = model.cluster_centers_ + 0.1
    verdict = judge("x", Centres(moved, model.labels_, model.n_iter_))
    assert verdict.flaw == "no fixed point"
    spread = np.sqrt(verdict.value / len(data.X))
    assert verdict.numbers["move"] == pytest.approx(0.1 * np.sqrt(3) / spread)
    labels = model.labels_.copy()
    labels[:40] = (labels[:40] + 1) % 4
    assert judge("x", Centres(model.cluster_centers_, labels, 3)).numbers["change"] == pytest.approx(0.1)
    assert judge("x", Centres(model.cluster_centers_, labels, 3)).value == at_rest.value
    for centres, words in ((moved[:3], "3 centres"), (np.full((4, 3), np.nan), "not finite")):
        with pytest.raises(ValueError, match=words):
            judge("x", Centres(centres, model.labels_, 1))


def test_steps_are_counted_unless_at_rest():
    data = _blobs(None)
    start = data.X[:4]
    judge = KMeansJudge(replace(CASE, steps=50), data.X)
    for steps, flaw in ((2, "2 steps"), (40, "")):
        model = KMeans(4, init=start, n_init=1, tol=0, max_iter=steps).fit(data.X)
        assert judge("x", Centres(model.cluster_centers_, model.labels_, model.n_iter_)).flaw == flaw
    short = KMeans(4, init=start, n_init=1, tol=0, max_iter=2).fit(data.X)
    found = Centres(short.cluster_centers_, short.labels_, short.n_iter_)
    assert KMeansJudge(replace(CASE, steps=2), data.X)("x", found).flaw == ""


@pytest.mark.parametrize("contender", contenders(CUT))
def test_cuts_are_judged_by_one_graph(contender):
    data = CUT.data(Options())
    subject = _run(contender, CUT, data.X)
    verdict = SpectralJudge(CUT, data.X)(subject.name, subject.found())
    assert verdict.flaw == ""
    theirs = SpectralClustering(4, affinity="nearest_neighbors", random_state=0).fit(data.X)
    W = theirs.affinity_matrix_.toarray()
    np.fill_diagonal(W, 0)
    labels = subject.found()
    by_hand = sum(W[labels == k][:, labels != k].sum() / W[labels == k].sum() for k in range(4))
    assert verdict.value == pytest.approx(by_hand, rel=1e-12)
    assert sum(verdict.numbers["sizes"]) == 400


def test_clusters_that_got_lost_are_no_cut():
    data = CUT.data(Options())
    judge = SpectralJudge(CUT, data.X)
    assert judge("x", np.arange(400) % 3).flaw == "3 clusters"
    with pytest.raises(ValueError, match="no cluster"):
        judge("x", np.arange(400) % 5)


def test_from_the_command_line_to_the_tables(monkeypatch, tmp_path, capsys):
    fashion = replace(KMEANS[0], peers=(SKLEARN_LLOYD,), required={SKLEARN: 2})
    monkeypatch.setattr(cluster, "CASES", (fashion, SPECTRAL[1]))
    rng = np.random.default_rng(0)
    images = rng.integers(256, size=(300, 64)).astype(np.float32)
    np.savez(tmp_path / "fashion_mnist.npz", X=images, y=rng.integers(10, size=300))
    file = tmp_path / "raw.json"
    names = "kmeans-fashion,spectral-circles"
    arguments = ["cluster", "--quick", "--data", str(tmp_path), "--cases", names, "--json", str(file)]
    assert command_line.main([*arguments, "--minutes", "600"]) == 0  # a busy machine leaves none out
    text = capsys.readouterr().out
    assert "kmeans-fashion: 300 x 64 float32; data: fashion_mnist, from the data folder, k=20, until no" in text
    assert "spectral-circles: 1500 x 2 float64; data: two circles, made, 2 clusters, graph of 10 neighbours" in text
    assert "of 2 reached" in text
    cases = json.loads(file.read_text())["results"]["cluster"]["cases"]
    assert cases["kmeans-fashion"]["ratio"][SKLEARN_LLOYD] > 0
    assert cases["spectral-circles"]["verdicts"][OURS]["ncut"] <= cases["spectral-circles"]["verdicts"][SKLEARN]["ncut"]


def test_cases_have_what_they_require():
    for case in CASES:
        names = [c.name for c in contenders(case)]
        assert names[0] == OURS
        assert all(any(name.split(" ")[0] == library for name in names) for library in case.required)
    assert circles(Options(), 50).X.shape == (50, 2)
