"""What a course on max-margin learning states, by closed forms and brute force on the public names.

The page of topics in the manual names these tests beside those of the rooms. Nothing here is taken from a solver: the
right-hand sides are formulas, enumerations, or a general-purpose minimiser of SciPy.
"""

import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import LinearConstraint, minimize
from scipy.special import expit
from sklearn.datasets import make_circles

from maxmargin.bounds import boosting_rounds
from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.ensemble import AdaBoostClassifier, DecisionStump
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.linear_model import Lasso, LinearClassifier, LogisticRegression, Perceptron, Ridge
from maxmargin.losses import make_loss
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier
from maxmargin.penalties import make_penalty
from maxmargin.svm import SVC, LinearSVC, separability
from maxmargin.tree import DecisionTreeClassifier, export_text

HARD = [SVC(C=np.inf, kernel="linear", tol=1e-9), LinearSVC(C=np.inf, loss="hinge", tol=1e-9)]


def apart(seed, n=12):
    """Two clouds in the plane that a line separates; labels -1 and +1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, 2)) * 0.8 + 2.0 * y[:, None], y


def mixed(seed, n=30, d=2):
    """Two clouds that overlap."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, d)) + 0.6 * y[:, None], y


def multipliers(model, n):
    """alpha, of every training row."""
    alpha = np.zeros(n)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha


def slacks(model, X, y):
    return np.maximum(0, 1 - y * model.decision_function(X))


# ---------------------------------------------------------------- margins


@pytest.mark.parametrize("model", HARD, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(4))
def test_the_hard_margin_is_the_widest_of_all_directions(model, seed):
    X, y = apart(seed)
    angles = np.linspace(0, 2 * np.pi, 400_001)
    along = X @ np.array([np.cos(angles), np.sin(angles)])
    widest = (along[y > 0].min(axis=0) - along[y < 0].max(axis=0)).max()
    w = model.fit(X, y).coef_[0]
    assert 2 / np.linalg.norm(w) == pytest.approx(widest, rel=1e-6)
    z = y * model.decision_function(X)
    assert z.min() == pytest.approx(1, abs=1e-6)  # the closest points of both classes are on the margin boundaries
    assert z[y > 0].min() == pytest.approx(z[y < 0].min(), abs=1e-6)


def test_the_signed_distance_leads_to_the_decision_boundary():
    X, y = mixed(0)
    model = LinearSVC(loss="hinge").fit(X, y)
    w, f = model.coef_[0], model.decision_function(X)
    distance = f / np.linalg.norm(w)
    foot = X - distance[:, None] * w / np.linalg.norm(w)
    assert_allclose(model.decision_function(foot), 0, atol=1e-12)
    for t in np.linspace(-5, 5, 41):  # no other point of the boundary is nearer
        other = foot + t * np.array([-w[1], w[0]])
        assert (np.linalg.norm(X - other, axis=1) >= np.abs(distance) - 1e-12).all()
    # and 1/||w|| further on, a margin boundary
    assert_allclose(model.decision_function(foot + np.sign(f)[:, None] * w / (w @ w)), np.sign(f), atol=1e-9)


@pytest.mark.parametrize("factor", [0.1, 8.0])
def test_the_length_of_w_is_chosen(factor):
    """A factor on (w, b) changes neither distances nor predictions; the fit takes the one that makes the least z 1."""
    X, y = apart(2)
    model = LinearSVC(C=np.inf, loss="hinge", tol=1e-9).fit(X, y)
    assert (y * model.decision_function(X)).min() == pytest.approx(1, abs=1e-6)
    distances = model.decision_function(X) / np.linalg.norm(model.coef_)
    model.coef_, model.intercept_ = factor * model.coef_, factor * model.intercept_
    assert_allclose(model.decision_function(X) / np.linalg.norm(model.coef_), distances, rtol=1e-9)
    assert_array_equal(model.predict(X), y)
    assert (y * model.decision_function(X)).min() == pytest.approx(factor, rel=1e-6)
    # rows in other units: the same hyperplane, whose w is found as long as makes the least z 1 again
    other = LinearSVC(C=np.inf, loss="hinge", tol=1e-9).fit(factor * X, y)
    assert_allclose(other.decision_function(factor * X) / np.linalg.norm(other.coef_), factor * distances, rtol=1e-4)
    assert (y * other.decision_function(factor * X)).min() == pytest.approx(1, abs=1e-6)


def test_zero_is_the_first_class():
    X, y = np.array([[-1.0], [1.0]]), [-1, 1]
    models = SVC(kernel="linear"), LinearSVC(fit_intercept=False), Perceptron(fit_intercept=False)
    for model in models:
        model.fit(X, y)
        assert model.decision_function([[0.0]])[0] == 0 and model.predict([[0.0]])[0] == -1
    # in training, a zero is a mistake: w = 0 has z = 0 on every row and does not stay
    assert models[2].coef_[0, 0] > 0 and models[2].certificate_.figures["mistakes"] >= 1


