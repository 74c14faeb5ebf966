"""What holds for tests and for examples in docstrings alike."""

import os
import signal
import sys

import pytest

# Side by side there is a worker for each core. Threads of BLAS and OpenMP beyond that wait for each other by spinning:
# fits of scikit-learn's took up to ten times as long. Before NumPy is imported, and for the processes that tests start.
if "PYTEST_XDIST_WORKER" in os.environ:
    for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(_name, "1")

# A shell that runs the tests in the background hands down Ctrl-C as ignored; tests that send it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _closed_figures():
    """Every figure is closed after the test or example that drew it; Matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
