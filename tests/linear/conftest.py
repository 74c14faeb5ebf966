"""The machines that share the linear machinery, and data for each of them."""

import numpy as np
import pytest

from maxmargin.linear_model import LinearClassifier, LogisticRegression
from maxmargin.svm import LinearSVC, LinearSVR

MACHINES = {
    "hinge": lambda **k: LinearClassifier(loss="hinge", **k),
    "squared": lambda **k: LinearClassifier(loss="squared", **k),
    "elastic_net": lambda **k: LinearClassifier(loss="squared_hinge", penalty="elastic_net", **k),
    "LogisticRegression": LogisticRegression,
    "LinearSVC": LinearSVC,
    "LinearSVR": lambda **k: LinearSVR(epsilon=0.1, **k),
    "LinearSVR_squared": lambda **k: LinearSVR(epsilon=0.1, loss="squared_epsilon_insensitive", **k),
}


@pytest.fixture(params=MACHINES)
def machine(request):
    """A function: an unfitted machine with the given parameters."""
    return MACHINES[request.param]


@pytest.fixture(params=[name for name in MACHINES if not name.startswith("LinearSVR")])
def classifier(request):
    """The same, classifiers alone."""
    return MACHINES[request.param]


@pytest.fixture(scope="session")
def two_classes():
    """X, y: 80 samples of 4 features, labels 0 and 1 that overlap; as targets they do as well."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    return X, (X @ [1.0, -1.0, 0.5, 0.0] + 0.3 + rng.normal(size=80) > 0).astype(int)


@pytest.fixture(scope="session")
def three_classes():
    """X, y: 120 samples of 5 features, labels 0, 1 and 2 that overlap."""
    rng = np.random.default_rng(1)
    y = np.arange(120) % 3
    return rng.normal(size=(120, 5)) + np.eye(3, 5)[y], y