@pytest.mark.parametrize("seed", range(3))
def test_other_separators_have_smaller_margins(seed):
    X, y = apart(seed)

    def smallest(model):
        model.fit(X, y)
        return (y * model.decision_function(X)).min() / np.linalg.norm(model.coef_)

    best = smallest(LinearSVC(C=np.inf, loss="hinge", tol=1e-9))
    for model in (Perceptron(), LogisticRegression()):
        assert 0 < smallest(model) < 0.999 * best


# ---------------------------------------------------------------- primal, dual and the cases


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(1.0, 1.0, 2), RBF(0.5)], ids=str)
def test_the_dual_against_a_general_minimiser(kernel, C):
    X, y = mixed(1, n=14)
    Q = np.outer(y, y) * kernel(X)
    found = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(),
        np.full(14, C / 2),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, C)] * 14,
        constraints=LinearConstraint(y.astype(float), 0, 0),
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 5000},
    )
    model = SVC(kernel=kernel, C=C, tol=1e-10).fit(X, y)
    alpha = multipliers(model, 14)
    value = alpha.sum() - alpha @ Q @ alpha / 2
    assert value >= -found.fun - 1e-9 * abs(found.fun)
    assert value == pytest.approx(-found.fun, rel=1e-6)
    assert model.certificate_.dual == pytest.approx(value, rel=1e-12)
    assert model.certificate_.primal == pytest.approx(value, rel=1e-8)  # strong duality
    assert ((alpha >= 0) & (alpha <= C)).all() and y @ alpha == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=str)
def test_the_hard_dual_has_no_upper_bound(kernel):
    X, y = apart(1, n=14)
    Q = np.outer(y, y) * kernel(X)
    found = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(),
        np.full(14, 0.1),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, None)] * 14,
        constraints=LinearConstraint(y.astype(float), 0, 0),
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 5000},
    )
    model = SVC(kernel=kernel, C=np.inf, tol=1e-10).fit(X, y)
    assert model.certificate_.dual == pytest.approx(-found.fun, rel=1e-6)
    assert model.certificate_.primal == pytest.approx(-found.fun, rel=1e-6)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_without_an_intercept_the_dual_has_a_box_alone(C):
    X, y = mixed(1, n=14)
    Q = np.outer(y, y) * (X @ X.T)
    found = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(),
        np.full(14, C / 2),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, C)] * 14,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    model = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-9).fit(X, y)
    assert model.intercept_[0] == 0
    assert model.certificate_.primal == pytest.approx(-found.fun, rel=1e-6)
    assert model.certificate_.dual == pytest.approx(-found.fun, rel=1e-6)
    alpha = model.kkt_cases(X, y).multiplier
    assert_allclose((alpha * y) @ X, model.coef_[0], atol=1e-4)
    assert abs(alpha @ y) > 1e-3  # nothing makes the multipliers of the classes balance


def test_the_optimum_is_a_saddle_point_of_the_lagrangian():
    X, y = mixed(2)
    C = 0.7
    model = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)

    def lagrangian(w, b, xi, a, m):
        return w @ w / 2 + C * xi.sum() + a @ (1 - xi - y * (X @ w + b)) - m @ xi

    w, b, xi, a = model.coef_[0], model.intercept_[0], slacks(model, X, y), multipliers(model, len(y))
    m = C - a  # the multipliers of xi >= 0
    value = lagrangian(w, b, xi, a, m)
    assert value == pytest.approx(model.certificate_.primal, rel=1e-8)
    assert_allclose(a * (1 - xi - y * (X @ w + b)), 0, atol=1e-6)  # complementary slackness, both equations
    assert_allclose(m * xi, 0, atol=1e-6)
    rng = np.random.default_rng(0)
    for size in (1e-3, 0.1, 1.0):
        for _ in range(100):
            other = (np.abs(v + size * rng.normal(size=len(y))) for v in (a, m))
            assert lagrangian(w, b, xi, *other) <= value + 1e-6
            moved = w + size * rng.normal(size=2), b + size * rng.normal(), xi + size * rng.normal(size=len(y))
            assert lagrangian(*moved, a, m) >= value - 1e-6


def test_the_primal_against_perturbations():
    X, y = mixed(2)
    model = SVC(kernel="linear", C=0.7, tol=1e-10).fit(X, y)

    def primal(w, b):
        return w @ w / 2 + 0.7 * np.maximum(0, 1 - y * (X @ w + b)).sum()

    w, b = model.coef_[0], model.intercept_[0]
    least = primal(w, b)
    assert model.certificate_.primal == pytest.approx(least, rel=1e-12)
    assert least == pytest.approx(w @ w / 2 + 0.7 * slacks(model, X, y).sum(), rel=1e-12)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 1.0):
        for _ in range(200):
            assert primal(w + size * rng.normal(size=2), b + size * rng.normal()) >= least * (1 - 1e-9)


