"""Files that appear whole or not at all, under links, and what is written into instead."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading

import pytest

from maxmargin.engine import descriptor_of, interruptible, whole_file

posix = pytest.mark.skipif(sys.platform == "win32", reason="no such files")


@posix
def test_nothing_is_written_after_an_interrupt_that_was_swallowed(tmp_path):
    """Solvers end early once it is heard: what they hand back is not to replace a file."""
    (tmp_path / "old").write_bytes(b"old")
    read, write = os.pipe()

    @interruptible
    def method(path):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            pass
        with whole_file(path) as stream:
            stream.write(b"new")

    for path in (tmp_path / "new", tmp_path / "old", f"/dev/fd/{write}"):
        with pytest.raises(KeyboardInterrupt):
            method(path)
    os.close(write)
    assert os.read(read, 10) == b""
    os.close(read)
    assert os.listdir(tmp_path) == ["old"] and (tmp_path / "old").read_bytes() == b"old"


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.html"
    with whole_file(path) as stream:
        stream.write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half"
    for error in (KeyboardInterrupt, ValueError):
        with pytest.raises(error), whole_file(path) as stream:
            stream.write(b"other")
            raise error
        assert path.read_bytes() == b"half"
        assert os.listdir(tmp_path) == ["a.html"]


def test_the_other_name_cannot_be_guessed_nor_taken(tmp_path, monkeypatch):
    """Whoever knew the name could put a link there, and choose which file is overwritten."""
    names, path = set(), tmp_path / "a"
    for _ in range(3):
        with whole_file(path) as stream:
            stream.write(b"x")
            names |= set(os.listdir(tmp_path)) - {"a"}
    assert len(names) == 3
    victim = tmp_path / "victim"
    victim.write_bytes(b"kept")
    monkeypatch.setattr("secrets.token_hex", lambda n: "known")
    (tmp_path / ".a-known.part").symlink_to(victim)
    with pytest.raises(FileExistsError), whole_file(path):
        pass
    assert victim.read_bytes() == b"kept"


@posix
def test_links_stay_and_lead_to_the_new_file(tmp_path):
    (tmp_path / "real").mkdir()
    target, link, second = tmp_path / "real" / "model", tmp_path / "link", tmp_path / "second"
    link.symlink_to(target)
    second.symlink_to("link")
    for content in (b"made", b"replaced"):  # at first there is nothing at its end
        with whole_file(second) as stream:
            stream.write(content)
        assert link.is_symlink() and second.is_symlink()
        assert target.read_bytes() == content
    assert os.listdir(tmp_path / "real") == ["model"]


@posix
def test_links_in_a_circle_are_an_error(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(OSError, match="link"), whole_file(link):
        pass
    assert link.is_symlink()


@posix
def test_devices_and_pipes_are_written_into(tmp_path):
    with whole_file(os.devnull) as stream:
        stream.write(b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with whole_file(pipe) as stream:
        stream.write(b"a")
        stream.seek(0)
        stream.write(b"through" * 100_000)
    reader.join(timeout=60)
    assert read == [b"through" * 100_000]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


@posix
def test_a_pipe_gets_nothing_of_what_was_not_finished(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ValueError, match="half"), whole_file(pipe) as stream:
        stream.write(b"half")
        raise ValueError("half")
    assert os.read(reader, 10) == b""
    os.close(reader)


@posix
def test_permissions_follow_the_umask_and_those_of_the_old_file(tmp_path):
    old = os.umask(0o027)
    try:
        with whole_file(tmp_path / "new"):
            pass
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    secret = tmp_path / "secret"
    secret.touch(0o600)
    with whole_file(secret):
        beside = next(p for p in tmp_path.iterdir() if p.name.endswith(".part"))
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600  # all the time, not at the end alone
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none.a\.mm"), whole_file(tmp_path / "none" / "a.mm"):
        pass
    with pytest.raises(IsADirectoryError, match="is a folder"), whole_file(tmp_path):
        pass


def test_what_names_a_folder_or_nothing_is_refused(tmp_path):
    (tmp_path / "there").write_text("x")
    for name in ("there", "new"):
        with pytest.raises(IsADirectoryError, match=f"{name}/ ends in a slash.*name of a file"):
            with whole_file(f"{tmp_path}/{name}/"):
                pass
    with pytest.raises(IsADirectoryError, match="is a folder"), whole_file(f"{tmp_path}/"):
        pass
    with pytest.raises(FileNotFoundError, match="path is empty"), whole_file(""):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_text() == "x"


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="no /dev/fd")
def test_a_file_without_a_name_is_written_into(tmp_path):
    """Its link in /dev/fd names a file that is not there any more."""
    with tempfile.TemporaryFile(dir=tmp_path) as file:
        with whole_file(f"/dev/fd/{file.fileno()}") as stream:
            stream.write(b"abc")
        file.seek(0)
        assert file.read() == b"abc"
    assert not list(tmp_path.iterdir())


@posix
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("mode", ["ab", "wb"])
def test_a_redirected_output_is_written_into_where_it_stands(name, mode, tmp_path):
    """Opened by its name, the log would be replaced."""
    if not os.path.exists(os.path.dirname(name) or "."):
        pytest.skip("no such folder")
    if name == "link":
        name = tmp_path / "link"
        name.symlink_to("/dev/stdout")
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    code = (
        "import sys\nfrom maxmargin.engine import whole_file\nprint('printed')\n"
        "with whole_file(sys.argv[1]) as stream: stream.write(b'written\\n')\nprint('after')"
    )
    with open(log, mode) as file:
        subprocess.run([sys.executable, "-c", code, name], stdout=file, check=True)
    before = b"before\n" if mode == "ab" else b""
    assert log.read_bytes() == before + b"printed\nwritten\nafter\n"


@posix
def test_a_descriptor_that_is_not_open_is_named(tmp_path):
    with pytest.raises(OSError, match="/dev/fd/987"), whole_file("/dev/fd/987"):
        pass


@posix
def test_files_and_other_processes_are_no_descriptors(tmp_path):
    (tmp_path / "1").touch()
    assert descriptor_of(tmp_path / "1") is None
    assert descriptor_of("/dev/null") is None
    assert descriptor_of(f"/proc/{os.getppid()}/fd/1") is None
    assert descriptor_of("/dev/fd/1") == 1
    assert descriptor_of(f"/dev/fd/{10**19}") is None  # no number of a descriptor


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_device_that_takes_nothing_is_named():
    with pytest.raises(OSError, match="/dev/full"), whole_file("/dev/full") as stream:
        stream.write(b"abc")
