"""Compiled code on disk: whatever happens to its files, functions are compiled and called."""

import builtins
import errno
import importlib.util
import os
import pickle
import sys

import numba
import pytest

SOURCE = """
from maxmargin.engine import jit

@jit
def twice(x):
    return {factor} * x
"""


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A module with a compiled function whose cache is in a folder of its own; imported anew with each call."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # NUMBA_CACHE_DIR would put it elsewhere
    path = tmp_path / "compiled.py"
    path.write_text(SOURCE.format(factor=2))

    def load():
        spec = importlib.util.spec_from_file_location("compiled", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.twice

    return load


def files(tmp_path, ending):
    return sorted((tmp_path / "__pycache__").glob(f"*.{ending}"))


def hits(function):
    return sum(function.stats.cache_hits.values())


def full(*arguments):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_code_is_found_again(fresh, tmp_path):
    assert fresh()(21) == 42
    assert len(files(tmp_path, "nbi")) == len(files(tmp_path, "nbc")) == 1
    again = fresh()
    assert again(21) == 42 and hits(again) == 1
    assert again(1.5) == 3.0  # another type, another file
    assert len(files(tmp_path, "nbc")) == 2


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["cut", "empty", "flip", "noise"])
def test_damaged_files_are_compiled_anew(fresh, tmp_path, ending, damage):
    assert fresh()(21) == 42
    [path] = files(tmp_path, ending)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 64
    contents = {"cut": whole[: len(whole) // 2], "empty": b"", "flip": bytes(flipped), "noise": b"\x80" * 99}
    path.write_bytes(contents[damage])
    again = fresh()
    assert again(21) == 42 and hits(again) == 0
    healed = fresh()
    assert healed(21) == 42 and hits(healed) == 1


@pytest.mark.parametrize("place", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_every_bit_counts(fresh, tmp_path, ending, place):
    assert fresh()(21) == 42
    [path] = files(tmp_path, ending)
    content = bytearray(path.read_bytes())
    content[int(place * (len(content) - 48))] ^= 1
    path.write_bytes(bytes(content))
    again = fresh()
    assert again(21) == 42 and hits(again) == 0


def test_a_full_disk_is_no_error(fresh, tmp_path, monkeypatch):
    function = fresh()
    monkeypatch.setattr("numba.core.caching.os.replace", full)
    assert function(21) == 42
    assert function(1.5) == 3.0
    assert files(tmp_path, "nbc") == []


def test_an_index_never_names_code_of_an_older_source(fresh, tmp_path, monkeypatch):
    """The data could not be replaced: the next process must not take the old one for the new."""
    assert fresh()(21) == 42
    [old] = files(tmp_path, "nbc")
    (tmp_path / "compiled.py").write_text(SOURCE.format(factor=333))
    with monkeypatch.context() as patch:
        patch.setattr("numba.core.caching.IndexDataCacheFile._save_data", full)
        assert fresh()(2) == 666
    assert old.exists()
    again = fresh()
    assert again(2) == 666 and hits(again) == 0


def test_files_without_a_checksum_are_compiled_anew(fresh, tmp_path):
    assert fresh()(21) == 42
    for path in [*files(tmp_path, "nbi"), *files(tmp_path, "nbc")]:
        content = path.read_bytes()
        path.write_bytes(content[: content.index(b"maxmargin sha256")])
    again = fresh()
    assert again(21) == 42 and hits(again) == 0


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and permissions")
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_files_that_anybody_can_write_are_not_read(fresh, tmp_path, ending):
    assert fresh()(21) == 42
    [path] = files(tmp_path, ending)
    path.chmod(0o666)
    again = fresh()
    assert again(21) == 42 and hits(again) == 0


def test_code_of_another_function_under_its_name_is_not_taken(fresh, tmp_path):
    """Processes that compile at once may write over each other's index."""
    function = fresh()
    assert function(21) == 42 and function(1.5) == 3.0
    first, second = files(tmp_path, "nbc")
    first.write_bytes(second.read_bytes())
    again = fresh()
    assert again(21) == 42 and again(1.5) == 3.0 and hits(again) == 1


def test_a_folder_that_vanishes_is_no_error(fresh, tmp_path):
    function = fresh()
    assert function(1.5) == 3.0
    (tmp_path / "__pycache__").rename(tmp_path / "away")
    (tmp_path / "__pycache__").touch()  # a file is in its place
    assert function(21) == 42


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
def test_every_byte_that_is_written_fails(fresh, tmp_path, monkeypatch):
    real = builtins.open

    def on_a_full_disk(path, mode="r", *arguments, **options):
        beyond = ".nb" in str(path) and "w" in mode
        return real("/dev/full" if beyond else path, mode, *arguments, **options)

    monkeypatch.setattr(builtins, "open", on_a_full_disk)
    assert fresh()(21) == 42
    assert files(tmp_path, "nbi") == files(tmp_path, "nbc") == []


def test_what_unpickles_to_something_else_is_no_code(fresh, tmp_path):
    assert fresh()(21) == 42
    [path] = files(tmp_path, "nbc")
    path.write_bytes(pickle.dumps("no code"))
    assert fresh()(21) == 42
