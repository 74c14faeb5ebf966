"""The way of a fit goes down: no file is called back that waits for it."""

import numpy as np
import pytest

from maxmargin.svm import SVC

from .walks import WALKS, walk_of


def calls_back(call):
    return [f"{caller} calls {function}" for caller, function in walk_of(call).back]


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # walks, not results, are looked at
def test_no_file_is_called_back(name):
    assert calls_back(WALKS[name]) == []


def test_files_are_told_in_order():
    files = walk_of(WALKS["SVC"]).files
    wanted = ["svm/_svc.py", "svm/_fit.py", "svm/_solve.py", "solvers/_solve_kernel.py", "solvers/_driver.py"]
    assert [file for file in files if file in wanted] == wanted


def test_a_call_back_is_found():
    """Of a fit within a fit: the file of the estimator is entered while it waits for the outer one."""
    X, y = np.random.default_rng(0).standard_normal((30, 2)), np.arange(30) % 2
    outer = SVC(n_jobs=1, callback=lambda state: SVC(n_jobs=1).fit(X, y) is None)
    assert "solvers/_monitor.py calls svm/_classifier.py:KernelClassifier.fit" in calls_back(lambda: outer.fit(X, y))
