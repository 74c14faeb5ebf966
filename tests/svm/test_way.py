"""The way of a fit: one level of inheritance, and no file that calls back to one that waits for it."""

import sys
from pathlib import Path

import numpy as np
import pytest

import maxmargin
from maxmargin.linear_model import LinearClassifier, LogisticRegression
from maxmargin.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.svm._machine import KernelMachine

MACHINES = [SVC, NuSVC, SVR, NuSVR, OneClassSVM]
LINEAR = {
    "LinearSVC": LinearSVC,
    "crammer_singer": lambda **k: LinearSVC(multi_class="crammer_singer", **k),
    "hard_margin": lambda **k: LinearSVC(C=np.inf, **k),
    "LinearSVR": LinearSVR,
    "LogisticRegression": LogisticRegression,
    "LinearClassifier": LinearClassifier,
}
ROOMS = ("svm", "linear", "linear_model", "estimators")
ROOT = Path(maxmargin.__file__).parent
# scikit-learn asks an estimator for its tags while it checks X
PROTOCOL = {"__sklearn_tags__"}


def _calls_back(fit):
    """Functions of `ROOMS` called from another file while their own is waiting on the stack."""
    stack, found = [], []

    def profile(frame, event, argument):
        if event == "call":
            path = Path(frame.f_code.co_filename)
            file = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None
            caller = next((f for f in reversed(stack) if f), None)
            own = file is not None and file.split("/")[0] in ROOMS
            if own and file != caller and file in stack and frame.f_code.co_name not in PROTOCOL:
                found.append(f"{caller} calls {frame.f_code.co_qualname} of {file}")
            stack.append(file)
        elif event == "return" and stack:
            stack.pop()

    sys.setprofile(profile)
    try:
        fit()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize("classes", [2, 3])
def test_no_file_is_called_back(kind, classes):
    X = np.random.default_rng(0).standard_normal((60, 2))
    assert not _calls_back(lambda: kind(n_jobs=1).fit(X, np.arange(60) % classes))


@pytest.mark.parametrize("make", LINEAR.values(), ids=LINEAR)
@pytest.mark.parametrize("classes", [2, 3])
def test_no_file_of_a_linear_fit_is_called_back(make, classes):
    y = np.arange(60) % classes
    X = np.random.default_rng(0).standard_normal((60, 3)) + 20 * np.eye(3)[y]  # apart, for the hard margin
    assert not _calls_back(lambda: make(n_jobs=1).fit(X, y))


@pytest.mark.parametrize("kind", MACHINES)
def test_a_machine_stands_directly_on_the_base(kind):
    assert KernelMachine in kind.__bases__
    hooks = [name for name in vars(KernelMachine) if name in vars(kind) and name.startswith("_") and "__" not in name]
    assert set(hooks) <= {"_formulation", "_training_data", "_audits", "_parameter_constraints", "_abc_impl"}
