"""Complementary slackness, point by point."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.certificates import CASES, KKTCases, kkt_cases


def example():
    #                     outside  outside  margin boundary  margin boundary  right  right  wrong  no weight
    multiplier = np.array([0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0, 0.0])
    bound = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    margin = np.array([3.0, 0.9, 1.0, 1.25, 0.5, 1.5, -2.0, -7.0])
    return kkt_cases(2, np.arange(10, 18), multiplier, bound, margin)


def test_the_case_follows_from_the_multiplier():
    assert list(example().names()[:7]) == [CASES[k] for k in (0, 0, 1, 1, 2, 2, 3)]


def test_violation_is_the_distance_from_what_the_case_demands():
    assert_allclose(example().violation, [0, 0.1, 0, 0.25, 0, 0.5, 0, 0], atol=1e-15)


def test_slack():
    assert_allclose(example().slack, [0, 0.1, 0, 0, 0.5, 0, 3, 8], atol=1e-15)


def test_columns():
    cases = example()
    assert len(cases) == 8
    assert_array_equal(cases.problem, np.full(8, 2))
    assert_array_equal(cases.sample, np.arange(10, 18))
    assert list(cases.to_dict()) == ["problem", "sample", "case", "multiplier", "slack", "margin", "violation"]


def test_counts_add_up_and_are_printed():
    cases = example()
    assert sum(cases.counts().values()) == len(cases)
    assert cases.counts()["on the margin boundary"] == 2
    lines = str(cases).splitlines()
    assert len(lines) == len(CASES)
    assert lines[1].split() == ["on", "the", "margin", "boundary", "2"]


def test_concatenation():
    both = KKTCases.concatenate([example(), example()])
    assert len(both) == 16
    assert both.counts()["on the margin boundary"] == 4
