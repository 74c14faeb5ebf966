"""Workers, turns, tables and arguments."""

import json
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import command_line, datasets, table, timing
from benchmarks.contest import Contest
from benchmarks.growth import exponent, growth_record, growth_text
from benchmarks.options import Options
from benchmarks.stand_ins import STAND_INS, _covtype, _fashion_mnist, _news20_tfidf
from benchmarks.worker import ContenderError, Worker
from toy_contenders import Lacking, Missing, Sleepy, Toy


class _Named:
    name = "toys"


@pytest.fixture
def worker():
    w = Worker(Toy, None, ([1.0, 2.0, 3.0],), limit=60)
    yield w
    w.close()


def test_worker_answers_and_survives_errors(worker, capfd):
    worker.ready()
    answer = worker.call("total", repeat=3, power=2)
    assert answer.value == 14.0
    assert len(answer.seconds) == 3
    assert worker.call("seen").value == ["total"] * 3 + ["seen"]
    with pytest.raises(ContenderError, match=r"^RuntimeError: no luck \(in fail\)$"):
        worker.call("fail")
    with pytest.raises(ContenderError, match="SystemExit"):
        worker.call("leave")
    assert worker.call("hold", megabytes=60).peak_mb == pytest.approx(60, abs=15)
    assert capfd.readouterr().out == ""


def test_worker_that_crashes(worker):
    worker.ready()
    with pytest.raises(ContenderError, match=rf"its process died \(signal {int(signal.SIGABRT)}\)"):
        worker.call("crash")


