"""Standard streams that are closed, full, no longer read, or taken by a file."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")


@pytest.fixture
def shell(tmp_path):
    """A function: the tool with redirections as a shell has them; exit code, output, errors."""

    def run(redirections, *words):
        command = f'"$@" {redirections}; echo "exit $?" >&9'
        done = subprocess.run(
            ["sh", "-c", f"exec 9>code; {command}", "sh", sys.executable, "-m", "maxmargin", *map(str, words)],
            capture_output=True,
            timeout=300,
            cwd=tmp_path,
        )
        return int((tmp_path / "code").read_text().split()[-1]), done.stdout, done.stderr

    return run


def test_closed_streams_are_mistakes_if_they_are_needed(shell, trained):
    code, _, complaint = shell(">&-", "info", trained)
    assert code == 2 and b"bad file descriptor" in complaint
    code, _, complaint = shell("<&-", "predict", trained, "-")
    assert code == 2 and b"standard input cannot be read" in complaint
    assert shell("<&- >&- 2>&-", "info", trained, "--quiet")[0] == 0


def test_complaints_do_not_go_to_standard_output(shell):
    assert shell("2>&-", "info", "none.mm") == (2, b"", b"")


@pytest.mark.parametrize("words", [("info", "none.mm"), ("info", "none.mm", "--debug"), ("nothing",)])
def test_a_mistake_that_cannot_be_said_is_no_certificate_that_fails(words, shell):
    assert shell("2>/dev/full", *words)[0] == 2


def test_help_that_nobody_reads():
    process = subprocess.Popen([sys.executable, "-m", "maxmargin", "--help"], stdout=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(120) == 141


def test_a_file_on_standard_output_stands_there_alone(shell, trained, tmp_path):
    assert shell("", "export", trained, "--onnx", "--out", "a.onnx")[0] == 0
    graph = (tmp_path / "a.onnx").read_bytes()
    code, out, account = shell("", "export", trained, "--onnx", "--out", "/dev/stdout")
    assert (code, out) == (0, graph) and b"Graph: /dev/stdout" in account
    code, out, _ = shell("3>&1", "export", trained, "--onnx", "--out", "/dev/fd/3")
    assert (code, out) == (0, graph)
    code, out, complaint = shell("", "export", trained, "--onnx", "--out", "/dev/stdout", "--json")
    assert (code, out) == (2, b"") and b"--json takes standard output" in complaint
