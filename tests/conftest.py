"""Fixtures that several folders share, and the settings of hypothesis."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import sklearn.svm
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import Status
from maxmargin.data import Rows
from maxmargin.kernels import make_kernel
from maxmargin.problems import BoxQP

# The same examples on every machine, and no clock: compiling alone would break any deadline.
settings.register_profile(
    "maxmargin", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("maxmargin")

_BUNDLED = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}
_FOLDER = Path(os.environ.get("MAXMARGIN_DATA") or Path(__file__).parents[2] / "shared" / "data")
_OUTSIDE = [name for name in ("heart_scale", "sonar", "spambase") if (_FOLDER / f"{name}.npz").is_file()]


def _load(name):
    """X (float64, standardised) and y of a data set by name."""
    if name in _BUNDLED:
        X, y = _BUNDLED[name](return_X_y=True)
    else:
        with np.load(_FOLDER / f"{name}.npz", allow_pickle=False) as arrays:
            X, y = arrays["X"], arrays["y"]
    return StandardScaler().fit_transform(np.asarray(X, dtype=np.float64)), y


@pytest.fixture(scope="session", autouse=True)
def _scikit_learn_is_itself():
    """Ours is compared with scikit-learn's machines, and must not be compared with itself in their place."""
    for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"):
        assert getattr(sklearn.svm, name).__module__.startswith("sklearn."), f"sklearn.svm.{name} has been replaced"


@pytest.fixture(scope="session")
def load():
    """A function: ``load("iris") -> X, y``, standardised. Bundled sets only, so that it works on every machine."""
    return _load


@pytest.fixture(scope="session", params=[*_BUNDLED, *_OUTSIDE])
def real_data(request):
    """(name, X, y) of each real data set that this machine has; four of them are bundled with scikit-learn."""
    return request.param, *_load(request.param)


@pytest.fixture(scope="session", params=["wine", "digits", *(name for name in _OUTSIDE if name == "sonar")])
def separable_data(request):
    """(X, y) of real data whose classes an RBF machine separates."""
    X, y = _load(request.param)
    return X[:600], y[:600]


@pytest.fixture(scope="session")
def clouds():
    """A function: two overlapping Gaussian clouds with labels 0 and 1."""

    def make(n=60, d=3, seed=0, distance=1.0):
        rng = np.random.default_rng(seed)
        y = np.arange(n) % 2
        return rng.normal(size=(n, d)) + distance * y[:, None], y

    return make


@pytest.fixture(scope="session")
def circles():
    """A function: a disc (label 1) in a ring (label 0), with a clear gap between the two."""

    def make(n=80, seed=0):
        rng = np.random.default_rng(seed)
        y = np.arange(n) % 2
        radius = np.where(y == 1, rng.uniform(0, 1, n), rng.uniform(2, 3, n))
        angle = rng.uniform(0, 2 * np.pi, n)
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y

    return make


@pytest.fixture(scope="session")
def classifier_problem(clouds):
    """A function: the box QP of a soft-margin classifier on two clouds."""

    def make(n=60, d=3, seed=0, C=1.0, kernel="rbf", gamma=0.5, distance=1.0):
        X, y = clouds(n, d, seed, distance)
        gram = make_kernel(kernel, gamma, 1.0, 3).gram(Rows(X))
        return BoxQP.classifier(gram, np.where(y == 1, 1.0, -1.0), np.full(n, float(C)))

    return make


@pytest.fixture(scope="session")
def assert_truthful():
    """A function: what a fitted model claims is what a recomputation from scratch finds."""

    def check(model, X, y, sample_weight=None):
        claimed = model.certificate_
        found = claimed.verify(X, y, sample_weight)
        assert found.status is not Status.REFUTED
        assert (model.fit_status_ == 0) == (claimed.status in (Status.CONVERGED, Status.STATIONARY))
        for claim, proof in zip(claimed.problems, found.problems, strict=True):
            # both intervals hold the optimum, and the claimed one was not made up
            assert max(claim.dual, proof.dual) <= min(claim.primal, proof.primal)
            for stated in (claim, proof):
                if stated.definiteness == "fails":
                    assert stated.dual == -np.inf and stated.gap == stated.relative_gap == np.inf
                    continue
                assert stated.gap == pytest.approx(stated.primal - stated.dual, rel=1e-6, abs=1e-9 * abs(stated.primal))
            # a recomputation may take more care over rounding, and then proves more; it never proves less
            assert proof.relative_gap <= 1.01 * claim.relative_gap + 1e-6
            within = claim.kkt_violation <= model.tol
            within = within and (model.gap_tol is None or claim.relative_gap <= model.gap_tol)
            if claim.status is Status.CONVERGED:
                assert proof.kkt_violation <= model.tol
                assert model.gap_tol is None or proof.relative_gap <= model.gap_tol
            elif claim.status in (Status.STALLED, Status.BUDGET_EXHAUSTED):
                # what has not converged misses what was asked for, by no more than it says
                assert not within
                assert proof.kkt_violation <= 1.01 * claim.kkt_violation + 1e-6

    return check


@pytest.fixture(scope="session")
def run_python():
    """A function: run a script in a Python of its own; its completed process, after a check of the exit code."""

    def run(script, timeout=300, **environment):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **environment},
        )
        assert done.returncode == 0, done.stderr
        return done

    return run
