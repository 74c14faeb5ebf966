"""Kernels by name."""

import pytest

from maxmargin.kernels import (
    KERNELS,
    RBF,
    CallableKernel,
    Kernel,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    make_kernel,
)


@pytest.mark.parametrize("name", KERNELS)
def test_every_name_makes_a_kernel(name):
    assert isinstance(make_kernel(name, 0.5, 1.0, 2), Kernel)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("linear", Linear()),
        ("poly", Polynomial(0.5, 1.0, 2)),
        ("rbf", RBF(0.5)),
        ("sigmoid", Sigmoid(0.5, 1.0)),
        ("precomputed", Precomputed()),
    ],
)
def test_parameters_arrive(name, kernel):
    assert make_kernel(name, 0.5, 1.0, 2) == kernel


def test_a_function_and_a_kernel_pass_through():
    def similarity(X, Z):
        return X @ Z.T

    made = make_kernel(similarity, 0.5, 1.0, 2)
    assert isinstance(made, CallableKernel)
    assert made.function is similarity
    kernel = RBF(3.0)
    assert make_kernel(kernel, 0.5, 1.0, 2) is kernel


def test_unknown_name_is_quoted_with_the_known_ones():
    with pytest.raises(ValueError, match=r"kernel must be one of \['linear', .*'sigmoid'\].*'gauss'"):
        make_kernel("gauss", 0.5, 1.0, 2)


def test_kernels_are_immutable():
    with pytest.raises(AttributeError):
        RBF(1.0).gamma = 2.0
