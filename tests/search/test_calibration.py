import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from maxmargin.estimators import class_pairs, pair_vote
from maxmargin.search import Sigmoid
from maxmargin.search._calibration import fit_calibration
from maxmargin.search._coupling import couple
from maxmargin.search._platt import fit_sigmoid, loss_and_derivatives, smoothed_targets

METHODS = ("sigmoid", "isotonic")


def noisy(n=400, slope=2.0, offset=0.3, seed=0):
    """Decision values whose log odds are a line, and labels drawn from them."""
    rng = np.random.default_rng(seed)
    f = rng.normal(size=n)
    return f, (rng.random(n) < expit(slope * f + offset)).astype(int)


def slopes_of(sigmoid):
    return sigmoid.slope / sigmoid.unit


# the sigmoid


def test_derivatives_are_those_of_finite_differences():
    rng = np.random.default_rng(0)
    A, target, weight = rng.normal(size=(40, 3)), rng.uniform(0.05, 0.95, 40), rng.uniform(0, 2, 40)
    theta, h = rng.normal(size=3), 1e-6
    _, gradient, hessian = loss_and_derivatives(theta, A, target, weight)
    for k, step in enumerate(h * np.eye(3)):
        up, down = (loss_and_derivatives(theta + s, A, target, weight) for s in (step, -step))
        assert (up[0] - down[0]) / (2 * h) == pytest.approx(gradient[k], rel=1e-7, abs=1e-7)
        np.testing.assert_allclose((up[1] - down[1]) / (2 * h), hessian[k], rtol=1e-6, atol=1e-7)


def test_loss_neither_overflows_nor_cancels():
    A, target, weight = np.array([[1e4, 0.0], [-1e4, 0.0]]), np.array([1.0, 0.0]), np.ones(2)
    loss, gradient, hessian = loss_and_derivatives(np.array([1.0, 0.0]), A, target, weight)
    assert loss == 0 and not gradient.any() and not hessian.any()
    loss, gradient, _ = loss_and_derivatives(np.array([-1.0, 0.0]), A, target, weight)
    assert loss == 2e4 and np.isfinite(gradient).all()


def test_one_slope_is_platts_minimum():
    f, y = noisy()
    sigmoid = fit_sigmoid(f, y == 1, np.ones(len(y)))
    slopes = slopes_of(sigmoid)
    assert np.ptp(slopes) < 1e-12 * slopes[0]  # the log odds are a line: no bend pays
    low, high = smoothed_targets(float((y == 0).sum()), float((y == 1).sum()))
    t = np.where(y == 1, high, low)

    def loss(ab):
        return float((np.logaddexp(0, ab[0] * f + ab[1]) - t * (ab[0] * f + ab[1])).sum())

    best = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-7}).x
    np.testing.assert_allclose([slopes[0], sigmoid.offset], best, rtol=1e-4)


def test_smoothed_targets_are_the_answer_where_values_say_nothing():
    positive = np.array([True] * 3 + [False] * 7)
    sigmoid = fit_sigmoid(np.full(10, 0.7), positive, np.ones(10))
    mean = (3 * 4 / 5 + 7 / 9) / 10
    np.testing.assert_allclose(sigmoid.probability(np.array([0.7])), mean, rtol=1e-6)


def test_separated_values_have_a_finite_slope():
    f = np.concatenate([np.full(20, -1.0), np.full(20, 1.0)])
    sigmoid = fit_sigmoid(f, f > 0, np.ones(40))
    np.testing.assert_allclose(sigmoid.probability(np.array([-1.0, 1.0])), smoothed_targets(20, 20), rtol=1e-8)


def test_bends_where_the_log_odds_do():
    rng = np.random.default_rng(1)
    f = rng.uniform(-3, 3, 5000)
    odds = np.where(f > 0, 3 * f, 0.5 * f)
    sigmoid = fit_sigmoid(f, rng.random(5000) < expit(odds), np.ones(5000))
    np.testing.assert_allclose(slopes_of(sigmoid), [0.5, 0.5, 3, 3], rtol=0.25)
    clipped = np.clip(f, -1, 1) * 4
    sigmoid = fit_sigmoid(f, rng.random(5000) < expit(clipped), np.ones(5000))
    np.testing.assert_allclose(slopes_of(sigmoid), [0, 4, 4, 0], atol=0.7)


