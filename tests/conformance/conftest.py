"""What runs scikit-learn's own tests against ours, in a Python of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

# The plugins that swap scikit-learn's classes for ours are not for doctests of this Python.
collect_ignore_glob = ["sklearn_*_swapped.py"]


@pytest.fixture(scope="session")
def run_suite():
    """A function: run modules of scikit-learn's tests with a plugin of this folder; outcome by test, and the output."""

    def run(plugin, modules):
        import sklearn

        root = Path(sklearn.__file__).parent
        files = [str(root.joinpath(*module.split(".")[1:]).with_suffix(".py")) for module in modules]
        command = [sys.executable, "-m", "pytest", "-p", plugin, "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += ["-v", "--tb=line", "-W", "ignore", "--rootdir", str(root), "-c", os.devnull, *files]
        here = str(Path(__file__).parent)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}
        environment.pop("PYTEST_ADDOPTS", None)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=root, timeout=900)
        found = re.findall(r"^\S*?(test_\w+\.py::\S.*?) (PASSED|FAILED|ERROR|SKIPPED)", done.stdout, re.MULTILINE)
        return dict(found), done.stdout + done.stderr

    return run


@pytest.fixture(scope="session")
def failures_that_apply():
    """A function: tests that failed, of (name, outcome) pairs, but for those that a pattern says do not apply."""

    def failed(outcomes, not_applicable):
        return [
            name
            for name, outcome in outcomes
            if outcome in ("FAILED", "ERROR") and not any(re.match(pattern, name) for pattern in not_applicable)
        ]

    return failed
