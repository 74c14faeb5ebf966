"""``python -m maxmargin.compile``: what it writes is used by processes that may write nothing."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from maxmargin.compile import main
from maxmargin.compile._compile import is_complete
from maxmargin.engine import HOST, Store, store_path

ESTIMATOR = "linear_model.PolynomialRegression"
# What the estimator is asked for on the tour; and then how many functions of the package had to be compiled.
SCRIPT = """
    import warnings
    from numba.core import event
    from maxmargin.compile._tour import STORAGES, cases_of, use
    from maxmargin.linear_model import PolynomialRegression

    class Listener(event.Listener):
        count = 0
        def on_start(self, event):
            Listener.count += event.data["dispatcher"].py_func.__module__.startswith("maxmargin.")
        def on_end(self, event):
            pass

    warnings.simplefilter("ignore")
    with event.install_listener("numba:compile", Listener()):
        for case in cases_of("linear_model.PolynomialRegression"):
            for storage in STORAGES:
                use(PolynomialRegression, case, storage)
    print(Listener.count)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Machine code for one estimator, by the command."""
    into = tmp_path_factory.mktemp("machine_code")
    words = ["--only", ESTIMATOR, "--into", str(into), "--processes", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "maxmargin.compile", *words], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    said = re.search(r"Compiled (\d+) of (\d+) functions for this processor .* with 1 process: (.*) \(", done.stdout)
    assert said and int(said[1]) == int(said[2]) > 0 and Path(said[3]) == store_path(into, HOST), done.stdout
    return into


def without_a_place():
    """An environment in which Numba finds no folder that it could write."""
    return {
        "NUMBA_CACHE_DIR": os.path.join(os.devnull, "none"),
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
    }


def test_nothing_is_compiled_where_nothing_can_be_written(folder, run_python):
    path = store_path(folder, HOST)
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        done = run_python(SCRIPT, **without_a_place(), MAXMARGIN_MACHINE_CODE=str(folder))
    finally:
        folder.chmod(0o755)
        path.chmod(0o644)
    assert done.stdout == "0\n" and done.stderr == ""


def test_without_it_all_is_compiled_with_the_same_result(run_python):
    done = run_python(SCRIPT, **without_a_place(), MAXMARGIN_MACHINE_CODE="0")
    assert int(done.stdout) > 0
    assert done.stderr == "maxmargin: compiling for this CPU, first run only\n"


def test_two_processes_that_compile_at_once(tmp_path):
    """They share a cache that is empty: both succeed, and a third one compiles nothing."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "MAXMARGIN_MACHINE_CODE": "0"}

    def start():
        command = [sys.executable, "-c", textwrap.dedent(SCRIPT)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    both = [start(), start()]
    for process in both:
        out, errors = process.communicate(timeout=900)
        assert process.returncode == 0, errors
        assert int(out) > 0
    third = start()
    out, errors = third.communicate(timeout=900)
    assert (third.returncode, out) == (0, "0\n"), errors


def test_what_is_compiled_for_one_estimator_is_not_all(folder):
    path = store_path(folder, HOST)
    assert not is_complete(path, HOST)
    assert not is_complete(folder / "nothing", HOST)
    assert {entry.function.split("/")[0] for entry in Store(path).entries()} <= {
        "certificates", "data", "linear_model", "solvers", "linear",
    }  # fmt: skip


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path, capsys):
    (tmp_path / "file").touch()
    code = main(["--only", ESTIMATOR, "--into", str(tmp_path / "file" / "folder"), "--processes", "1"])
    assert code == 1 and "file" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_an_error_before_anything_is_compiled(tmp_path, monkeypatch, capsys):
    def refused(**options):
        raise PermissionError(13, "Permission denied", str(options["dir"]))

    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    monkeypatch.setattr("maxmargin.compile._compile.jobs", lambda: pytest.fail("compiles"))
    code = main(["--only", ESTIMATOR, "--into", str(tmp_path), "--processes", "1"])
    assert code == 1 and f"Permission denied: '{tmp_path}'" in capsys.readouterr().err


def test_names_of_estimators_are_checked(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "svm.SVD"])
    assert "svm.SVC" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-1", "two"])
def test_numbers_of_processes_are_checked(count, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--processes", count])
    assert ended.value.code == 2
    assert f"argument --processes: '{count}' is not a number above 0" in capsys.readouterr().err


def test_an_interrupted_import_is_said_in_one_line(monkeypatch, capsys):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "maxmargin.compile._command", raising=False)
    monkeypatch.setattr("maxmargin.compile._tour.estimators", interrupted)
    assert main(["--only", "svm.SVC"]) == 130
    assert capsys.readouterr().err == "\nmaxmargin.compile: stopped; what was not finished is not kept\n"