def test_values_that_contradict_the_labels_leave_the_share_of_the_class():
    f, y = noisy(slope=-2.0)
    sigmoid = fit_sigmoid(f, y == 1, np.ones(len(y)))
    assert not sigmoid.slope.any()
    assert expit(sigmoid.offset) == pytest.approx(y.mean(), abs=0.01)


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1e8, 1e300])
def test_scale_of_the_values_does_not_matter(scale):
    f, y = noisy()
    f = np.clip(f, -0.99, 0.99)  # no bends at the margin boundaries of one scale that the other does not have
    one, other = (fit_calibration(v, y, 2).probabilities(v) for v in (f, scale * f))
    np.testing.assert_allclose(one, other, atol=2e-3 if scale > 1 else 1e-9)


# both methods, two classes


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_repeated_rows(method):
    f, y = noisy(150)
    weight = np.random.default_rng(2).integers(0, 4, 150)
    grid = np.linspace(-4, 4, 101)
    weighted = fit_calibration(f, y, 2, method, weight).probabilities(grid)
    repeated = fit_calibration(np.repeat(f, weight), np.repeat(y, weight), 2, method).probabilities(grid)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_rise_with_the_value_and_sum_to_one(method):
    f, y = noisy()
    grid = np.linspace(-6, 6, 2001)
    p = fit_calibration(f, y, 2, method).probabilities(grid)
    assert (np.diff(p[:, 1]) >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-15)
    assert ((p > 0) & (p < 1)).all()


def test_isotonic_is_scikit_learns_within_the_smoothed_targets():
    f, y = noisy()
    p = fit_calibration(f, y, 2, "isotonic").probabilities(f)[:, 1]
    low, high = smoothed_targets(float((y == 0).sum()), float((y == 1).sum()))
    expected = np.clip(IsotonicRegression().fit(f, y).predict(f), low, high)
    same_side = (expected > 0.5) == (f > 0)
    np.testing.assert_allclose(p[same_side], expected[same_side], atol=3e-6)
    np.testing.assert_allclose(p[~same_side], 0.5, atol=3e-6)
    assert p.min() == pytest.approx(low) and p.max() == pytest.approx(high)


hostile = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-300, 1.0, -1.0, 1e308, -1e308]),
    st.floats(-2, 2),
)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(hostile, st.integers(0, 1), st.sampled_from([0.0, 1e-12, 1.0, 3.0, 1e6])), max_size=40),
    new=st.lists(st.one_of(hostile, st.sampled_from([np.inf, -np.inf])), min_size=1, max_size=40),
    method=st.sampled_from(METHODS),
)
def test_two_classes_always_agree_with_the_sign(rows, new, method):
    f, y, weight = np.array(rows, dtype=float).reshape(-1, 3).T
    calibration = fit_calibration(f, y.astype(int), 2, method, weight)
    new = np.concatenate([new, f, [0.0, -0.0, 5e-324, -5e-324]])
    p = calibration.probabilities(new)
    for q in (p, p.astype(np.float32)):
        np.testing.assert_array_equal(np.argmax(q, axis=1), new > 0)
        np.testing.assert_array_equal(q[:, 1] > 0.5, new > 0)
    assert np.isfinite(p).all() and (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("offset", [-3.0, 3.0])
def test_agreement_moves_only_the_rows_that_disagree(method, offset):
    f, y = noisy(2000, offset=offset)
    calibration = fit_calibration(f, y, 2, method)
    plain = calibration.maps[0].probability(f)
    p = calibration.probabilities(f)[:, 1]
    agrees = (plain > 0.5) == (f > 0)
    assert 0.2 < agrees.mean() < 0.9
    np.testing.assert_allclose(p[agrees], plain[agrees], atol=3e-6)
    np.testing.assert_allclose(p[~agrees], 0.5, atol=3e-6)


def test_order_survives_the_agreement():
    f, y = noisy(2000, offset=-3.0)
    p = fit_calibration(f, y, 2).probabilities(f)[:, 1]
    assert roc_auc_score(y, p) == roc_auc_score(y, f)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("only", [0, 1])
def test_class_that_is_missing_out_of_fold(method, only):
    f = np.linspace(-2, 2, 30)
    p = fit_calibration(f, np.full(30, only), 2, method).probabilities(f)
    np.testing.assert_array_equal(np.argmax(p, axis=1), f > 0)
    right_side = (f > 0) == (only == 1)
    np.testing.assert_allclose(p[right_side, only], 31 / 32, rtol=1e-6)
    np.testing.assert_allclose(p[~right_side, only], 0.5, atol=3e-6)


# many classes


def test_coupling_finds_probabilities_that_the_pairs_came_from():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), 200)
    r = np.column_stack([p[:, a] / (p[:, a] + p[:, b]) for a, b in class_pairs(5)])
    np.testing.assert_allclose(couple(r, 5), p, atol=1e-6)