def _ended(process):
    """Whether there is no such process, or all that is left of it waits for its parent to ask."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")
@pytest.mark.parametrize("end", ["close", "crash"])
def test_what_a_contender_starts_ends_with_it(worker, end):
    worker.ready()
    process, may_start = worker.call("start_process").value
    assert may_start
    assert Path(f"/proc/{process}").exists()
    if end == "crash":
        with pytest.raises(ContenderError):
            worker.call("crash")
    worker.close()
    assert _ended(process)


def test_worker_that_hangs():
    worker = Worker(Toy, None, ([1.0],), limit=60)
    worker.ready()
    worker._limit = 0.2
    with pytest.raises(ContenderError, match=r"no answer within 0\.2 s"):
        worker.call("sleep", seconds=60)
    worker.close()


def test_worker_that_is_given_less_time():
    worker = Worker(Toy, None, ([1.0],), limit=60)
    worker.ready()
    assert worker.call("total", limit=30.0).value == 1.0
    with pytest.raises(ContenderError, match=r"no answer within 0\.2 s"):
        worker.call("sleep", limit=0.2, seconds=60)


def test_who_has_no_target_waits_and_has_to_be_quick(monkeypatch):
    monkeypatch.setattr(timing, "PATIENCE", (0.3, 0.5))
    with Contest([Sleepy, Toy], _Named, ([1.0],), Options(quick=True), {"toy"}) as contest:
        assert list(contest.race("total")) == ["toy", "sleepy"]
        assert list(contest.race("rest")) == ["toy"]
        assert contest.failed == {"sleepy": "no answer within 0.3 s"}


def test_what_is_settled_is_not_repeated(monkeypatch):
    monkeypatch.setattr(timing, "SETTLED_OVER", 0.0)
    seen = []

    def settled(name, seconds):
        seen.append((name, list(seconds)))
        return True

    with Contest([Toy], _Named, ([1.0],), Options(quick=True), {"toy"}) as contest:
        assert contest.race("total", settled=settled)["toy"].runs == 1
    assert seen == [("toy", ["toy"])]


def test_patience_is_that_of_the_others_within_bounds():
    assert timing.patience(0.01) == timing.PATIENCE[0]
    assert timing.patience(4.0) == 8.0
    assert timing.patience(100.0) == timing.PATIENCE[1]


def test_time_is_divided_among_benchmarks(monkeypatch):
    class Three:
        MINUTES = 3.0

    class One:
        MINUTES = 1.0

    now = [0.0]
    monkeypatch.setattr(command_line, "elapsed", lambda: now[0])
    shares = command_line._shares(Options(minutes=8.0), {"a": Three, "b": One})
    name, options = next(shares)
    assert (name, options.minutes, options.start) == ("a", 6.0, 0.0)
    now[0] = 60.0  # it took one minute of its six
    name, options = next(shares)
    assert (name, options.minutes, options.start) == ("b", 7.0, 60.0)


def test_contest_goes_on_without_who_fails(capsys):
    with Contest([Toy, Missing, Lacking], _Named, ([1.0, 2.0],), Options(quick=True), {"toy"}) as contest:
        assert contest.names == ["toy"]
        laps = contest.race("total", power=2)["toy"]
        assert laps.runs == 9
        assert laps.value == 5.0
        assert contest.ask("missing", "total") is None
        assert contest.race("fail") == {}
        assert contest.names == []
    assert contest.failed["missing"].startswith("not available: No module named")
    assert contest.failed["lacking"] == "not available: math has no no_such_thing"
    assert contest.failed["toy"] == "RuntimeError: no luck (in fail)"
    assert "toys: total power=2" in capsys.readouterr().err


def test_turns_are_interleaved():
    order = []

    def run(name, times):
        order.append((name, times))
        return [] if name == "c" else [0.1] * times

    plans = {"a": timing.Plan(3), "b": timing.Plan(5, portion=2), "c": timing.Plan(9), "d": timing.Plan(1, 1, True)}
    seconds = timing.take_turns(plans, run)
    assert order == [("a", 1), ("b", 2), ("c", 1), ("a", 1), ("b", 2), ("a", 1), ("b", 1)]
    assert {name: len(s) for name, s in seconds.items()} == {"a": 3, "b": 5, "c": 0, "d": 0}


@pytest.mark.parametrize(
    ("first", "settings", "runs", "counts"),
    [
        (90.0, {}, 1, True),
        (20.0, {}, 3, True),
        (40.0, {}, 3, True),
        (40.0, {"settled": True}, 1, True),
        (10.0, {"settled": True}, 3, True),
        (2.0, {"targeted": False}, 1, True),
        (0.5, {"targeted": False}, 5, False),
        (20.0, {"hurried": True}, 1, True),
        (2.0, {"hurried": True}, 3, False),
        (0.5, {}, 5, False),
        (0.01, {}, 21, False),
        (0.001, {}, 60, False),
        (0.001, {"quick": True}, 9, False),
    ],
)
def test_number_of_runs(first, settings, runs, counts):
    plan = timing.plan(first, **settings)
    assert (plan.runs, plan.first_counts) == (runs, counts)


def test_table_is_aligned():
    text = table.render(("who", "seconds", "note"), [("a", "1.0", "x"), ("long name", "10.0", ""), ("b", "is absent")])
    assert text.splitlines() == [
        "  who        seconds  note",
        "  a              1.0     x",
        "  long name     10.0",
        "  b          is absent",
    ]


@pytest.mark.parametrize(
    ("value", "text"), [(123.4, "123"), (7.213, "7.21"), (0.0123, "0.0123"), (1.5e-5, "0.000015"), (None, "-")]
)
def test_seconds_have_three_figures(value, text):
    assert table.seconds(value) == text


def test_verdicts():
    assert table.verdict(2.0, 2.0) == "ok"
    assert table.verdict(1.99, 2.0) == "short"
    assert table.verdict(1.99, 2.0, at_least=True) == "open"
    assert table.verdict(2.0, 2.0, at_least=True) == "ok"
    assert table.verdict(None, 2.0) == table.verdict(2.0, None) == ""


def test_growth_says_why_sizes_are_missing():
    times = {"a": {10: 1.0, 20: 2.0}, "b": {10: 1.0}, "c": {}}
    text = growth_text("head", "n", [10, 20], times, {"b": "no answer within 5 s"})
    assert text.splitlines() == [
        "head",
        "  seconds at n =    10    20  exponent",
        "  a               1.00  2.00      1.00",
        "  b               1.00     -         -  no answer within 5 s",
        "  c               not run",
    ]
    assert growth_record([10, 20], times)["exponent"] == {"a": pytest.approx(1.0), "b": None, "c": None}


def test_exponent_of_a_power():
    assert exponent({n: 1e-7 * n**1.7 for n in (100, 200, 400)}) == pytest.approx(1.7)
    assert exponent({100: 1.0}) is None


@pytest.mark.parametrize(
    "name", [name for name in STAND_INS if name not in ("fashion_mnist", "covtype", "news20_tfidf")]
)
def test_stand_ins_are_what_they_stand_for(name, tmp_path):
    shapes = {
        "magic04": (19020, 10),
        "ijcnn1": (49990, 22),
        "usps": (7291, 256),
        "a9a": (32561, 123),
        "california_housing": (20433, 13),
        "heart_scale": (270, 13),
        "letter": (16000, 16),
        "spambase": (4601, 57),
        "diamonds": (53940, 26),
    }
    data = datasets.load(name, tmp_path)
    assert data.X.shape == shapes[name]
    assert len(data.y) == shapes[name][0]
    assert data.origin == f"made, in the shape of {name}"
    assert sp.issparse(data.X) == (name == "a9a")


def test_stand_in_for_images():
    X, y = _fashion_mnist(np.random.default_rng(0), 300)
    assert X.shape == (300, 784)
    assert X.min() == 0
    assert X.max() <= 255
    assert len(np.unique(y)) == 10


def test_stand_in_for_land():
    X, y = _covtype(np.random.default_rng(0), 2000)
    assert X.shape == (2000, 54)
    assert X.dtype == np.float32
    assert np.array_equal(np.unique(y), np.arange(1, 8))
    assert (X[:, 10:14].sum(axis=1) == 1).all()
    assert (X[:, 14:].sum(axis=1) == 1).all()
    assert (y == 2).mean() == pytest.approx(0.5, abs=0.01)


def test_stand_in_for_texts():
    X, y = _news20_tfidf(np.random.default_rng(0), 200)
    assert X.shape == (200, 53665)
    assert 50 < X.nnz / 200 < 200
    np.testing.assert_allclose(np.asarray(X.multiply(X).sum(axis=1)), 1.0)
    assert len(np.unique(y)) == 20


def test_data_are_taken_from_the_folder(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 2)), np.arange(6)
    np.savez(tmp_path / "magic04.npz", X=X, y=y)
    np.savez(tmp_path / "ijcnn1.npz", X_train=X[:4], y_train=y[:4])
    sp.save_npz(tmp_path / "a9a_X_train.npz", sp.csr_matrix(X))
    np.save(tmp_path / "a9a_y_train.npy", y)
    assert datasets.load("magic04", tmp_path).origin == "magic04, from the data folder"
    assert datasets.load("ijcnn1", tmp_path).X.shape == (4, 2)
    assert sp.issparse(datasets.load("a9a", tmp_path).X)
    scaled = datasets.standardised(datasets.load("magic04", tmp_path))
    np.testing.assert_allclose(scaled.X.std(axis=0), 1.0)
    assert datasets.thinned(scaled, 3).X.shape == (3, 2)
    assert sorted(datasets.shuffled(scaled).y) == list(range(6))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["linear-algebra"], "argument benchmark"),
        (["kernel", "--data", "no/such/folder"], "argument --data: 'no/such/folder' is not a folder"),
        (["kernel", "--cases", "heart,moon"], "argument --cases: unknown case 'moon'; choose from magic04-c1"),
        (["kernel", "--cases", ","], "argument --cases: no case named"),
        (["kernel", "--minutes", "0"], "argument --minutes: must be positive"),
        (["kernel", "--plot", "x.txt"], "argument --plot: 'x.txt' must end in"),
        (["kernel", "--json", "."], "argument --json: '.' is a folder"),
    ],
)
def test_bad_arguments_are_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        command_line.main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_json_has_no_infinity():
    text = json.dumps(command_line._plain({1: [float("inf"), 2.0, ("x", None)]}), allow_nan=False)
    assert json.loads(text) == {"1": [None, 2.0, ["x", None]]}
