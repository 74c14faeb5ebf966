"""How many clusters: separate groups are counted, and rows without clusters have none."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist
from sklearn.exceptions import ConvergenceWarning

from maxmargin.cluster import KMeans, elbow


def groups(k, seed=0, n=60):
    """Groups evenly on a circle: with groups of groups the curve bends more than once."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(k) / k
    return np.concatenate([rng.normal((np.cos(a), np.sin(a)), 0.05, size=(n, 2)) for a in angle])


def separate(seed):
    """Between two and nine normal groups in 2 to 20 columns, of 20 to 60 rows, centres at least 8 deviations apart."""
    rng = np.random.default_rng(seed)
    k, columns = 2 + seed % 8, (2, 3, 5, 10, 20)[seed % 5]
    centres = rng.uniform(-12, 12, (1, columns))
    while len(centres) < k:
        more = rng.uniform(-12, 12, (50, columns))
        far = more[cdist(more, centres).min(axis=1) >= 8]
        # one at a time: nine at once are hardly ever far enough from each other; anew where there is no place left
        centres = np.vstack([centres, far[:1]]) if len(far) else more[:1]
    assert pdist(centres).min() >= 8
    sizes = rng.integers(20, 60, k)
    return k, np.concatenate([rng.normal(c, 1, (n, columns)) for c, n in zip(centres, sizes, strict=True)])


def test_counts_twenty_of_twenty_sets_of_separate_groups():
    truth, found = zip(*((k, elbow(X, random_state=0).chosen) for k, X in map(separate, range(20))), strict=True)
    assert found == truth


def disc(rng):
    angle, radius = rng.uniform(0, 2 * np.pi, 300), np.sqrt(rng.uniform(size=300))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


WITHOUT = {
    "uniform": lambda rng: rng.uniform(size=(300, 2)),
    "a line": lambda rng: rng.uniform(size=(200, 1)),
    "normal": lambda rng: rng.normal(size=(300, 3)),
    "correlated": lambda rng: rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4)),
    "disc": disc,
    "exponential": lambda rng: rng.exponential(size=(300, 2)),
    "thirty rows": lambda rng: rng.normal(size=(30, 2)),
    "many columns": lambda rng: rng.normal(size=(150, 50)),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_rows_without_clusters_have_one(name):
    found = elbow(WITHOUT[name](np.random.default_rng(0)), random_state=0)
    assert found.chosen == 1
    assert found.reason.startswith("K=1: no sign of clusters.")


def test_of_rows_without_clusters_the_smallest_number_given_is_chosen():
    assert elbow(np.random.default_rng(0).uniform(size=(200, 2)), [2, 3, 5], random_state=0).chosen == 2


def test_the_gap_is_between_the_curves():
    found = elbow(groups(5), [9, 2, 3, 5, 2], random_state=0, n_init=1)
    np.testing.assert_array_equal(found.n_clusters, [2, 3, 5, 9])
    assert (np.diff(found.inertias) <= 0).all() and (np.diff(found.reference) < 0).all()
    np.testing.assert_allclose(found.gaps, np.log(found.reference) - np.log(found.inertias))
    assert found.chosen == 5 and found.model.n_clusters == 5 and isinstance(found.model, KMeans)
    whole = elbow(groups(5), range(1, 4), random_state=0)
    np.testing.assert_allclose(whole.reference[0], whole.inertias[0])  # both begin at K=1


def test_the_choice_does_not_depend_on_units():
    k, X = separate(2)
    for scale in (1e-9, 1e9):
        assert elbow(X * scale + 3 * scale, random_state=0).chosen == k


def test_wide_sparse_rows_are_compared_with_shuffled_columns():
    rng = np.random.default_rng(0)
    topics = np.repeat([0, 1, 2], 40)
    X = sp.random(120, 600, density=0.02, random_state=1, format="lil")
    for row, topic in enumerate(topics):
        X[row, 200 * topic + rng.choice(20, 12, replace=False)] = 3.0
    assert elbow(sp.csr_matrix(X), range(1, 7), random_state=0).chosen == 3


def test_weights_and_sparse_rows():
    X = groups(3)
    weights = np.ones(len(X))
    weights[:60] = 0  # one of the three is not there
    assert elbow(X, range(1, 7), random_state=0).chosen == 3
    assert elbow(X, range(1, 7), random_state=0, sample_weight=weights).chosen == 2
    assert elbow(sp.csr_matrix(X), range(1, 7), random_state=0).chosen == 3


def test_no_elbow():
    with pytest.warns(match="from 2 on there are fewer distinct rows"):
        found = elbow(np.ones((10, 2)), range(1, 5))
    assert found.chosen == 1
    assert "no sign of clusters" in found.reason


def test_refusals():
    with pytest.raises(ValueError, match="at least three"):
        elbow(groups(3), [2, 3, 3])
    with pytest.raises(ValueError, match="init cannot be"):
        elbow(groups(3), init="random")
    with pytest.raises(ValueError, match=r"n_clusters goes up to 10, and X has 4 rows.*such as range\(1, 5\)"):
        elbow(np.arange(8.0).reshape(4, 2))
    with pytest.raises(ValueError, match=r"n_clusters goes up to 3, and X has 2 rows.*at least three rows"):
        elbow([[0.0], [1.0]], [1, 2, 3])
    assert elbow(np.arange(8.0).reshape(4, 2), range(1, 5), random_state=0).chosen == 1


def test_more_clusters_than_distinct_rows_are_said_once():
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    with pytest.warns(ConvergenceWarning, match="from 4 on there are fewer distinct rows than clusters: 3") as said:
        elbow(X, range(1, 7), random_state=0)
    assert len(said) == 1


def test_the_end_of_the_range_is_said():
    X = groups(12)
    found = elbow(X, range(1, 7), random_state=0)
    assert found.chosen == 6
    assert found.reason.endswith("It is the largest number given: more clusters may be better still.")
    assert "largest number given" not in elbow(groups(4), range(1, 7), random_state=0).reason