def test_coupling_minimises_its_objective():
    rng = np.random.default_rng(1)
    r = rng.uniform(0.05, 0.95, (1, 6))
    p = couple(r, 4)[0]

    def objective(p):
        return sum(((1 - x) * p[a] - x * p[b]) ** 2 for (a, b), x in zip(class_pairs(4), r[0], strict=True))

    assert p.sum() == pytest.approx(1) and (p >= 0).all()
    others = rng.dirichlet(100 * p + 1e-3, 500)
    assert min(objective(q) for q in others) >= objective(p)


def test_coupling_of_many_rows_is_done_in_blocks(monkeypatch):
    r = np.random.default_rng(2).uniform(size=(37, 3))
    whole = couple(r, 3)
    monkeypatch.setattr("maxmargin.search._coupling._BLOCK_VALUES", 80)
    np.testing.assert_allclose(couple(r, 3), whole, rtol=1e-12)


def test_vote_is_that_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = SVC(decision_function_shape="ovo", gamma=0.01, C=0.1).fit(X, y)
    np.testing.assert_array_equal(pair_vote(model.decision_function(X), 3), model.predict(X))


@settings(max_examples=100, deadline=None)
@given(data=st.data(), classes=st.integers(3, 5), scheme=st.sampled_from(["pairs", "rest"]))
def test_many_classes_always_agree_with_the_prediction(data, classes, scheme):
    columns = classes if scheme == "rest" else len(class_pairs(classes))
    n = data.draw(st.integers(0, 20))
    f = np.array(data.draw(st.lists(hostile, min_size=n * columns, max_size=n * columns))).reshape(n, columns)
    y = data.draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))
    calibration = fit_calibration(f, y, classes, data.draw(st.sampled_from(METHODS)), scheme=scheme)
    new = np.concatenate([f, np.zeros((1, columns)), np.full((1, columns), 1e308)])
    p = calibration.probabilities(new)
    winner = pair_vote(new, classes) if scheme == "pairs" else np.argmax(new, axis=1)
    np.testing.assert_array_equal(np.argmax(p, axis=1), winner)
    np.testing.assert_array_equal(np.argmax(p.astype(np.float32), axis=1), winner)
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    other = np.arange(len(new)) % classes  # another rule than the default one
    np.testing.assert_array_equal(np.argmax(calibration.probabilities(new, other), axis=1), other)


def test_agreement_of_many_classes_takes_the_nearest_distribution():
    from maxmargin.search._calibration import _raised

    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.45, 0.15, 0.4], [0.4, 0.4, 0.2]])
    expected = [[0.5, 0.3, 0.2], [0.35, 0.35, 0.3], [1 / 3, 1 / 3, 1 / 3], [0.4, 0.4, 0.2]]
    winner = np.array([0, 0, 1, 1])
    out = _raised(p, winner)
    np.testing.assert_allclose(out, expected, atol=5e-6)
    np.testing.assert_array_equal(np.argmax(out, axis=1), winner)
    np.testing.assert_array_equal(out[0], p[0])


def test_many_classes_with_weights_and_a_missing_class():
    X, y = load_iris(return_X_y=True)
    f = SVC(decision_function_shape="ovo").fit(X, y).decision_function(X)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = fit_calibration(f, y, 3, sample_weight=weight, scheme="pairs").probabilities(f)
    repeated = fit_calibration(np.repeat(f, weight, axis=0), np.repeat(y, weight), 3, scheme="pairs").probabilities(f)
    np.testing.assert_allclose(weighted, repeated, atol=1e-8)
    for method in METHODS:
        p = fit_calibration(f[y > 0], y[y > 0], 3, method, scheme="pairs").probabilities(f)
        np.testing.assert_array_equal(np.argmax(p, axis=1), pair_vote(f, 3))


# the object


@pytest.mark.parametrize("method", METHODS)
def test_calibration_survives_pickle(method):
    f, y = noisy()
    calibration = fit_calibration(f, y, 2, method)
    again = pickle.loads(pickle.dumps(calibration))
    np.testing.assert_array_equal(again.probabilities(f), calibration.probabilities(f))
    with pytest.raises(AttributeError):
        calibration.classes = 3


