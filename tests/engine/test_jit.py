"""Compiled functions."""

import os
import subprocess
import sys

import numpy as np
import pytest

from maxmargin.engine import jit


def test_compiles_without_the_gil():
    @jit
    def total(x):
        out = 0.0
        for value in x:
            out += value
        return out

    assert total(np.arange(5.0)) == 10.0
    assert total.targetoptions["nogil"]


def test_infinities_and_nan_are_respected():
    """No finite-only arithmetic: a certificate must see a NaN."""

    @jit
    def is_nan(x):
        return x != x

    assert is_nan(np.nan)
    assert not is_nan(np.inf)


def test_works_where_no_folder_can_be_written(run_python):
    done = run_python("""
        from numba.core.caching import FunctionCache
        def no_locator(cache, function):
            raise RuntimeError("cannot cache function: no locator available")
        FunctionCache.__init__ = no_locator
        from maxmargin.engine import jit
        print(jit(lambda x: x + 1)(41))
    """)
    assert done.stdout == "42\n"


def test_compiling_is_announced_once_a_process(run_python, tmp_path):
    script = """
        import numpy as np
        from maxmargin.kernels import MatrixGram
        for dtype in (np.float64, np.float32):
            MatrixGram(np.eye(3, dtype=dtype), symmetric=True).product(np.arange(3), np.ones((1, 3)), np.float64)
    """
    first, second = (run_python(script, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first.stderr.count("compiling for this CPU, first run only") == 1
    assert second.stderr == ""
    assert first.stdout == second.stdout == ""


def test_without_the_compiler_it_says_so(run_python):
    run_python(
        """
        try:
            import maxmargin.svm
        except ImportError as error:
            assert "NUMBA_DISABLE_JIT=1" in str(error), error
        else:
            raise AssertionError("imported")
        """,
        NUMBA_DISABLE_JIT="1",
    )


_FORKED = """
import os, signal, threading
import maxmargin.engine
from numba.core.compiler_lock import global_compiler_lock

compiling = threading.Event()
def compile():
    with global_compiler_lock:
        compiling.set()
        compiling.clear()
        threading.Event().wait(0.5)

thread = threading.Thread(target=compile)
thread.start()
compiling.wait(1)
child = os.fork()
if not child:
    signal.alarm(30)  # ends a child that waits for ever
    with global_compiler_lock:
        os._exit(0)
thread.join()
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_forked_while_another_thread_compiles_can_compile():
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", _FORKED], timeout=120).returncode == 0
