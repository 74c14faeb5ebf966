"""Notes of a training: each said once."""

import numpy as np
import pandas as pd

from maxmargin.training import train
from maxmargin.training._notes import without_repetitions


def test_notes_that_differ_in_figures_are_one():
    notes = [
        "the gap of 4.96e-07 is more than tol=1e-10",
        "a column x1 is constant",
        "the gap of 5e+02 is more than tol=1e-10",
        "the gap of inf is more than tol=1e-10",
        "a column x2 is constant",
    ]
    found = without_repetitions(notes)
    assert found[0].startswith(notes[0]) and "2 more" in found[0]
    assert found[1:] == [notes[1], notes[4]]  # names are no figures
    assert without_repetitions([]) == []
    assert without_repetitions(notes[:1]) == notes[:1]


def test_kernel_ridge_of_an_ordinary_table_has_nothing_to_note():
    rng = np.random.default_rng(0)
    n = 120
    table = pd.DataFrame({"a": rng.normal(size=n), "b": rng.uniform(0, 100, n), "c": rng.choice(list("xyz"), n)})
    table["price"] = 3 * table["a"] + 0.05 * table["b"] + 2 * (table["c"] == "x") + rng.normal(size=n)
    training = train(table, "price", model="kernelridge")
    assert training.notes == ()
