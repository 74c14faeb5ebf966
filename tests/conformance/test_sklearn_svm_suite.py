"""scikit-learn's own installed tests of its support vector machines, run against ours in their place."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODULES = ["sklearn.svm.tests.test_svm", "sklearn.svm.tests.test_sparse"]

REFUSED = "asks for probability=True, which is refused"
PRIVATE = "changes a private attribute of scikit-learn's classes"
INTERCEPT = "expects an intercept that is penalised; ours is not"
WORDING = "demands the words of LIBSVM's warning; ours gives the gap reached and what to do"

# Tests that do not apply, by the name of the function (or of one parametrisation), with the reason.
NOT_APPLICABLE = {
    "test_svm.py": {
        "test_probability": REFUSED,
        "test_hasattr_predict_proba": REFUSED,
        "test_probability_raises_futurewarning": REFUSED,
        "test_svc_nusvc_probA_probB_deprecated": REFUSED,
        "test_tweak_params": PRIVATE,
        "test_svc_raises_error_internal_representation": PRIVATE,
        "test_libsvm_convergence_warnings": WORDING,
        "test_linear_svm_convergence_warnings": "expects two iterations not to be enough; ours needs no more",
        "test_linearsvc_parameters": "expects combinations of loss and penalty to be refused that ours solves",
        "test_dense_liblinear_intercept_handling": INTERCEPT,
        "test_svr_errors": "expects a kernel function of the wrong shape to fail in predict; ours fails in fit already",
        "test_custom_kernel_not_array_input[SVC]": "its kernel function is right only for two equal lists of samples; "
        "ours is called with the support vectors alone",
    },
    "test_sparse.py": {
        "test_svc": REFUSED,
        "test_unsorted_indices": REFUSED,
        "test_sparse_svc_clone_with_callable_kernel": REFUSED,
        "test_sparse_liblinear_intercept_handling": INTERCEPT,
        "test_timeout": "expects one step not to be enough; ours ends the small problem exactly",
    },
}


def _applies(test: str) -> bool:
    """Whether a collected test such as ``.../test_svm.py::test_svr_errors[x]`` is one of those to pass."""
    file, name = re.match(r".*?(test_\w+\.py)::(\S+)", test).groups()
    excluded = NOT_APPLICABLE[file]
    return name not in excluded and name.split("[")[0] not in excluded


@pytest.fixture(scope="module")
def outcomes():
    """Outcome of each test of the suite by its name."""
    import sklearn.svm.tests as suite

    folder = Path(suite.__file__).parent
    files = [str(folder / (module.rsplit(".", 1)[1] + ".py")) for module in MODULES]
    command = [sys.executable, "-m", "pytest", "-p", "sklearn_svm_swapped", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += ["-v", "--tb=line", "-W", "ignore", "--rootdir", str(folder), "-c", os.devnull, *files]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    environment.pop("PYTEST_ADDOPTS", None)
    run = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder, timeout=900)
    found = dict(re.findall(r"^(\S+::\S+.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)", run.stdout, re.MULTILINE))
    assert len(found) > 200, run.stdout[-3000:] + run.stderr[-3000:]
    found["output"] = run.stdout
    return found


def test_every_applicable_test_passes(outcomes):
    output = outcomes["output"]
    bad = [t for t, o in outcomes.items() if t != "output" and _applies(t) and o in ("FAILED", "ERROR")]
    assert not bad, "\n".join(bad) + output[-6000:]


def test_every_exclusion_is_needed(outcomes):
    """A test that is listed as not applicable exists and fails: the list cannot grow stale."""
    for file, names in NOT_APPLICABLE.items():
        for name in names:
            matching = [o for t, o in outcomes.items() if t.endswith(f"{file}::{name}") or f"{file}::{name}[" in t]
            assert matching, f"{file}::{name} is not in the suite"
            assert "FAILED" in matching, f"{file}::{name} passes: take it off the list"