@pytest.mark.parametrize("C", [0.5, np.inf])
def test_weights_and_intercept_from_the_multipliers(C):
    X, y = apart(3) if C == np.inf else mixed(3)
    model = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    alpha = multipliers(model, len(y))
    w = (alpha * y) @ X
    assert_allclose(model.coef_[0], w, rtol=1e-12)
    on = (alpha > 1e-8) & (alpha < C * (1 - 1e-8))
    assert on.sum() >= 2
    assert_allclose((y - X @ w)[on], model.intercept_[0], atol=1e-6)
    assert_array_equal(model.predict(X), np.where(X @ w + model.intercept_[0] >= 0, 1, -1))


@pytest.mark.parametrize("C", [0.5, np.inf])
def test_the_intercept_of_a_kernel_machine(C):
    X, y = apart(3) if C == np.inf else mixed(3)
    kernel = RBF(0.3)
    model = SVC(kernel=kernel, C=C, tol=1e-10).fit(X, y)
    alpha = multipliers(model, len(y))
    on = (alpha > 1e-8) & (alpha < C * (1 - 1e-8))
    assert on.any()
    assert_allclose((y - kernel(X) @ (alpha * y))[on], model.intercept_[0], atol=1e-6)


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_only_support_vectors_matter(C):
    X, y = apart(5, n=40) if C == np.inf else mixed(5, n=60)
    options = {"C": C, "tol": 1e-10, "kernel": RBF(0.3)}
    model = SVC(**options).fit(X, y)
    kept = model.support_
    assert len(kept) < len(y)
    few = SVC(**options).fit(X[kept], y[kept])
    grid = np.random.default_rng(0).uniform(-4, 4, size=(200, 2))
    assert_allclose(few.decision_function(grid), model.decision_function(grid), atol=1e-6)
    values = model.dual_coef_[0] @ RBF(0.3)(X[kept], grid) + model.intercept_[0]
    assert_allclose(model.decision_function(grid), values, rtol=1e-9, atol=1e-12)
    fewer = np.delete(kept, 0)
    moved = SVC(**options).fit(X[fewer], y[fewer])
    assert np.abs(moved.decision_function(grid) - model.decision_function(grid)).max() > 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_only_rows_strictly_inside_the_margin_have_slack(seed):
    X, y = mixed(seed, n=50)
    model = SVC(kernel="linear", C=1.0, tol=1e-10).fit(X, y)
    alpha, xi = multipliers(model, 50), slacks(model, X, y)
    inside = xi > 1e-7
    assert_allclose(alpha[inside], 1.0, atol=1e-9)
    assert_array_equal(xi > 1, y * model.decision_function(X) < 0)
    assert 0 < inside.sum() < len(model.support_)  # those on the boundaries support it without slack


def test_slack_is_a_distance_in_units_of_one_over_the_length_of_w():
    X, y = mixed(2)
    model = SVC(kernel="linear", C=0.7, tol=1e-10).fit(X, y)
    w, xi = model.coef_[0], slacks(model, X, y)
    some = xi > 1e-7
    foot = X[some] + (xi * y)[some, None] * w / (w @ w)
    assert_allclose(y[some] * model.decision_function(foot), 1, atol=1e-9)  # on the row's own margin boundary
    assert_allclose(np.linalg.norm(foot - X[some], axis=1), xi[some] / np.linalg.norm(w), rtol=1e-9)


def test_as_many_rows_with_slack_as_support_vectors():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([-1, 1, -1, 1])
    model = SVC(kernel="linear").fit(X, y)
    assert np.count_nonzero(slacks(model, X, y) > 1e-6) == len(model.support_) == 4


def test_the_price_of_slack():
    """C to 0: w to 0. Larger C: less slack, a narrower margin, in the end the hard one, which an outlier decides."""
    X, y = apart(0, n=20)
    X, y = np.vstack([X, [[-0.4, -0.4]]]), np.append(y, 1)  # an outlier, just on its side
    assert separability(X, y).separable
    prices = [1e-6, 1e-3, 1e-2, 0.1, 1.0, 100.0, np.inf]
    models = [SVC(kernel="linear", C=C, tol=1e-10).fit(X, y) for C in prices]
    widths = [2 / np.linalg.norm(model.coef_) for model in models]
    totals = [slacks(model, X, y).sum() for model in models]
    assert np.linalg.norm(models[0].coef_) <= 1e-6 * np.linalg.norm(X, axis=1).sum()  # w = sum alpha y x
    assert all(a >= b * (1 - 1e-6) for a, b in pairwise(widths)) and widths[3] > 2 * widths[-1]
    assert all(a >= b - 1e-6 for a, b in pairwise(totals)) and totals[3] > 0.1 and totals[-1] < 1e-6
    plain = SVC(kernel="linear", C=np.inf, tol=1e-10).fit(X[:-1], y[:-1])
    assert 2 / np.linalg.norm(plain.coef_) > 2 * widths[-1]


