"""Files that ask for much work or memory by little: it is counted, not timed."""

import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from maxmargin.persistence import ModelFileError, _ensemble, _search, _sklearn_compose, load

from .test_hostile import Opened, refused


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.mm"


def peak_of(path):
    tracemalloc.start()
    try:
        load(path)
    except ModelFileError as error:
        return error, tracemalloc.get_traced_memory()[1]
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return None, peak


def test_learners_are_not_compared_with_every_class(path, monkeypatch):
    """A thousand learners of three classes each in an ensemble of a hundred thousand would take minutes."""
    seen = []
    monkeypatch.setattr(np, "isin", lambda *given, **more: seen.append(given) or np.array([True]))
    opened = Opened("AdaBoostClassifier trees", path)
    opened.seal()
    load(path)
    assert not [known for known in seen if known[1] is not None and len(known[1]) == 3]
    assert _ensemble._among(np.array([3, 1]), np.array([1, 2, 3]))
    assert not _ensemble._among(np.array([4]), np.array([1, 2, 3]))
    assert not _ensemble._among(np.array(["a"]), np.array([1, 2, 3], dtype=object))
    assert not _ensemble._among(np.array([0, 1]), np.array([1, 2, 3]))


def test_splits_that_a_search_claims_are_not_looked_for_one_by_one(path, monkeypatch):
    asked = []
    usual = _search._Table._numbers
    monkeypatch.setattr(_search._Table, "_numbers", lambda self, splits: asked.append(splits) or usual(self, splits))
    opened = Opened("SVCCV", path)
    opened.fitted["n_splits_"] = 100_000
    opened.seal()
    asked.clear()
    refused(path, "must be the table of a search")
    assert not asked


def test_names_of_columns_are_gathered_once(path, monkeypatch):
    gathered = []
    usual = frozenset
    opened = Opened("Pipeline of named columns", path)
    opened.seal()
    monkeypatch.setattr(
        _sklearn_compose, "frozenset", lambda names: gathered.append(names) or usual(names), raising=False
    )
    load(path)
    assert len(gathered) == 1


def test_powers_that_no_memory_can_hold_are_refused(path):
    opened = Opened("PolynomialFeatures", path)
    opened.model["params"] |= {"degree": 200, "interaction_only": False}
    opened.seal()
    refused(path, "more than 1000000 powers")


def test_a_value_of_any_length_is_not_repeated_in_the_error(path):
    opened = Opened("SVC", path)
    opened.model["params"]["kernel"] = "x\n" * 300_000
    opened.seal()
    assert len(str(refused(path))) < 1500


def test_empty_values_take_little_memory(path):
    """The tree of values was copied when arrays were put into it, and lists were a gigabyte in sixteen megabytes."""
    opened = Opened("Ridge", path)
    opened.model["params"]["alpha"] = [[] for _ in range(50_000)]
    opened.seal()
    _, peak = peak_of(path)
    assert peak < 250 * 50_000
    opened.model["params"]["alpha"] = [0] * (2**20 + 1)
    opened.seal()
    refused(path, "commas and colons; at most 1048576 are allowed")


def test_long_names_and_depth_do_not_multiply(path):
    """The place of each value was put into words with the names of all estimators around it."""
    opened = Opened("Ridge", path)
    model = opened.model
    for _ in range(6):
        model = {"class": "sklearn.pipeline.Pipeline", "params": {"steps": [["n" * 500_000, model]]}, "fitted": None}
    opened.model = model
    opened.seal()
    error, peak = peak_of(path)
    assert error is None
    assert peak < 4 * path.stat().st_size + 2**22


@pytest.mark.parametrize("large", [False, True])
def test_a_long_list_of_members_is_refused_before_it_is_read(path, large, monkeypatch):
    """Each of 400,000 entries would become an object first."""
    Opened("SVC", path).seal()
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(70_000 if large else 300):
            archive.writestr(f"{number}", b"")
    monkeypatch.setattr(zipfile, "ZipFile", None)
    refused(path, r"lists (70|300|309|70\d\d\d|3\d\d) ?\d* members in \d+ bytes; a model file has at most \d+")


def test_a_list_that_is_longer_than_it_says_is_refused(path):
    Opened("SVC", path).seal()
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(300):
            archive.writestr(f"{number}", b"")
    data = bytearray(path.read_bytes())
    data[-14:-10] = (5).to_bytes(2, "little") * 2
    path.write_bytes(bytes(data))
    refused(path, "lists 5 members in")


def test_a_second_end_must_be_where_it_is_said_to_be(path):
    Opened("SVC", path).seal()
    data = path.read_bytes()
    path.write_bytes(data[:-22] + struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1) + data[-22:])
    refused(path, "does not end as a zip does")
