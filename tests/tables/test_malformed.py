"""Malformed tables are read or refused; nothing else happens. `fuzz.py` next to this runs many more."""

import io

import pytest
from hypothesis import given, settings, strategies as st
from tests.tables.fuzz import PIECES, attempt, case, run, valid_files

from maxmargin.tables import TableError, read_table


def test_a_part_of_the_malformed_tables():
    tally = run(480, seed=1)
    assert sum(tally.values()) == 480
    outcomes = {outcome for _, outcome in tally}
    assert outcomes == {"read", "refused"}
    assert len({name for name, _ in tally}) == len(valid_files())


def test_the_same_seed_makes_the_same_tables():
    files = valid_files()
    first = [case(number, 3, files) for number in range(24)]
    assert first == [case(number, 3, valid_files()) for number in range(24)]
    assert len({data for _, _, data, _ in first}) > 20


def test_valid_files_are_read():
    for name, format, data in valid_files():
        options = {"decimal": ","} if name == "semicolon" else {}
        assert attempt(data, format, options) == "read", name


@settings(max_examples=150)
@given(st.lists(st.sampled_from((b"a", b"1", b"2.5", b" ", *PIECES)), max_size=25).map(b"".join), st.booleans())
def test_pieces_in_any_order(data, header):
    assert attempt(data, "csv", {"header": header}) in ("read", "refused")


@settings(max_examples=100)
@given(st.lists(st.sampled_from((b"1 ", b" 1:", b"2:3 ", b"\n", *PIECES)), max_size=15).map(b"".join))
def test_pieces_of_sparse_rows(data):
    assert attempt(data, "libsvm", {}) in ("read", "refused")


@settings(max_examples=100)
@given(st.lists(st.sampled_from((b'{"a": ', b"1", b'"x"', b"}\n", b', "b": ', *PIECES)), max_size=15).map(b"".join))
def test_pieces_of_json(data):
    assert attempt(data, "jsonl", {}) in ("read", "refused")


@settings(max_examples=100)
@given(st.binary(max_size=60))
def test_any_bytes(data):
    assert attempt(data, None, {}) in ("read", "refused")


def test_a_file_that_fails():
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(TableError, match="cannot be read: Input/output error"):
        read_table(Broken())