def test_the_mean_of_hinge_losses_is_a_c_of_one_over_n():
    X, y = mixed(4)
    n = len(y)
    model = LinearSVC(C=1 / n, loss="hinge", tol=1e-10).fit(X, y)
    w, z = model.coef_[0], y * model.decision_function(X)
    assert model.certificate_.primal == pytest.approx(w @ w / 2 + np.maximum(0, 1 - z).mean(), rel=1e-12)
    # dJ/dw = w - (1/n) sum of y x and dJ/db = -(1/n) sum of y where z < 1; rows on the boundary have any part of it
    terms = y[:, None] * np.column_stack([X, np.ones(n)])
    clear, on = z < 1 - 1e-6, np.abs(z - 1) <= 1e-6
    rest = n * np.append(w, 0.0) - terms[clear].sum(axis=0)
    parts = np.linalg.lstsq(terms[on].T, rest, rcond=None)[0]
    assert_allclose(terms[on].T @ parts, rest, atol=1e-4)
    assert ((parts >= -1e-4) & (parts <= 1 + 1e-4)).all()


# ---------------------------------------------------------------- kernels


def test_a_circle_is_a_line_in_squares():
    X, y = make_circles(60, factor=0.5, noise=0.03, random_state=0)
    assert separability(X, y).separable is False
    assert separability(X**2, y).separable is True
    lifted = np.column_stack([X, (X**2).sum(axis=1)])
    assert separability(lifted, y).separable is True
    # a circle around the origin: weights of x^2 and y^2 are alike, those of x and y small beside them
    model = LinearSVC(C=np.inf, loss="hinge", tol=1e-9).fit(np.column_stack([X, X**2]), y)
    w = np.abs(model.coef_[0])
    assert w[:2].max() < 0.1 * w[2:].min() and w[2] == pytest.approx(w[3], rel=0.15)
    assert separability(X, y, Polynomial(1.0, 0.5, 2)).separable is True


def test_an_ellipse_and_an_interval():
    X = np.random.default_rng(0).uniform(-3, 3, size=(200, 2))
    turned = (X - [0.7, -0.4]) @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    r = (turned[:, 0] / 2) ** 2 + (turned[:, 1] / 0.8) ** 2
    keep = np.abs(r - 1) > 0.15
    X, y = X[keep], (r < 1)[keep].astype(int)
    a, b = X.T
    assert separability(X**2, y).separable is False
    assert separability(np.column_stack([a**2, b**2, a * b, a, b]), y).separable is True
    assert separability(X, y, Polynomial(1.0, 1.0, 2)).separable is True
    x = np.linspace(-2, 2, 21)[:, None]
    t = (np.abs(x[:, 0]) < 1).astype(int)
    assert separability(x, t).separable is False
    assert separability(np.column_stack([x, x**2]), t).separable is True


def test_a_higher_degree_separates_what_a_lower_one_does_not():
    X = np.random.default_rng(0).normal(size=(12, 2))
    first = []
    for seed in range(10):
        y = np.random.default_rng(seed).integers(0, 2, 12)
        found = [separability(X, y, Polynomial(1.0, 1.0, d)).separable for d in (1, 2, 3, 4)]
        assert found == sorted(found) and found[-1]  # degree 4: 15 monomials for 12 rows
        first.append(found.index(True) + 1)
    assert min(first) < max(first)


def test_a_multiple_of_the_linear_kernel_scales_the_columns():
    X, y = mixed(2)
    times_four = SVC(kernel=4.0 * Linear(), tol=1e-10).fit(X, y)
    doubled = SVC(kernel="linear", tol=1e-10).fit(2 * X, y)
    assert_allclose(times_four.decision_function(X), doubled.decision_function(2 * X), atol=1e-6)


@pytest.mark.parametrize(
    "model",
    [Perceptron(max_iter=10_000), LogisticRegression(C=1e4), LinearSVC(C=100.0), AdaBoostClassifier("linear")],
    ids=lambda model: type(model).__name__,
)
def test_any_linear_method_on_expanded_columns(model):
    X, y = make_circles(60, factor=0.5, noise=0.03, random_state=0)
    image = Polynomial(1.0, 1.0, 2).feature_map(X)
    assert model.fit(image, y).score(image, y) == 1.0
    if not isinstance(model, AdaBoostClassifier):  # many planes bend without
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert model.fit(X, y).score(X, y) < 0.8


