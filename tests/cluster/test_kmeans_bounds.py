"""k-means: what spares distances changes nothing. Bounds hold; near centres and the pruning find what all would."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.certificates import Status
from maxmargin.cluster import KMeans
from maxmargin.cluster.kmeans import _assignment, _fixed_point, _pruning
from maxmargin.cluster.kmeans._assignment import Assignment
from maxmargin.cluster.kmeans._lloyd import lloyd
from maxmargin.cluster.kmeans._near_pass import grouped
from maxmargin.cluster.kmeans._passes import surroundings_pass
from maxmargin.cluster.kmeans._points import Points
from maxmargin.cluster.kmeans._two_nearest import two_nearest


def cloud(n, d, groups=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 4 * rng.normal(size=(groups, d))[rng.integers(0, groups, size=n)]
    X[: n // 50] *= 10  # rows far out
    return X


def apart(X, centres):
    return np.sqrt(np.square(X[:, None] - centres[None]).sum(axis=2))


def wander(centres, rng, step):
    """Most centres stay, some move a little, one jumps."""
    moves = rng.normal(size=centres.shape) * step * (rng.random(len(centres)) < 0.3)[:, None]
    moves[rng.integers(len(centres))] += 20 * step
    return centres + moves


def assert_bounds_hold(assignment, distances):
    """Upper bounds of the nearest and lower bounds of all others, for every row, at the present centres."""
    n = len(distances)
    own = distances[np.arange(n), assignment.labels]
    others = distances.copy()
    others[np.arange(n), assignment.labels] = np.inf
    assert (assignment._upper >= own * (1 - 1e-12)).all()
    assert (assignment._lower <= others.min(axis=1) * (1 + 1e-12)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("d", "k"), [(3, 60), (7, 150)])
def test_near_centres_are_enough(d, k, dtype):
    X = cloud(3000, d).astype(dtype)
    points, rng = Points(X), np.random.default_rng(1)
    centres = points.at(rng.choice(3000, k, replace=False))
    assignment = Assignment(points, k)
    for step in (0.5, 0.1, 0.1, 0.03, 0.01, 0.003, 0.5):
        assignment.update(centres)
        distances = apart(points.at(points.all), centres)
        if dtype is np.float64:
            np.testing.assert_array_equal(assignment.labels, distances.argmin(axis=1))
        else:
            chosen = distances[points.all, assignment.labels]
            np.testing.assert_allclose(chosen, distances.min(axis=1), rtol=1e-4, atol=1e-3)
        assert_bounds_hold(assignment, distances)
        centres = wander(centres, rng, step)
    assert assignment.distances < 0.5 * 7 * 3000 * k


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_pruning_lets_the_right_rows_pass(storage, dtype, monkeypatch):
    monkeypatch.setattr(_pruning, "_LEAST", 0)
    X = cloud(1500, 60).astype(dtype)
    points, rng = Points(storage(X)), np.random.default_rng(1)
    centres = points.at(rng.choice(1500, 12, replace=False))
    assignment = Assignment(points, 12)
    assert assignment._pruning is not None
    for step in (0.1, 0.01, 0.01, 0.01, 0.003, 0.003, 0.003, 0.003):
        assignment.update(centres)
        distances = apart(points.at(points.all), centres)
        np.testing.assert_array_equal(assignment.labels, distances.argmin(axis=1))
        assert_bounds_hold(assignment, distances)
        centres = wander(centres, rng, step)
    assert assignment._pruning.renewals < 4
    assert assignment.distances < 0.7 * 8 * 1500 * 12


def test_what_the_sieve_rests_on():
    """| ||x - c||^2 - (||x||^2 + ||c||^2 - 2 <Q'x, Q'c>) | <= 2 rho sigma, with equality for parallel remainders."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(30, 5)))[0]
    x, c = rng.normal(size=(200, 30)), rng.normal(size=(200, 30))
    c[0] = x[0] - Q @ Q.T @ x[0]

    def off(z):
        return np.linalg.norm(z - z @ Q @ Q.T, axis=1)

    value = (x**2).sum(axis=1) + (c**2).sum(axis=1) - 2 * np.einsum("ij,ij->i", x @ Q, c @ Q)
    error = np.abs(((x - c) ** 2).sum(axis=1) - value)
    assert (error <= 2 * off(x) * off(c) * (1 + 1e-12)).all()
    assert error[0] == pytest.approx(2 * off(x)[0] * off(c)[0])


def test_the_sieve_needs_long_rows():
    assert not _pruning.Pruning.suits(Points(np.zeros((40000, 30))), 8)
    assert _pruning.Pruning.suits(Points(np.zeros((40000, 32))), 8)
    assert not _pruning.Pruning.suits(Points(np.zeros((100, 32))), 8)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 11])
def test_two_nearest_with_the_first_of_equals(k):
    rng = np.random.default_rng(k)
    products, norms = rng.integers(0, 3, size=(k, 37)) + 0.0, rng.integers(0, 3, size=k) + 0.0
    low, next_low, where = np.full(37, np.inf), np.full(37, np.inf), np.zeros(37, np.int32)
    cut = k // 2
    two_nearest(products[:cut], norms[:cut], 0, low, next_low, where)
    two_nearest(products[cut:], norms[cut:], cut, low, next_low, where)
    values = products + norms[:, None]
    np.testing.assert_array_equal(where, values.argmin(axis=0))
    ordered = np.sort(np.vstack([values, np.full(37, np.inf)]), axis=0)
    np.testing.assert_array_equal([low, next_low], ordered[:2])


