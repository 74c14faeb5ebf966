"""Kernel matrices in fixed-point numbers, from floats that are taken as exact."""

import numpy as np

from .arithmetic import array, exponential, number, product, zeros


def matrix(kernel, X, bits):
    """The matrix of a kernel ``(name, gamma, coef0, degree)`` between the rows of a dense X."""
    name, gamma, coef0, degree = kernel
    if name == "precomputed":
        return array(X, bits)
    rows = array(X, bits)
    if name == "rbf":
        return _rbf(rows, number(gamma, bits), bits)
    K = product(rows, rows.T, bits)
    if name == "poly":
        base = (K * number(gamma, bits) >> bits) + number(coef0, bits)
        K = zeros(*K.shape) + (1 << bits)
        for _ in range(degree):
            K = K * base >> bits
    return K


def _rbf(rows, gamma, bits):
    n = len(rows)
    K = zeros(n, n)
    for i in range(n):
        K[i, i] = 1 << bits
        difference = rows[:i] - rows[i]
        distance = (difference * difference).sum(axis=1) if i else zeros(0)
        for j in range(i):
            K[i, j] = K[j, i] = exponential(-(int(distance[j]) * gamma >> 2 * bits), bits)
    return K


def largest_exponent(K, bits):
    """A power of two that no diagonal entry exceeds, as its exponent; 0 if all are zero."""
    largest = max((int(k).bit_length() for k in np.diagonal(K)), default=0)
    return largest - bits if largest else 0
