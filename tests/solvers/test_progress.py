"""When a decomposition is given up: where neither objective nor violation tells of progress."""

from types import SimpleNamespace

import pytest

from maxmargin.solvers.kernel.decomposition import _Progress


def _rounds(look, objective):
    """A million steps later, with a linear part of 8 and the rounding of a quadratic part of 1e37."""
    return SimpleNamespace(
        iterations=1_000_000 * look,
        solved=0,
        active=None,
        objective=lambda: (8.0, objective),
        rounding=lambda: 1e21,
    )


@pytest.mark.parametrize(
    ("first", "then", "lost"),
    [
        (1.7636e21, 1.7637e21, True),  # above its linear part: rounding, of which more is no gain
        (7.0, 7.0, True),
        (7.0, 7.1, False),
        (1e21, 3e21, False),  # an indefinite K may allow this, if it is more than rounding
    ],
)
def test_a_rise_of_the_objective_counts_unless_it_is_rounding(first, then, lost):
    progress = _Progress()
    assert not progress.lost(_rounds(1, first), 1.0)
    assert progress.lost(_rounds(2, then), 1.0) is lost