@pytest.mark.parametrize("k", [8, 80])
def test_of_equally_near_centres_the_first(k):
    """On a grid of integers products are exact and ties abound; some centres stand in the same place."""
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, size=(2000, 3)).astype(float)
    points = Points(X, origin=np.zeros(3))
    centres = X[rng.choice(2000, k, replace=False)]
    assignment = Assignment(points, k)
    for _ in range(6):
        assignment.update(centres)
        np.testing.assert_array_equal(assignment.labels, np.square(apart(X, centres)).round().argmin(axis=1))
        centres = centres + rng.integers(-1, 2, size=centres.shape) * (rng.random(k) < 0.3)[:, None]


def test_surroundings_of_centres():
    rng = np.random.default_rng(0)
    centres, moves = rng.normal(size=(150, 4)), rng.random(150) * (rng.random(150) < 0.4)
    squares, by_move = (centres**2).sum(axis=1), np.argsort(-moves)
    gaps, inner = np.empty(150), rng.random((150, 3)) * 2
    radii, longest = inner.copy(), np.empty((150, 3))
    for a, b in ((0, 70), (70, 150)):
        surroundings_pass(centres, squares, 0.0, moves, by_move, a, b, gaps, radii, longest)
    between = apart(centres, centres)
    np.fill_diagonal(between, np.inf)
    np.testing.assert_allclose(gaps, between.min(axis=1))
    np.testing.assert_allclose(radii, inner + gaps[:, None])
    expected = [[moves[between[a] <= radii[a, r]].max(initial=0.0) for r in range(3)] for a in range(150)]
    np.testing.assert_array_equal(longest, expected)


def test_rows_by_label():
    labels = np.random.default_rng(0).integers(0, 7, size=100).astype(np.int32)
    order = np.random.default_rng(1).permutation(100)[:60]
    expected = order[np.argsort(labels[order], kind="stable")]
    np.testing.assert_array_equal(grouped(order, labels, np.empty(8, np.int64)), expected)


@pytest.mark.parametrize("k", [9, 70])
def test_bit_by_bit_the_way_of_plain_steps(k, monkeypatch):
    X = cloud(2500, 40)
    monkeypatch.setattr(_pruning, "_LEAST", 0)
    fast = KMeans(k, init=X[:k], tol=0).fit(X)
    monkeypatch.setattr(_pruning, "_MOST", 0)
    monkeypatch.setattr(_assignment, "_MANY", 10**9)
    everything = [(0, 2500)]

    def carry_nothing(self, centres, squares):
        self._order[:] = self.points.all
        return None, everything

    monkeypatch.setattr(Assignment, "_carry_bounds", carry_nothing)
    plain = KMeans(k, init=X[:k], tol=0).fit(X)
    assert plain.n_distances_ == 2500 * k * plain.n_iter_
    assert fast.n_distances_ < 0.6 * plain.n_distances_
    np.testing.assert_array_equal(fast.inertia_history_, plain.inertia_history_)
    np.testing.assert_array_equal(fast.labels_, plain.labels_)
    np.testing.assert_array_equal(fast.cluster_centers_, plain.cluster_centers_)


def test_watching_the_centres():
    points, seen = Points(cloud(400, 2)), []
    start = points.at(np.arange(5))
    run = lloyd(points, start, 100, 0.0, watch=seen.append)
    assert len(seen) == run.steps + 1
    np.testing.assert_array_equal(seen[0], start)
    np.testing.assert_array_equal(seen[-1], run.centres)
    shorter = lloyd(points, start, 2, 0.0)
    np.testing.assert_array_equal(seen[2], shorter.centres)


@pytest.mark.parametrize(("room", "call"), [(_assignment, 9), (_fixed_point, 1)])
def test_an_interrupt_leaves_nothing_half_done(room, call, monkeypatch):
    X, calls = cloud(3000, 5), []
    run = room.run_parallel

    def interrupted(task, arguments, on_error=None):
        calls.append(task)
        if len(calls) == call:
            raise KeyboardInterrupt
        return run(task, arguments, on_error)

    model = KMeans(60, init=X[:60], tol=0).fit(X)
    before = dict(vars(model))
    monkeypatch.setattr(room, "run_parallel", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(2 * X)
    assert vars(model) == before


def test_work_is_cut_into_short_pieces():
    points = Points(np.zeros((5000, 10)))
    pieces = points.pieces([(0, 3000), (4000, 5000)], 100_000)
    assert pieces == [(0, 1024), (1024, 2048), (2048, 3000), (4000, 5000)]
    assert points.pieces([(0, 5000)], 10) == [(0, 5000)]


def test_the_proof_refuses_labels_of_other_clusters():
    X = cloud(300, 4)
    model = KMeans(3, init=X[:3]).fit(X)
    model.labels_ = model.labels_ + 1
    assert model.certificate_.verify(X).status is Status.REFUTED
