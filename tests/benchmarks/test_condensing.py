"""The measurement of condensing on a small set, and what it refuses to report."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import neighbors_condensing as condensing


def test_digits_without_a_folder(capsys):
    assert condensing.main(["--rounds", "1"]) == 0
    out = capsys.readouterr().out
    assert "digits (bundled): 1200 x 64, 597 test rows, consistent" in out
    assert [line.split()[0] for line in out.splitlines() if "%" in line] == ["all", "condensed", "reduced"]


def test_sets_of_a_folder(tmp_path):
    rng = np.random.default_rng(0)
    parts = {"X_train": rng.normal(size=(60, 2)), "X_test": rng.normal(size=(20, 2))}
    labels = {"y_train": np.arange(60) % 2, "y_test": np.arange(20) % 2}
    np.savez(tmp_path / "usps.npz", **parts, **labels)
    (data,) = condensing.splits(tmp_path)
    outcomes = condensing.measure(data, rounds=1)
    assert outcomes["all rows"].rows == 60
    assert outcomes["reduced"].rows <= outcomes["condensed"].rows < 60
    assert outcomes["all rows"].share == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_is_not_consistent_is_not_reported():
    (data,) = condensing.splits(None)
    twice = replace(data, X=np.concatenate([data.X] * 2), y=np.concatenate([data.y, (data.y + 1) % 10]))
    with pytest.raises(AssertionError, match="not consistent"):
        condensing.measure(twice, rounds=1)
