"""What holds for tests and for examples in docstrings alike."""

import signal
import sys

import pytest

# A shell that runs the tests in the background hands down Ctrl-C as ignored; tests that send it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _closed_figures():
    """Every figure is closed after the test or example that drew it; Matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