def test_the_features_of_the_quadratic_kernel():
    X = np.random.default_rng(0).normal(size=(5, 2))
    a, b = X.T
    known = np.column_stack([np.full(5, 0.5), a, b, a**2, np.sqrt(2) * a * b, b**2])
    kernel = Polynomial(1.0, 0.5, 2)
    assert_allclose(known @ known.T, (0.5 + X @ X.T) ** 2, rtol=1e-12)
    assert_allclose(kernel(X), known @ known.T, rtol=1e-12)
    found = kernel.feature_map(X)
    order = [np.argmin(np.abs(found - column[:, None]).max(axis=0)) for column in known.T]
    assert_allclose(found[:, order], known, rtol=1e-12)
    assert sorted(order) == list(range(6))


def test_the_gaussian_kernel_separates_every_labelling():
    """Its matrix has full rank: as many dimensions as distinct samples."""
    X = np.random.default_rng(1).normal(size=(6, 2))
    assert np.linalg.matrix_rank(RBF(0.5)(X)) == 6
    for rest in product([0, 1], repeat=5):
        y = np.array([0, *rest])
        if y.any():
            assert separability(X, y, RBF(0.5)).separable is True


def test_a_narrow_gaussian_has_islands():
    """sigma to 0: K to the identity, and every sample has an island of its own; sigma large: one boundary."""
    X = np.linspace(0, 1, 12)[:, None]
    y = np.where(np.arange(12) % 2, 1, -1)
    line = np.linspace(0, 1, 2001)[:, None]
    changes = []
    for sigma in (0.02, 0.15, 2.0):
        model = SVC(kernel=RBF(1 / sigma**2)).fit(X, y)
        changes.append(np.count_nonzero(np.diff(model.decision_function(line) > 0)))
    assert_allclose(RBF(1 / 0.02**2)(X), np.eye(12), atol=1e-8)
    assert changes[0] == 11 > changes[1] > changes[2] == 1


# ---------------------------------------------------------------- losses and penalties


def test_hinge_and_logistic_bound_the_zero_one_loss():
    z = np.linspace(-5, 5, 1001)
    wrong = make_loss("zero_one").value(z, 1.0)
    assert (make_loss("hinge").value(z, 1.0) >= wrong).all()
    assert (make_loss("logistic").value(z, 1.0) / np.log(2) >= wrong - 1e-15).all()
    assert not (make_loss("perceptron").value(z, 1.0) >= wrong).all()
    curvature = make_loss("logistic").curvature(z, 1.0)
    assert_allclose(curvature, np.exp(z) / (1 + np.exp(z)) ** 2, rtol=1e-12)
    assert (curvature > 0).all()
    assert_allclose(make_loss("logistic").value(z, 1.0), -np.log(expit(z)), rtol=1e-12)
    assert_allclose(curvature, expit(z) * (1 - expit(z)), rtol=1e-12)
    assert np.diff(expit(z), 2).min() < 0 < np.diff(expit(z), 2).max()  # the sigmoid itself is not convex
    some = z != 0
    assert -np.sign(z[some]).sum() == 2 * wrong[some].sum() - some.sum()  # twice the errors less the number of rows


def test_squares_share_weight_and_absolute_values_do_not_care():
    even, one = np.array([1.5, 1.5]), np.array([3.0, 0.0])
    assert make_penalty("l2").value(even) < make_penalty("l2").value(one)
    assert make_penalty("l1").value(even) == make_penalty("l1").value(one)
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    twice, t = np.column_stack([x, x]), 3 * x + 0.1 * rng.normal(size=50)
    w = Ridge(1.0).fit(twice, t).coef_
    assert w[0] == pytest.approx(w[1], rel=1e-9)  # the only minimum
    total = Lasso(0.1, tol=1e-12).fit(twice, t).coef_.sum()
    assert total == pytest.approx(Lasso(0.1, tol=1e-12).fit(x[:, None], t).coef_[0], rel=1e-6)  # however it is shared
    useless = rng.normal(size=(50, 3))
    X = np.column_stack([x, useless])
    assert np.count_nonzero(Lasso(0.5).fit(X, t).coef_) == 1
    assert np.count_nonzero(Ridge(50.0).fit(X, t).coef_) == 4


# ---------------------------------------------------------------- logistic regression and steps


def test_logistic_regression_is_maximum_likelihood_of_coins():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    t = (rng.uniform(size=200) < expit(X @ [1.0, -2.0] + 0.5)).astype(int)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, t)
    p = model.predict_proba(X)[:, 1]
    assert_allclose(p, expit(model.decision_function(X)), rtol=1e-12)
    logs = model.predict_log_proba(X)
    assert_allclose(logs[:, 1] - logs[:, 0], model.decision_function(X), rtol=1e-9)  # the log of a ratio
    assert_allclose(np.column_stack([X, np.ones(200)]).T @ (p - t), 0, atol=1e-4)  # X'(sigma(Xw) - t)
    assert p.sum() == pytest.approx(t.sum(), rel=1e-6)
    w, b = model.coef_[0], model.intercept_[0]
    foot = X[:5] - ((X[:5] @ w + b) / (w @ w))[:, None] * w
    assert_allclose(model.predict_proba(foot), 0.5, atol=1e-12)  # on the decision boundary

    def likelihood(w, b):
        q = expit(X @ w + b)
        return np.sum(np.where(t == 1, np.log(q), np.log(1 - q)))

    for _ in range(200):
        assert likelihood(w + 0.2 * rng.normal(size=2), b + 0.2 * rng.normal()) <= likelihood(w, b)


