"""Rows that cannot be those of the training are the caller's error."""

import pytest

from maxmargin.estimators import check_same_rows


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((30, 29), "expected 30 rows, got X with 29"),
        ((30, 30, 29), "expected 30 rows, got X with 30 and y with 29"),
        ((30, 29, 29), "expected 30 rows, got X with 29 and y with 29"),
        ((30, None, 29), "expected 30 rows, got y with 29"),
        ((30,), "expected 30 rows, got no y"),
        (((30, 40), 29), "expected 30 rows, got X with 29"),
    ],
)
def test_another_number_is_refused(arguments, text):
    with pytest.raises(ValueError, match=f"^a certificate is about the training data: {text}[.]$"):
        check_same_rows(*arguments)


def test_rows_of_positive_weight():
    with pytest.raises(ValueError, match="expected 30 rows of positive weight, got X with 29"):
        check_same_rows(30, 29, weighted=True)


@pytest.mark.parametrize("arguments", [(30, 30), (30, 30, 30), (30, None, 30), ((30, 40), 40)])
def test_the_same_number_passes(arguments):
    check_same_rows(*arguments)
