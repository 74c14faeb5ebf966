"""Values and arrays in files: what is written is read again, with its type, or refused."""

import hashlib
import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import Ridge as Theirs
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.preprocessing import StandardScaler

from maxmargin.persistence import load, save
from maxmargin.persistence._arrays import Array, Csr
from maxmargin.persistence._container import DTYPES, Pools, chunks, header, member_of, pack
from maxmargin.persistence._errors import Mismatch
from maxmargin.persistence._json import dump, parse
from maxmargin.persistence._kinds import Float, Int
from maxmargin.persistence._plain import plain_node, plain_value
from maxmargin.persistence._recursion import completed
from maxmargin.persistence._scope import Scope
from maxmargin.persistence._values import label_node, labels_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats() | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT | st.integers(-9, 9), inner, max_size=3)
    ),
    max_leaves=8,
)


def through(tree):
    """A tree of JSON values and arrays, written to bytes and read again."""
    packed, pools = pack(tree)
    contents = {member_of(dtype): b"".join(map(bytes, chunks(dtype, arrays))) for dtype, arrays in pools.items()}
    again = Pools(parse(dump(packed, ""), ""))
    assert again.members == {name: len(content) for name, content in contents.items()}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    return again.read(lambda name: io.BytesIO(contents[name]), digests)


def to_node(value, where=""):
    return completed(plain_node(value, where))


def from_node(node, where=""):
    return completed(plain_value(node, where))


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    return a == b or a != a


@given(VALUES)
def test_parameters_are_read_as_they_were_written(value):
    assert same(from_node(through({"v": to_node(value)})["v"]), value)


@given(
    hnp.arrays(st.sampled_from([*DTYPES, "U1", "U7"]), hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4))
)
def test_arrays_are_read_as_they_were_written(values):
    if values.dtype.kind == "U" and any(0xD800 <= ord(c) <= 0xDFFF for text in values.ravel() for c in text):
        return
    again = labels_of(through({"v": label_node(values, "")})["v"], "")
    assert again.dtype == values.dtype and again.shape == values.shape
    assert again.tobytes() == values.tobytes()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", list(DTYPES))
def test_order_and_dtype_of_arrays(dtype, order):
    values = np.arange(6).reshape(2, 3).astype(dtype, order=order)
    again = through([values, values[:, ::2], values.astype(values.dtype.newbyteorder(">"))])
    assert (
        again[0].flags[f"{order}_CONTIGUOUS"] and again[0].flags.writeable and again[0].flags.owndata == (order == "C")
    )
    for read, written in zip(again, [values, values[:, ::2], values], strict=True):
        assert read.dtype == dtype and read.dtype.isnative
        assert np.array_equal(read, written)


@pytest.mark.parametrize("count", [0, 1, 9, 10**6, 10**12])
def test_headers_are_those_of_npy_files(count):
    for dtype in DTYPES:
        start = header(dtype, count)
        stream = io.BytesIO(start)
        assert np.lib.format.read_magic(stream) == (1, 0)
        assert np.lib.format.read_array_header_1_0(stream) == ((count,), False, DTYPES[dtype])
        assert len(start) % 64 == 0 and not stream.read()


@pytest.mark.parametrize("value", [KFold(3, shuffle=True, random_state=1), ShuffleSplit(2, test_size=0.3)])
def test_splitters(value):
    again = from_node(to_node(value))
    assert repr(again) == repr(value)
    rows = np.zeros((9, 1))
    if value.random_state is not None:
        assert all(
            np.array_equal(a, b)
            for x, y in zip(again.split(rows), value.split(rows), strict=True)
            for a, b in zip(x, y, strict=True)
        )


def test_a_random_state_goes_on():
    state = np.random.RandomState(5)
    state.normal(size=3)  # an odd number: one is kept for later
    again = from_node(through({"v": to_node(state)})["v"])
    assert np.array_equal(again.normal(size=9), state.normal(size=9))


@pytest.mark.parametrize(
    "value",
    [print, object(), {1, 2}, b"bytes", 1j, 2**63, Theirs(), float, np.dtype("f8"), "\ud800", np.array([object()])],
)
def test_other_values_are_refused(value):
    with pytest.raises(Mismatch):
        to_node(value, "here")