def test_one_column_is_as_good_as_a_vector():
    f, y = noisy()
    calibration = fit_calibration(f[:, None], y, 2)
    assert isinstance(calibration.maps[0], Sigmoid)
    np.testing.assert_array_equal(calibration.probabilities(f), calibration.probabilities(f[:, None]))


def test_what_cannot_be_calibrated_is_refused():
    f, y = noisy(20)
    wide = np.column_stack([f, f, f])
    with pytest.raises(ValueError, match="'sigmoid' or 'isotonic'; got 'beta'"):
        fit_calibration(f, y, 2, "beta")
    with pytest.raises(ValueError, match=r"2 classes by the scheme 'binary' have 1 decision value.*\(20, 3\)"):
        fit_calibration(wide, y, 2)
    with pytest.raises(ValueError, match="4 classes by the scheme 'pairs' have 6 decision value"):
        fit_calibration(wide, y, 4)
    with pytest.raises(ValueError, match="by either scheme: say 'pairs' or 'rest'"):
        fit_calibration(wide, y, 3)
    with pytest.raises(ValueError, match="scheme is 'pairs' or 'rest'; got 'tree'"):
        fit_calibration(wide, y, 3, scheme="tree")
    with pytest.raises(ValueError, match="two classes or more; got 1"):
        fit_calibration(f[:, None], 0 * y, 1)
    with pytest.raises(ValueError, match="20 rows of decision values, 19 labels"):
        fit_calibration(f, y[1:], 2)
    with pytest.raises(ValueError, match="from 0 to 1; got 1 to 2"):
        fit_calibration(f[:2], [1, 2], 2)
    with pytest.raises(ValueError, match="not finite"):
        fit_calibration(np.where(f > 0, np.nan, f), y, 2)
    with pytest.raises(ValueError, match="finite and not negative"):
        fit_calibration(f, y, 2, sample_weight=-np.ones(20))


# against scikit-learn, on held-out rows


def brier(p, y):
    return float(((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1).mean())


def duel(X, y, model, method, scheme=None, splits=4, **values_of):
    """Mean scores of ours and of CalibratedClassifierCV over random halves: the same machine, folds and rows."""
    ours, theirs = [], []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = np.array_split(order, 2)
        scaler = StandardScaler().fit(X[train])
        A, B, cv = scaler.transform(X[train]), scaler.transform(X[test]), StratifiedKFold(5)
        peer = CalibratedClassifierCV(model, method=method, cv=cv, ensemble=False).fit(A, y[train])
        machine = model.__class__(**{**model.get_params(), **values_of})
        out_of_fold = cross_val_predict(machine, A, y[train], cv=cv, method="decision_function")
        machine.fit(A, y[train])
        calibration = fit_calibration(out_of_fold, y[train], int(y.max()) + 1, method, scheme=scheme)
        p = calibration.probabilities(machine.decision_function(B))
        np.testing.assert_array_equal(machine.predict(B), np.argmax(p, axis=1))
        q = peer.predict_proba(B)
        ours.append((brier(p, y[test]), log_loss(y[test], p)))
        theirs.append((brier(q, y[test]), log_loss(y[test], q)))
    return np.mean(ours, axis=0), np.mean(theirs, axis=0)


def imbalanced():
    return make_classification(3000, 12, n_informative=6, weights=[0.9], class_sep=0.8, random_state=0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("load", [lambda: load_breast_cancer(return_X_y=True), imbalanced])
def test_two_classes_are_not_worse_than_scikit_learns(load, method):
    X, y = load()
    ours, theirs = duel(X, y, SVC(C=10, gamma=0.05), method)
    # one per cent for the rows where the probability gives way to the prediction
    assert (ours <= 1.01 * theirs).all()


@pytest.mark.parametrize("load", [load_digits, load_iris])
def test_pairs_are_better_than_one_sigmoid_a_class(load):
    X, y = load(return_X_y=True)
    ours, theirs = duel(X, y, SVC(C=10, gamma=0.02), "sigmoid", "pairs", 2, decision_function_shape="ovo")
    assert (ours <= 0.95 * theirs).all()


def test_rest_is_not_worse_than_scikit_learns():
    X, y = load_digits(return_X_y=True)
    ours, theirs = duel(X, y, LinearSVC(C=0.1, max_iter=5000), "sigmoid", "rest", 2)
    assert (ours <= 1.01 * theirs).all()
