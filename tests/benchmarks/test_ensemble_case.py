"""A benchmark of trees and ensembles on small data, and the referee's word on their errors."""

import numpy as np
import pytest
from benchmarks import command_line, ensemble
from benchmarks.datasets import Data
from benchmarks.ensemble import accuracy, bias_variance, cascade
from benchmarks.ensemble.cases import BOOSTED, CASES, FOREST, TREE, Case, split
from benchmarks.ensemble.contenders import contenders
from benchmarks.ensemble.judge import Judge
from benchmarks.names import INTELEX, SKLEARN
from benchmarks.options import Options
from benchmarks.worker import ContenderError

pytestmark = pytest.mark.filterwarnings("ignore")  # the peers' own


def _made(options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    return Data(X, (X[:, 0] + X[:, 1] > 0).astype(int), "made")


@pytest.mark.parametrize("kind", [FOREST, TREE, BOOSTED])
def test_every_contender_learns(kind):
    settings = {} if kind == TREE else {"n_estimators": 10}
    case = Case("test", kind, _made, {SKLEARN: 1}, 400, 100, settings, peers=(SKLEARN, INTELEX))
    data = split(_made(None), 400, 100)
    for contender in contenders(case):
        subject = contender(case, data.X, data.y, data.X_test)
        try:
            subject.warm_up()
        except ContenderError:
            continue  # a peer that is not installed, or has no such model
        for method in ("fit", "predict"):
            subject.before(method)
            getattr(subject, method)()
        verdict = Judge(data.y_test)(subject.name, subject.found())
        assert verdict.value < 0.25
        assert subject.note() in ("", "fell back to scikit-learn")


def test_errors_within_three_standard_errors_are_alike():
    y = np.zeros(1000, dtype=int)

    def verdict(errors):
        return Judge(y)("x", np.repeat([1, 0], [errors, 1000 - errors]))

    assert verdict(100).value == 0.1
    assert verdict(100).figures == ("0.1000 +- 0.0095",)
    assert verdict(100).not_better_than(verdict(120))  # so a time of ours with 12 % errors counts
    assert not verdict(100).not_better_than(verdict(150))
    assert Judge(y)("x", y).slack == 0
    with pytest.raises(ValueError, match="shape"):
        Judge(y)("x", y[:3])


def test_a_split_of_a_small_set_holds_a_quarter_out():
    data = split(_made(None), 4000, 1000)
    assert len(data.y) == 375 and len(data.y_test) == 125


def test_below_is_what_differs_by_more_than_its_noise():
    assert accuracy.not_below([0.90, 0.91, 0.92], [0.905, 0.909, 0.921])
    assert not accuracy.not_below([0.90, 0.91, 0.92], [0.95, 0.96, 0.97])
    assert accuracy.not_below([0.99, 0.98, 0.99], [0.95, 0.96, 0.97])


def test_cases_are_known_to_the_command_line():
    assert "ensemble" in command_line.BENCHMARKS
    assert [case.name for case in CASES] == list(ensemble.PARTS[: len(CASES)])


def test_table_of_accuracies(monkeypatch):
    monkeypatch.setattr(accuracy, "SETS", (accuracy.Set("spambase", 3450, 1151), accuracy.Set("diamonds", 1, 1, False)))
    text, record = accuracy.run(Options(quick=True))
    assert "spambase" in text and "R2" in text
    assert set(record["diamonds"]) == {f"{kind} {name}" for kind in ("tree", "forest") for name in accuracy.PACKAGES}


def test_recall_at_equal_false_positive_rates():
    positive = np.array([True, True, True, True, False, False, False, False])
    values = np.array([9.0, 5.0, 3.0, 1.0, 8.0, 4.0, 2.0, 0.0])
    assert cascade.recall_at(values, positive, 0.0) == (0.25, 0.0)
    assert cascade.recall_at(values, positive, 0.25) == (0.25, 0.25)
    assert cascade.recall_at(values, positive, 0.5) == (0.5, 0.5)
    assert cascade.recall_at(values, positive, 1.0) == (1.0, 1.0)
    assert cascade.recall_at(np.ones(8), positive, 0.25) == (1.0, 1.0)  # of equal values all pass


def test_a_cascade_beside_the_full_ensemble(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6000, 4)), np.where(np.arange(6000) % 20, 1, cascade.RARE)
    X[y == cascade.RARE] = 0.5 * X[y == cascade.RARE] + 1.5
    for name, value in (("POSITIVES", 150), ("NEGATIVES", 25_000), ("TEST_NEGATIVES", 25_000), ("LEARNERS", 30)):
        monkeypatch.setattr(cascade, name, value)
    monkeypatch.setattr(cascade, "load", lambda name, folder: Data(X, y, "made"))
    text, record = cascade.run(Options(quick=True))
    assert "recall" in text and len(record["splits"]) == cascade.QUICK_SPLITS
    for found in record["splits"]:
        assert found["cascade"] > 0.8 and found["full"] > 0.8
        assert found["learners"] < 1
        assert found["full_false_positive_rate"] >= found["false_positive_rate"]


def test_bagging_and_boosting_change_their_part(monkeypatch):
    monkeypatch.setattr(bias_variance, "TREES", 10)
    text, record = bias_variance.run(Options(quick=True))
    assert record["10 bagged"]["variance"] < 0.5 * record["tree"]["variance"]
    assert record["100 stumps"]["bias"] < record["10 stumps"]["bias"] < record["1 stumps"]["bias"]
    assert "10 bagged" in text
