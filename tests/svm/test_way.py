"""The way of a fit: one level of inheritance, and no file that calls back to one that waits for it."""

import sys
from pathlib import Path

import numpy as np
import pytest

import maxmargin
from maxmargin.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.svm._machine import KernelMachine

MACHINES = [SVC, NuSVC, SVR, NuSVR, OneClassSVM]
ROOT = Path(maxmargin.__file__).parent
# scikit-learn asks an estimator for its tags while it checks X
PROTOCOL = {"__sklearn_tags__"}


def _calls_back(fit):
    """Functions of `svm` and `estimators` called from another file while their own is waiting on the stack."""
    stack, found = [], []

    def profile(frame, event, argument):
        if event == "call":
            path = Path(frame.f_code.co_filename)
            file = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None
            caller = next((f for f in reversed(stack) if f), None)
            own = file is not None and file.split("/")[0] in ("svm", "estimators")
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


@pytest.mark.parametrize("kind", MACHINES)
def test_a_machine_stands_directly_on_the_base(kind):
    assert KernelMachine in kind.__bases__
    hooks = [name for name in vars(KernelMachine) if name in vars(kind) and name.startswith("_") and "__" not in name]
    assert set(hooks) <= {"_formulation", "_training_data", "_audits", "_parameter_constraints", "_abc_impl"}
