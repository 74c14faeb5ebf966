"""What machines share: one level of inheritance, and few hooks."""

import pytest

from maxmargin.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM


@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_a_machine_stands_directly_on_the_base(kind):
    base = next(parent for parent in kind.__mro__ if parent.__name__ == "KernelMachine")
    assert base in kind.__bases__
    hooks = [name for name in vars(base) if name in vars(kind) and name.startswith("_") and "__" not in name]
    assert set(hooks) <= {"_formulation", "_training_data", "_audits", "_parameter_constraints", "_abc_impl"}
