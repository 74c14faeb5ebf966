"""Models that were pickled before they had all the parameters of today."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron


@pytest.mark.parametrize("kind", [KernelLogisticRegression, KernelPerceptron])
def test_a_pickle_from_before_there_was_a_trace(kind):
    X, y = make_moons(60, noise=0.2, random_state=0)
    model = kind().fit(X, y)
    state = {name: value for name, value in model.__getstate__().items() if name != "trace"}
    old = kind.__new__(kind)
    old.__setstate__(state)
    assert old.get_params() == model.get_params() and repr(old) == repr(model)
    np.testing.assert_array_equal(old.decision_function(X), model.decision_function(X))
    assert old.certificate_.verify(X, y)
    assert not hasattr(clone(old).fit(X, y), "trace_")