@pytest.mark.parametrize(
    "node",
    [
        {"$type": "object"},
        {"$dict": [[[], 1]]},
        {"$dict": 5},
        {"$tuple": 5},
        {"$float": "1"},
        {"$scalar": np.zeros(2)},
        {"$slice": [0, "x", 1]},
        {"$random": [np.zeros(624, np.uint32), 625, 0, 0.0]},
        {"$random": [np.zeros(623, np.uint32), 1, 0, 0.0]},
        {"$splitter": "eval", "params": {}},
        {"$splitter": "KFold", "params": {"evil": 1}},
        {"$penalty": "eval", "params": {}},
        {"$penalty": "GroupLasso", "params": {}},
        {"$penalty": "GroupLasso", "params": {"groups": None}},
        {"$penalty": "BoundedWeights", "params": {"lower": 1.0, "upper": 0.0}},
        {"$strings": np.zeros(3, np.uint8), "lengths": np.array([4, -1]), "shape": [2]},
        {"$values": {"$strings": np.zeros(3, np.uint8), "lengths": np.array([4, -1]), "shape": [2]}},
        {"$values": {"$strings": np.full(3, 255, np.uint8), "lengths": np.array([3]), "shape": [1]}},
        {"$values": {"$text": np.full((1, 2), 0xD800, np.uint32)}},
        {"$values": {"$text": np.full((1, 2), 0x110000, np.uint32)}},
        {"$values": {"$objects": [1, 2], "shape": [3]}},
        {"$values": {"$objects": [[1]], "shape": [1]}},
        {"anything": 1},
    ],
)
def test_nodes_that_are_no_values(node):
    with pytest.raises(Mismatch):
        from_node(node, "here")


def test_sizes_are_bound_once_and_compared_after_that():
    scope = Scope()
    Array(("float64",), ("n", "d")).read(np.zeros((3, 2)), "first", scope)
    assert scope.sizes == {"n": 3, "d": 2}
    with pytest.raises(Mismatch, match=r"second: side 0 of its shape \(2,\) is 2; expected 3"):
        Array(("float64",), ("n",)).read(np.zeros(2), "second", scope)
    assert Int(0, "d").read(2, "", scope) == 2
    with pytest.raises(Mismatch, match="from 0 to 2"):
        Int(0, "d").read(3, "third", scope)


@pytest.mark.parametrize("node", [True, 1.5, "1", None, -1, 11])
def test_whole_numbers(node):
    with pytest.raises(Mismatch):
        Int(0, 10).read(node, "", Scope())


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Float(), [0, 1.5, -1e308], ["nan", "inf", None, True, "1"]),
        (Float(finite=False), ["inf", "-inf"], ["nan"]),
        (Float(nan=True), ["nan"], ["inf"]),
        (Float(0.0, 1.0), [0, 1, 0.5], [-1e-9, 1.1]),
    ],
)
def test_numbers(kind, good, bad):
    for node in good:
        assert kind.write(kind.read(node, "", Scope()), "") == node
    for node in bad:
        with pytest.raises(Mismatch):
            kind.read(node, "", Scope())


@pytest.mark.parametrize(
    "changes",
    [
        {"indptr": np.array([0, 2, 1, 3])},
        {"indptr": np.array([1, 1, 2, 3])},
        {"indptr": np.array([0, 1, 2])},
        {"indptr": np.array([0, 1, 2, 4])},
        {"indices": np.array([0, 1, 2])},
        {"indices": np.array([0, -1, 1])},
        {"indices": np.array([0, 1])},
        {"data": np.array([1.0, np.nan, 1.0])},
        {"shape": [3, -1]},
        {"shape": [3, 2**40]},
        {"shape": [2**40, 2]},
        {"$csr": "csc"},
    ],
)
def test_sparse_matrices_that_are_none(changes):
    node = {"$csr": "array", "shape": [3, 2], "data": np.ones(3), "indices": np.array([0, 1, 1])}
    node["indptr"] = np.array([0, 1, 2, 3])
    assert Csr("n", "d").read(node, "", Scope()).toarray().sum() == 3
    with pytest.raises(Mismatch):
        Csr("n", "d").read({**node, **changes}, "", Scope())


def test_loading_takes_little_more_memory_than_the_file_is_long(tmp_path):
    path = tmp_path / "wide.mm"
    save(StandardScaler().fit(np.random.default_rng(0).normal(size=(2, 300_000))), path)
    load(path)
    tracemalloc.start()
    load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * path.stat().st_size
