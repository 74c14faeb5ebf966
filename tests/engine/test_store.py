"""Machine code that was compiled beforehand: used where it fits, and as if it were not there where it does not."""

import json
import os
import pickle
import stat
from pathlib import Path
from types import FunctionType

import numba
import pytest

from maxmargin.engine import _cache, _store, jit
from maxmargin.engine._levels import HOST, LEVELS, compiler_target, is_level_of
from maxmargin.engine._recording import register
from maxmargin.engine._store import (
    Entry,
    Store,
    UnusableStoreError,
    function_name,
    pack,
    signature_name,
    store_path,
    write_store,
)
from maxmargin.losses._hinge import value as loss_value

FUNCTION = loss_value.py_func


def arguments():
    return (0.5, 1.0, 0.0)


@pytest.fixture(scope="module")
def entry():
    """Machine code of one function of the package."""
    compiled = numba.njit(FUNCTION)
    compiled(*arguments())
    [(signature, result)] = compiled.overloads.items()
    return Entry(function_name(FUNCTION), signature_name(signature), pack(result._reduce()))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder in which machine code is looked for; what is compiled is kept in another one, both of them empty."""
    folder = tmp_path / "store"
    monkeypatch.setenv("MAXMARGIN_MACHINE_CODE", str(folder))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(_cache, "_open_stores", {})
    monkeypatch.setattr(_cache, "_told", set())
    return folder


@pytest.fixture
def written(place, entry):
    """The file for this processor, with one entry."""
    path = store_path(place, HOST)
    write_store(path, [entry], HOST, compiler_target(), {"by": "a test"})
    return path


def call():
    """Call the function as a new process would: its answer, and whether it had to be compiled."""
    _cache._open_stores.clear()
    function = jit(FUNCTION)
    answer = function(*arguments())
    register(loss_value)
    assert answer == loss_value(*arguments())
    return sum(function.stats.cache_misses.values())


def test_what_is_there_is_not_compiled(written):
    assert call() == 0


def test_what_is_not_there_is_compiled_and_kept(place):
    assert call() == 1
    assert call() == 0  # from the cache beside it


def test_zero_turns_it_off(written, monkeypatch):
    monkeypatch.setenv("MAXMARGIN_MACHINE_CODE", "0")
    assert call() == 1


def test_a_place_that_is_no_folder_is_said(place, caplog, monkeypatch):
    monkeypatch.setenv("MAXMARGIN_MACHINE_CODE", "1")
    assert call() == 1
    assert "MAXMARGIN_MACHINE_CODE=1 names no folder" in caplog.text


def test_the_package_may_be_reached_by_a_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(_store.PACKAGE)
    code = FUNCTION.__code__
    path = link / Path(code.co_filename).relative_to(_store.PACKAGE)
    linked = FunctionType(code.replace(co_filename=str(path)), FUNCTION.__globals__)
    linked.__qualname__ = FUNCTION.__qualname__
    assert function_name(linked) == function_name(FUNCTION)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes among files")
def test_a_pipe_is_not_waited_for(place, caplog):
    place.mkdir()
    os.mkfifo(store_path(place, HOST))
    assert call() == 1
    assert "is not a file" in caplog.text


def test_other_types_are_compiled(written):
    function = jit(FUNCTION)
    assert function(2, 1, 0) == 0.0
    assert sum(function.stats.cache_misses.values()) == 1


def test_another_numba_is_not_served(written, monkeypatch):
    monkeypatch.setattr(numba, "__version__", "0.0.1")
    assert call() == 1


def test_another_llvmlite_python_or_numpy_is_not_served(written, monkeypatch):
    store = Store(written)
    assert store.fits(compiler_target()) and store.is_of(HOST)
    for key in ("numba", "llvmlite", "python", "numpy"):
        monkeypatch.setitem(store.header["made_by"], key, "another")
        assert not store.fits(compiler_target()) and not store.is_of(HOST)
        monkeypatch.undo()


@pytest.mark.parametrize("name", ["BOUNDSCHECK", "USING_SVML", "OPT"])
def test_settings_that_change_code_are_heeded(written, monkeypatch, name):
    monkeypatch.setattr(numba.config, name, 0 if getattr(numba.config, name) else 1)
    assert not Store(written).fits(compiler_target())


@pytest.mark.parametrize("level", LEVELS)
def test_levels_are_for_processors_that_have_them(place, entry, monkeypatch, level):
    triple = compiler_target()[0]
    write_store(store_path(place, level), [entry], level, (triple, level, ""))
    has = sorted(LEVELS["x86-64-v4"])
    features = ",".join(f"+{name}" for name in has)
    monkeypatch.setattr(_cache, "target_of", lambda context: (triple, "some-cpu", features))
    assert call() == 0
    lesser = features.replace("+avx2", "-avx2")
    monkeypatch.setattr(_cache, "target_of", lambda context: (triple, "some-cpu", lesser))
    assert call() == (0 if level == "generic" else 1)


def test_levels_in_words():
    triple = "x86_64-unknown-linux-gnu"
    v3 = ",".join(f"+{name}" for name in LEVELS["x86-64-v3"])
    assert is_level_of("x86-64-v3", triple, (triple, "haswell", v3))
    assert not is_level_of("x86-64-v4", triple, (triple, "haswell", v3))
    assert not is_level_of("x86-64-v3", triple, ("aarch64-unknown-linux-gnu", "haswell", v3))
    assert is_level_of("x86-64-v3", triple, (triple, "x86-64-v3", ""))  # asked for by name
    assert not is_level_of("generic", triple, (triple, "x86-64-v3", ""))
    assert not is_level_of("some-cpu", triple, (triple, "some-cpu", v3))


def test_the_best_level_comes_first(place, entry):
    broken = Entry(entry.function, entry.signature, pack("no code"))
    triple = compiler_target()[0]
    write_store(store_path(place, "generic"), [broken], "generic", (triple, "generic", ""))
    assert call() == 1
    write_store(store_path(place, HOST), [entry], HOST, compiler_target())
    assert call() == 0


@pytest.mark.parametrize("damage", ["cut", "empty", "flip", "noise", "gone"])
@pytest.mark.parametrize("part", ["first line", "header", "entry"])
def test_damaged_files_are_ignored(written, caplog, part, damage):
    content = bytearray(written.read_bytes())
    start = content.index(b"\n") + 1
    length = int(bytes(content[:start]).split()[-1])
    place = {"first line": 3, "header": start + length // 2, "entry": start + length + 50}[part]
    if damage == "gone":
        written.unlink()
    else:
        flipped = bytes(content[:place]) + bytes([content[place] ^ 64]) + bytes(content[place + 1 :])
        written.write_bytes(
            {"cut": bytes(content[:place]), "empty": b"", "flip": flipped, "noise": b"\x80" * 200}[damage]
        )
    assert call() == 1
    assert ("cannot be read" in caplog.text) == (damage != "gone")


@pytest.mark.parametrize("part", [0.0, 0.2, 0.5, 0.9])
def test_every_bit_counts(written, entry, part):
    content = bytearray(written.read_bytes())
    length = Store(written).header["functions"].popitem()[1].popitem()[1][1]
    note = Store(written).header["note"][1]
    at = len(content) - note - length + int(part * length)
    content[at] ^= 1
    written.write_bytes(bytes(content))
    store = Store(written)
    with pytest.raises(UnusableStoreError):
        store.entry(entry.function, entry.signature)
    assert list(store.entries()) == []
    assert call() == 1


def test_code_of_other_sources_is_ignored(written, monkeypatch):
    assert call() == 0
    real = _store.source_digest
    names = [name for name, _ in Store(written).header["files"]]
    changed = next(name for name in names if name.startswith("engine/"))  # another file than the function's
    monkeypatch.setattr(
        _store, "source_digest", lambda path: "other" if path.as_posix().endswith(changed) else real(path)
    )
    assert call() == 1


def test_what_unpickles_to_something_else_is_no_code(place, entry):
    write_store(
        store_path(place, HOST), [Entry(entry.function, entry.signature, pack(["no", "code"]))], HOST, compiler_target()
    )
    assert call() == 1


def test_code_for_other_types_under_the_same_name_is_no_code(place, entry):
    other = numba.njit(FUNCTION)
    other(2, 1, 0)
    [(_, result)] = other.overloads.items()
    wrong = Entry(entry.function, entry.signature, pack(result._reduce()))
    write_store(store_path(place, HOST), [wrong], HOST, compiler_target())
    assert call() == 1


class Boom:
    """Leaves a trace where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and permissions")
