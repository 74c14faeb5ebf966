"""What holds for tests and for examples in docstrings alike."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _closed_figures():
    """Every figure is closed after the test or example that drew it; Matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