def coins(seed=0, n=60, d=3):
    """Rows with a column of ones (so that there is no intercept to treat apart), labels -1 and +1, no separation."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, d - 1)), np.ones(n)])
    return X, np.where(rng.uniform(size=n) < expit(2 * X[:, 0]), 1, -1)


def after(steps, solver, loss="logistic", **options):
    """The weights after so many iterations from zero, of 1/2 ||w||^2 + sum of losses."""
    X, y = coins()
    model = LinearClassifier(
        loss, solver=solver, fit_intercept=False, max_iter=steps, tol=1e-14, solver_options=options
    )
    with pytest.warns(UserWarning, match="budget exhausted"):
        return model.fit(X, y).coef_[0]


def slope(w):
    X, y = coins()
    return w - X.T @ (y * expit(-y * (X @ w)))


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_gradient_descent_step_by_step(steps):
    w = np.zeros(3)
    for _ in range(steps):
        w = w - 0.01 * slope(w)
    assert_allclose(after(steps, "gradient_descent", step=0.01), w, rtol=1e-9)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_newton_step_by_step(steps):
    X, y = coins()
    w = np.zeros(3)
    for _ in range(steps):
        p = expit(-y * (X @ w))
        w = w - np.linalg.solve(np.eye(3) + X.T @ ((p * (1 - p))[:, None] * X), slope(w))
    assert_allclose(after(steps, "newton"), w, rtol=1e-9)


def test_newton_is_damped_where_a_full_step_would_rise():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 2)), np.ones(60)])
    y, C, far = np.where(rng.uniform(size=60) < 0.5, 1, -1), 100.0, np.array([30.0, -30.0, 30.0])

    def value(w):
        return w @ w / 2 + C * np.logaddexp(0, -y * (X @ w)).sum()

    p = expit(-y * (X @ far))
    H = np.eye(3) + C * X.T @ ((p * (1 - p))[:, None] * X)
    assert value(far - np.linalg.solve(H, far - C * X.T @ (y * p))) > 10 * value(far)
    model = LinearClassifier("logistic", C=C, solver="newton", fit_intercept=False, warm_start=True, trace=True)
    model.fit(X, y).coef_ = far[None]
    path = model.fit(X, y).trace_["primal"]
    assert path[0] == pytest.approx(value(far))
    assert (path[1:] <= path[:-1] * (1 + 1e-12)).all() and path[-1] < path[0] / 10  # but for the rounding of 60 terms


def test_conjugate_gradients_end_at_the_minimum():
    """Fletcher and Reeves on a quadratic with exact line searches: the solution after as many steps as weights."""
    X, y = coins()
    H, c = np.eye(3) + X.T @ X, X.T @ y
    w, g = np.zeros(3), -c
    p = -g
    for _ in range(3):
        t = -(g @ p) / (p @ H @ p)  # <p, gradient at the next point> = 0
        w = w + t * p
        g, last = H @ w - c, g
        p = -g + (g @ g) / (last @ last) * p
    assert_allclose(w, np.linalg.solve(H, c), rtol=1e-9)
    model = LinearClassifier("squared", solver="conjugate_gradient", fit_intercept=False, tol=1e-12)
    assert_allclose(model.fit(X, y).coef_[0], w, rtol=1e-6)
    assert model.n_iter_ <= 8


@pytest.mark.parametrize("passes", [1, 3])
def test_stochastic_steps_of_the_hinge_loss(passes):
    """1/(2N) ||w||^2 + C max(0, 1 - z): a step of C y x where z < 1, then the proximal step of the penalty."""
    X, y = mixed(6)
    n, eta, C = len(y), 0.05, 2.0
    options = {"schedule": "constant", "eta0": eta, "order": "cyclic", "average": False}
    with pytest.warns(UserWarning, match="budget exhausted"):
        model = LinearClassifier(loss="hinge", C=C, solver="sgd", max_iter=passes, solver_options=options).fit(X, y)
    w, b = np.zeros(2), 0.0
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            inside = label * (w @ x + b) < 1
            w, b = w + eta * C * inside * label * x, b + eta * C * inside * label
            w = w / (1 + eta / n)
    assert_allclose(model.coef_[0], w, rtol=1e-9)
    assert model.intercept_[0] == pytest.approx(b, rel=1e-9)


# ---------------------------------------------------------------- neighbours and clusters


def test_one_neighbour_remembers_and_all_vote_alike():
    X, y = mixed(7, n=41)
    assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1.0
    everyone = KNeighborsClassifier(41).fit(X, y).predict(X * 3)
    assert set(everyone) == {-1}  # 21 of 41
    line = np.column_stack([np.linspace(-4, 4, 2001), np.zeros(2001)])
    changes = [np.count_nonzero(np.diff(KNeighborsClassifier(k).fit(X, y).predict(line))) for k in (1, 5, 21, 41)]
    assert changes[0] > changes[2] >= changes[3] == 0 and changes[0] >= changes[1]


def test_neighbours_err_near_the_boundary():
    rng = np.random.default_rng(0)
    X, new = rng.uniform(-1, 1, size=(2, 2000, 2))
    wrong = KNeighborsClassifier(5).fit(X, X[:, 0] > 0).predict(new) != (new[:, 0] > 0)
    assert wrong.any() and np.abs(new[wrong, 0]).max() < 0.1 < np.abs(new[~wrong, 0]).mean()


def test_centres_of_gravity_are_no_prototypes():
    """A circle inside another: both classes have the same centre; rows of the data do as prototypes."""
    X, y = make_circles(80, factor=0.4, random_state=0)
    centres = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    assert_allclose(centres, 0, atol=1e-12)
    assert KNeighborsClassifier(1).fit(centres + [[1e-6, 0], [0, 0]], [0, 1]).score(X, y) < 0.6
    model = CondensedNearestNeighbors().fit(X, y)
    assert model.score(X, y) == 1.0 and len(model.prototype_indices_) < 40


def test_lloyd_from_many_starts_finds_the_best_partition():
    X = np.random.default_rng(3).normal(size=(9, 2))

    def inertia(labels):
        return sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in set(labels))

    best = min(inertia(np.array(labels)) for labels in product(range(3), repeat=9) if len(set(labels)) == 3)
    model = KMeans(3, n_init=50, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(best, rel=1e-9)
    for k in range(3):
        assert_allclose(model.cluster_centers_[k], X[model.labels_ == k].mean(axis=0), rtol=1e-12)
    ends = [
        KMeans(3, init=X[[i, j, k]], n_init=1).fit(X).inertia_ for i, j, k in product(range(9), repeat=3) if i < j < k
    ]
    assert min(ends) == pytest.approx(best, rel=1e-9) and max(ends) > 1.01 * best  # it depends on the start
    assert all(end >= best * (1 - 1e-12) for end in ends)


def test_a_cut_is_not_normalised_for_nothing():
    """One point far out is the smallest cut, and no cluster by the normalised one."""
    sigma = 0.8
    X = np.vstack([np.random.default_rng(0).normal(size=(10, 2)) * 0.3 + c for c in ([0, 0], [2, 0])] + [[[1.0, 1.8]]])
    model = SpectralClustering(2, gamma=1 / sigma**2, assign_labels="best_ncut").fit(X)
    W = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / sigma**2)
    np.fill_diagonal(W, 0)
    assert_allclose(model.affinity_matrix_, W, rtol=1e-9, atol=1e-15)

    def cut(inside):
        return W[np.ix_(inside, ~inside)].sum()

    found, single = model.labels_ == 0, np.arange(21) == 20
    assert cut(single) < cut(found)
    volume = W.sum(axis=1)
    assert model.ncut_ == pytest.approx(cut(found) / volume[found].sum() + cut(found) / volume[~found].sum(), rel=1e-9)
    assert model.ncut_ < cut(single) / volume[single].sum() + cut(single) / volume[~single].sum()
    assert len({*model.labels_[:10]}) == len({*model.labels_[10:20]}) == 1 and model.labels_[0] != model.labels_[10]


# ---------------------------------------------------------------- trees and boosting


@pytest.mark.parametrize("counts", [(7, 0, 0), (5, 5, 5), (9, 3, 1), (1, 1, 30)])
def test_gini_and_entropy(counts):
    y = np.repeat(np.arange(3), counts)
    p = np.array(counts) / len(y)
    X = np.zeros((len(y), 1))  # nothing to split by: the root is the leaf
    gini = DecisionTreeClassifier().fit(X, y)
    assert gini.tree_.impurity[0] == pytest.approx((p * (1 - p)).sum(), abs=1e-15)
    entropy = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    bits = -sum(share * np.log2(share) for share in p if share > 0)
    assert entropy.tree_.impurity[0] == pytest.approx(bits, abs=1e-15)
    assert gini.tree_.impurity[0] <= 1 - 1 / 3 + 1e-15 and bits <= np.log2(3) + 1e-15
    assert (bits == 0) == (max(p) == 1)
    assert_allclose(gini.predict_proba(X[:1])[0], p[p > 0], rtol=1e-12)  # shares of the leaf


def test_a_tree_reads_as_its_rules():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 1.0], [4.0, 1.0], [3.5, 9.0], [5.0, 9.0]])
    model = DecisionTreeClassifier().fit(X, ["a", "a", "b", "b", "c", "c"])
    lines = export_text(model, feature_names=["u", "v"]).splitlines()

    def walk(row):
        """Follow the printed rules, without the tree."""
        depth = 0
        for line in lines:
            level, rule = line.count("|   "), line.split("|--- ")[1]
            if level == depth:
                if rule.startswith("class: "):
                    return rule.removeprefix("class: ")
                name, sign, threshold = rule.split()
                value = row["uv".index(name)]
                depth += value <= float(threshold) if sign == "<=" else value > float(threshold)
        raise AssertionError("no leaf")

    points = np.random.default_rng(0).uniform(0, 10, size=(300, 2))
    assert [walk(row) for row in points] == model.predict(points).tolist()
    assert len(set(model.predict(points))) == 3


def stump(X, y, weight):
    """The stump of least weighted error, by trying all: its error and predictions."""
    best = (np.inf, None)
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for threshold in (values[:-1] + values[1:]) / 2:
            for sign in (-1, 1):
                said = np.where(X[:, j] > threshold, sign, -sign)
                best = min(best, (weight[said != y].sum(), tuple(said)))
    return best[0], np.array(best[1])


def test_adaboost_by_hand():
    """Both ways to write the rule: e^-+alpha with half the log odds, or e^alpha on errors alone with all of it."""
    X, y = mixed(8, n=25)
    model = AdaBoostClassifier(DecisionStump(criterion="error"), n_estimators=6).fit(X, y)
    first = second = np.full(25, 1 / 25)
    votes = np.zeros(25)
    bound = 1.0
    for t in range(6):
        error, said = stump(X, y, first)
        alpha = 0.5 * np.log((1 - error) / error)
        assert model.estimator_errors_[t] == pytest.approx(error, rel=1e-9)
        assert model.estimator_weights_[t] == pytest.approx(2 * alpha, rel=1e-9)
        assert_array_equal(model.estimators_[t].predict(X), said)
        votes += alpha * said
        assert_array_equal(list(model.staged_predict(X))[t], np.sign(votes))
        first = first * np.exp(-alpha * y * said)
        second = second * np.exp(2 * alpha * (said != y))
        first, second = first / first.sum(), second / second.sum()
        assert_allclose(first, second, rtol=1e-9)
        assert first[said != y].sum() == pytest.approx(0.5)  # the last learner knows nothing of what comes next
        bound *= 2 * np.sqrt(error * (1 - error))
        assert np.mean(np.sign(votes) != y) <= bound == pytest.approx(model.certificate_.bounds[t], rel=1e-9)


def test_six_hundred_right_and_four_hundred_wrong():
    """A learner that errs on 400 of 1000 rows: its vote, the weights after it, the rounds that such learners need."""
    x, y = np.repeat([0, 0, 1, 1], [300, 200, 300, 200]), np.repeat([-1, 1, 1, -1], [300, 200, 300, 200])
    model = AdaBoostClassifier(n_estimators=1).fit(x[:, None], y)
    assert model.estimator_errors_[0] == pytest.approx(0.4)
    alpha = model.estimator_weights_[0] / 2
    assert alpha == pytest.approx(0.5 * np.log(0.6 / 0.4))
    right = model.estimators_[0].predict(x[:, None]) == y
    assert right.sum() == 600
    weight = np.exp(np.where(right, -alpha, alpha))
    assert_allclose(weight / weight.sum(), np.where(right, 1 / 1200, 1 / 800))
    # an edge of 60 % - 50 %, whatever else could be guessed with
    assert boosting_rounds(1000, 0.1) == 346 < np.log(2 * 1000) / (2 * 0.1**2)  # ln(2n) would ask for 381
    assert boosting_rounds(1000, 0.05) == 1382


def test_boosting_turns_to_the_mislabelled_row():
    X = np.linspace(0, 1, 41)[:, None]
    y = np.where(X[:, 0] > 0.5, 1, -1)
    y[5] = 1  # an outlier
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(1 / 41)
    first = model.estimators_[0].predict(X)
    after = np.exp(-model.estimator_weights_[0] / 2 * y * first)
    assert (after / after.sum())[5] == pytest.approx(0.5)  # as much as all other rows together
    # and it has its way: all other rows pay with their margins for one that is wrong
    assert model.score(X, y) == 1.0
    clean = AdaBoostClassifier(n_estimators=20).fit(X, np.where(X[:, 0] > 0.5, 1, -1))
    assert (clean.certificate_.margins == 1).all() and model.certificate_.margins.max() < 0.7