class TestTrust:
    """Nothing is unpickled that others can have written."""

    @pytest.fixture
    def trap(self, place, entry, tmp_path):
        import zlib

        trace = tmp_path / "trace"
        path = store_path(place, HOST)
        content = zlib.compress(pickle.dumps(Boom(str(trace))))
        write_store(path, [Entry(entry.function, entry.signature, content)], HOST, compiler_target())
        return path, trace

    def test_it_would_be_unpickled(self, trap):
        assert call() == 1 and trap[1].exists()

    @pytest.mark.parametrize("what", ["file", "folder"])
    def test_what_anybody_can_write(self, trap, what):
        path, trace = trap
        (path if what == "file" else path.parent).chmod(0o777)
        assert call() == 1 and not trace.exists()

    def test_what_a_group_can_write(self, trap, monkeypatch):
        from maxmargin.engine import _trust

        path, trace = trap
        monkeypatch.setattr(_trust, "_own_group", lambda: -1)
        real = os.fstat

        def of_a_group(handle):
            status = list(real(handle))
            status[stat.ST_GID] = 4711
            return os.stat_result(status)

        monkeypatch.setattr(os, "fstat", of_a_group)
        path.chmod(0o664)
        assert call() == 1 and not trace.exists()

    def test_what_belongs_to_somebody_else(self, trap, monkeypatch):
        _, trace = trap
        real = os.fstat

        def of_another(handle):
            status = list(real(handle))
            status[stat.ST_UID] = 4711
            return os.stat_result(status)

        monkeypatch.setattr(os, "fstat", of_another)
        assert call() == 1 and not trace.exists()


def test_a_folder_that_cannot_be_written_is_read(written):
    written.chmod(0o444)
    written.parent.chmod(0o555)
    try:
        assert call() == 0
    finally:
        written.parent.chmod(0o755)


def test_notes_are_kept(written):
    assert Store(written).note() == {"by": "a test"}
    assert json.dumps(Store(written).header)


def test_functions_have_names_that_other_processes_understand():
    assert function_name(FUNCTION).startswith("losses/")
    assert function_name(lambda: None) is None  # not of the package
