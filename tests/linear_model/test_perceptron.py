"""The perceptron: its steps, its variants, and the bound on its mistakes."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import ConvergenceWarning

from maxmargin.bounds import mistake_bound as mistake_bound_by_hand, mistake_bound_of
from maxmargin.certificates import Status
from maxmargin.data import Rows
from maxmargin.linear_model import Perceptron
from maxmargin.losses import make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import StochasticGradient
from maxmargin.solvers.linear.perceptron import mistake_bound


def separable(seed, n=40, d=3, gap=0.2, offset=0.0):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(4 * n, d)), rng.normal(size=d)
    f = X @ w / np.linalg.norm(w) + 0.3
    X, f = X[np.abs(f) > gap][:n], f[np.abs(f) > gap][:n]
    return X + offset, np.where(f > 0, 1, -1)


def overlapping(seed=0, n=400, d=5):
    rng = np.random.default_rng(seed)
    y = np.where(rng.uniform(size=n) < 0.5, 1, -1)
    return rng.normal(size=(n, d)) + 0.5 * y[:, None], y


def by_hand(X, y, epochs, intercept=True, eta=1.0, variant="plain"):
    """The rule in five lines; weights after each sample."""
    X = np.column_stack([X, np.full(len(X), float(intercept))])
    w, path = np.zeros(X.shape[1]), []
    for _ in range(epochs):
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 0:
                w = w + eta * label * x
                if variant == "normalised":
                    w = w / np.linalg.norm(w)
            path.append(w)
    return np.array(path)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("variant", ["plain", "normalised", "averaged"])
@pytest.mark.parametrize("storage", ["float64", "float32", "csr"])
def test_equals_a_plain_loop(variant, intercept, storage):
    X, y = overlapping(n=60)
    X = X.astype(np.float32).astype(np.float64)
    given_X = {"float64": X, "float32": X.astype(np.float32), "csr": sp.csr_array(X)}[storage]
    for epochs in (1, 2, 5):
        model = Perceptron(
            max_iter=epochs, tol=None, shuffle=False, eta0=0.5, fit_intercept=intercept, variant=variant
        ).fit(given_X, y)
        path = by_hand(X, y, epochs, intercept, 0.5, variant)
        w = path.mean(axis=0) if variant == "averaged" else path[-1]
        np.testing.assert_allclose(model.coef_[0], w[:-1], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.intercept_[0], w[-1], rtol=1e-9, atol=1e-12)
        assert model.n_iter_ == epochs


def test_every_step_of_the_plain_rule():
    X, y = overlapping(n=50)
    path = by_hand(X, y, 1)
    model = Perceptron(shuffle=False)
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
        np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), path[i], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("epochs", [1, 3, 10])
@pytest.mark.parametrize("data", ["iris", "wine"])
def test_weights_are_those_of_scikit_learn(load, data, epochs):
    X, y = load(data)
    options = {"shuffle": False, "tol": None, "max_iter": epochs, "eta0": 0.3}
    ours, theirs = Perceptron(**options).fit(X, y), sklearn.linear_model.Perceptron(**options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.t_ == theirs.t_


def test_class_weights_are_those_of_scikit_learn(load):
    X, y = load("wine")
    for X_, y_ in ((X, y), (X[y < 2], y[y < 2])):
        for weights in ({0: 2.0, 1: 0.5}, "balanced"):
            if isinstance(weights, dict) and len(set(y_)) == 3:
                weights = {**weights, 2: 3.0}
            options = {"shuffle": False, "tol": None, "max_iter": 4, "class_weight": weights}
            ours, theirs = Perceptron(**options).fit(X_, y_), sklearn.linear_model.Perceptron(**options).fit(X_, y_)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
def test_it_is_sgd_of_the_perceptron_loss(intercept):
    X, y = overlapping(n=50)
    sign = y.astype(np.float64)
    problem = Risk(
        Rows(X), sign, np.ones(len(y)), make_loss("perceptron"), make_penalty("none"), fit_intercept=intercept
    )
    for epochs in (1, 2, 4):
        sgd = StochasticGradient.solve(
            problem,
            problem.start(),
            0.0,
            epochs,
            batch_size=1,
            schedule="constant",
            eta0=1.0,
            average=False,
            order="cyclic",
        )
        ours = Perceptron(shuffle=False, tol=None, max_iter=epochs, fit_intercept=intercept).fit(X, y)
        np.testing.assert_allclose(np.append(ours.coef_[0], ours.intercept_), sgd.variables, rtol=1e-10, atol=1e-10)


# ---------------------------------------------------------------- the bound


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 6),
    intercept=st.booleans(),
    centred=st.booleans(),
    sparse=st.booleans(),
    eta=st.floats(0.01, 100),
    weights=st.sampled_from([None, "balanced", {-1: 0.5, 1: 3.0}]),
)
def test_mistakes_are_within_the_bound(seed, d, intercept, centred, sparse, eta, weights):
    X, y = separable(seed, n=30, d=d)
    if len(set(y)) < 2:
        return
    model = Perceptron(fit_intercept=intercept, centred=centred, eta0=eta, class_weight=weights, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # without an intercept they need not be separable
        model.fit(sp.csr_array(X) if sparse else X, y)
    certificate = model.certificate_
    figures = certificate.figures
    if certificate.status is Status.CONVERGED:
        assert certificate.holds
        assert model.score(X, y) == 1.0
        assert figures["mistakes"] == model.n_mistakes_[0] <= figures["bound"] * (1 + 1e-9)
        assert figures["margin found"] <= figures["largest margin at most"] * (1 + 1e-9)
        assert figures["margin found"] <= figures["margin"]
        assert figures["bound"] == pytest.approx((figures["radius"] / figures["margin"]) ** 2)
        found = certificate.verify(sp.csr_array(X) if sparse else X, y)
        assert found.status is Status.CONVERGED
        assert found.figures["bound"] == pytest.approx(figures["bound"])
    else:
        assert not certificate.holds
        assert not np.isfinite(figures["bound"])


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), share=st.floats(0.05, 0.95))
def test_normalised_mistakes_are_within_their_bound(seed, share):
    X, y = separable(seed, n=25, d=2, gap=0.4)
    plain = Perceptron(max_iter=10_000).fit(X, y).certificate_.figures
    limit = 2 * plain["margin"] / (plain["radius"] ** 2 - plain["margin"] ** 2)
    model = Perceptron(variant="normalised", eta0=share * limit, max_iter=100_000).fit(X, y)
    assert model.certificate_.holds
    assert model.n_mistakes_[0] <= model.certificate_.figures["bound"]
    assert np.hypot(np.linalg.norm(model.coef_), model.intercept_[0]) == pytest.approx(1.0)


def test_normalised_with_long_steps_claims_nothing():
    X, y = separable(3, n=10, d=2, gap=0.5)
    model = Perceptron(variant="normalised", eta0=1.0, tol=None, max_iter=50).fit(X, y)
    assert not model.certificate_.holds
    assert "no bound" in model.certificate_.statement or "eta0 <" in model.certificate_.statement


def test_the_margin_is_that_of_a_plane_through_the_origin():
    # two points: a machine with a free intercept has a margin of 1, but over (x, 1) the best is less than a tenth
    model = Perceptron(max_iter=20_000).fit([[10.0], [12.0]], [0, 1])
    z = np.array([[-10.0, -1.0], [12.0, 1.0]])
    angles = np.linspace(0, 2 * np.pi, 200_001)
    best = (z @ np.array([np.cos(angles), np.sin(angles)])).min(axis=0).max()
    assert best < 0.1
    assert model.certificate_.figures["margin"] == pytest.approx(best, rel=1e-3)
    assert model.certificate_.holds


def test_bound_from_another_start():
    X, y = separable(5)
    begin = np.array([[-30.0, 20.0, -10.0]])
    model = Perceptron(eta0=0.5, max_iter=10_000).fit(X, y, coef_init=begin, intercept_init=[7.0])
    figures = model.certificate_.figures
    length = np.sqrt((begin**2).sum() + 49)
    bound = (figures["radius"] / figures["margin"]) ** 2 + 2 * length / (0.5 * figures["margin"])
    assert figures["bound"] == pytest.approx(bound)
    assert model.certificate_.holds


def test_bound_function():
    assert mistake_bound("plain", 2.0, 0.5) == 16.0
    assert mistake_bound("plain", 2.0, 0.5, eta=0.1, start=1.0) == pytest.approx(56.0)
    assert mistake_bound("plain", 2.0, 0.0) == np.inf
    assert mistake_bound("normalised", 2.0, 0.5, eta=10.0) == np.inf
    assert 16 <= mistake_bound("normalised", 2.0, 0.5, eta=0.01) < 1000


def test_figures_are_those_of_the_theorem():
    X, y = separable(4)
    model = Perceptron().fit(X, y)
    theorem = mistake_bound_of(X, y, model.coef_[0], model.intercept_[0])
    assert model.certificate_.figures["radius"] == pytest.approx(theorem.radius, rel=1e-12)
    assert model.certificate_.figures["margin found"] == pytest.approx(theorem.margin, rel=1e-12)
    assert model.certificate_.figures["bound"] <= theorem.mistakes


def test_large_data_states_the_margin_found():
    X, y = separable(0, n=2500, d=4, gap=0.5)
    model = Perceptron().fit(X, y)
    assert "separator found" in model.certificate_.statement
    assert "largest margin at most" not in model.certificate_.figures
    assert model.certificate_.holds


def test_no_bound_on_overlapping_classes():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match="budget exhausted.*no bound"):
        model = Perceptron(max_iter=20).fit(X, y)
    assert model.certificate_.status is Status.BUDGET_EXHAUSTED
    assert not model.certificate_.holds
    assert "no bound" in model.certificate_.statement
    assert model.certificate_.verify(X, y).status is Status.BUDGET_EXHAUSTED


def test_a_false_claim_is_refuted():
    X, y = separable(1)
    for variant in ("plain", "averaged"):
        model = Perceptron(variant=variant).fit(X, y)
        assert model.certificate_.verify(X, y).holds
        model.coef_ *= -1
        assert model.certificate_.verify(X, y).status is Status.REFUTED
    model = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match="expected 40 rows"):
        model.certificate_.verify(X[1:], y[1:])
    with pytest.raises(ValueError, match="sample_weight must be None"):
        model.certificate_.verify(X, y, np.ones(40))


# ---------------------------------------------------------------- variants


def test_centring_saves_mistakes_on_shifted_data():
    saved = []
    for seed in range(5):
        X, y = separable(seed, gap=0.3, offset=10.0)
        plain = Perceptron(max_iter=100_000, random_state=seed).fit(X, y)
        centred = Perceptron(max_iter=100_000, centred=True, random_state=seed).fit(X, y)
        assert centred.score(X, y) == 1.0
        saved.append(plain.n_mistakes_[0] / centred.n_mistakes_[0])
    assert min(saved) > 2


def test_centring_sparse_rows_is_the_same_and_leaves_them_sparse():
    X, y = overlapping()
    options = {"centred": True, "tol": None, "max_iter": 5}
    for intercept in (True, False):
        for variant in ("plain", "normalised", "averaged"):
            options |= {"fit_intercept": intercept, "variant": variant}
            dense, sparse = Perceptron(**options).fit(X, y), Perceptron(**options).fit(sp.csr_array(X), y)
            moved = Perceptron(**{**options, "centred": False}).fit(X - X.mean(axis=0), y)
            np.testing.assert_allclose(dense.coef_, moved.coef_, rtol=1e-7, atol=1e-9)
            np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7, atol=1e-9)
            np.testing.assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-7, atol=1e-9)


def test_centred_without_intercept_passes_through_the_mean():
    X, y = overlapping()
    model = Perceptron(centred=True, fit_intercept=False, tol=None, max_iter=3).fit(X, y)
    assert model.decision_function(X.mean(axis=0, keepdims=True))[0] == pytest.approx(0.0, abs=1e-10)


def test_the_mean_beats_the_last_iterate_on_noisy_data():
    wins = 0
    for seed in range(10):
        X, y = overlapping(seed)
        test_X, test_y = overlapping(seed + 100, n=2000)
        options = {"tol": None, "max_iter": 5, "random_state": seed}
        plain, averaged = Perceptron(**options).fit(X, y), Perceptron(variant="averaged", **options).fit(X, y)
        assert averaged.score(test_X, test_y) > plain.score(test_X, test_y) - 0.01
        wins += averaged.score(test_X, test_y) > plain.score(test_X, test_y)
    assert wins >= 8


def test_step_length_changes_nothing_but_the_scale():
    X, y = overlapping()
    one, tenth = (Perceptron(tol=None, max_iter=3, eta0=eta).fit(X, y) for eta in (1.0, 0.125))
    np.testing.assert_allclose(0.125 * one.coef_, tenth.coef_, rtol=1e-12)


def test_tolerance_is_a_share_of_mistakes():
    X, y = overlapping()
    model = Perceptron(tol=0.5).fit(X, y)
    assert model.n_iter_ == 1
    assert model.certificate_.status is Status.CONVERGED
    assert not model.certificate_.holds


# ---------------------------------------------------------------- the estimator


def test_more_classes_have_a_guarantee_each(load):
    X, y = load("wine")
    model = Perceptron().fit(X, y)
    assert len(model.certificate_.problems) == 3
    assert model.certificate_.holds
    assert model.certificate_.verify(X, y).holds
    assert model.certificate_.iterations == sum(p.iterations for p in model.certificate_.problems)
    one = Perceptron(n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(one.coef_, model.coef_)


def test_warm_start_goes_on():
    X, y = overlapping(n=80)
    options = {"shuffle": False, "tol": None}
    for variant in ("plain", "averaged"):
        whole = Perceptron(max_iter=5, variant=variant, **options).fit(X, y)
        model = Perceptron(max_iter=2, variant=variant, warm_start=True, **options).fit(X, y)
        model.set_params(max_iter=3).fit(X, y)
        if variant == "plain":
            np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-12)
        # what both have come to shows in the next epoch, also where predictions are made with a mean
        for one in (model, whole):
            one.set_params(warm_start=True, max_iter=1).fit(X, y)
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="warm_start=True needs the features"):
        model.fit(X[:, :2], y)


def test_partial_fit_is_fit_in_parts_and_can_be_verified():
    X, y = separable(2)
    for variant in ("plain", "averaged", "normalised"):
        options = {"shuffle": False, "variant": variant}
        whole = Perceptron(max_iter=3, tol=None, **options).fit(X, y)
        model = Perceptron(**options)
        for _ in range(3):
            for part in (slice(0, 15), slice(15, 40)):
                model.partial_fit(X[part], y[part], classes=[-1, 1])
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
        assert model.n_mistakes_[0] == whole.n_mistakes_[0]
    model = Perceptron()
    while not (hasattr(model, "coef_") and (model.predict(X) == y).all()):
        model.partial_fit(X, y, classes=[-1, 1])
    assert not np.isfinite(model.certificate_.figures["bound"])
    proof = model.certificate_.verify(X, y)
    assert proof.holds
    assert proof.figures["mistakes"] == model.n_mistakes_[0] <= proof.figures["bound"]


def test_order_is_random_and_repeatable():
    X, y = overlapping()
    options = {"tol": None, "max_iter": 2}
    a, b, c = (Perceptron(random_state=seed, **options).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(a.coef_, b.coef_)
    assert (a.coef_ != c.coef_).any()


def test_pickle_keeps_the_proof():
    X, y = separable(0)
    model = pickle.loads(pickle.dumps(Perceptron().fit(X, y)))
    assert model.certificate_.verify(X, y).holds


def test_ctrl_c_keeps_the_weights(monkeypatch):
    from maxmargin.solvers.linear import perceptron

    X, y = overlapping()
    real, calls = perceptron._walk, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(perceptron, "_walk", interrupted)
    model = Perceptron(shuffle=False)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    np.testing.assert_allclose(model.coef_[0], by_hand(X, y, 2)[-1][:-1], rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penalty": "l2"}, "penalty must be None.*'l2'.*LinearClassifier"),
        ({"variant": "kernel"}, "variant"),
        ({"eta0": 0.0}, "eta0"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"n_jobs": 0, "class_weight": None}, "n_jobs"),
    ],
)
def test_bad_parameters_are_named(change, message):
    X, _ = separable(0)
    with pytest.raises(ValueError, match=message):
        Perceptron(**change).fit(np.repeat(X, 300, axis=0), np.arange(12_000) % 3)


@pytest.mark.parametrize("change", [{}, {"variant": "averaged"}, {"variant": "averaged", "fit_intercept": False}])
@pytest.mark.parametrize("size", [1e-160, 1e-155, 1e150])
def test_features_of_any_unit_have_a_bound_or_an_infinite_one(change, size):
    X = np.random.default_rng(0).normal(size=(12, 3))
    y = X[:, 0] > 0
    model = Perceptron(**change).fit(X * size, y)
    assert model.certificate_.verify(X * size, y).status is model.certificate_.status is Status.CONVERGED
    assert np.isfinite(model.decision_function(X * size)).all()
    bound = model.certificate_.figures["bound"]
    assert model.certificate_.holds == np.isfinite(bound)
    if not np.isfinite(bound):
        assert "more than float64 holds" in model.certificate_.statement


@pytest.mark.parametrize("variant", ["plain", "averaged", "normalised"])
@pytest.mark.parametrize("size", [1e155, 1e300])
def test_rows_whose_squares_overflow_are_refused_by_name(variant, size):
    X, y = separable(0)
    with pytest.raises(ValueError, match="X has values so large that the squared length of a row overflows"):
        Perceptron(variant=variant).fit(X * size, y)


@pytest.mark.parametrize("variant", ["plain", "normalised"])
def test_steps_of_any_length_are_confirmed(variant):
    X, y = separable(0)
    model = Perceptron(variant=variant, eta0=1e-200).fit(X, y)
    assert model.certificate_.verify(X, y).status is model.certificate_.status is Status.CONVERGED
    assert model.certificate_.figures["margin"] > 0.1
    assert "only for eta0" not in model.certificate_.statement


def test_bounds_that_overflow_are_infinite():
    assert mistake_bound("plain", 1.0, 1e-200) == mistake_bound("normalised", 1e200, 1e200, 1e200) == np.inf
    assert mistake_bound("normalised", 1.0, 0.5, 1e-200) == np.inf
    assert mistake_bound("plain", 1.0, 0.5, 1e-200, 1e200) == np.inf
    assert mistake_bound_by_hand(1.0, 1e-200) == np.inf


def test_bad_input_is_named():
    X, y = separable(0)
    with pytest.raises(ValueError, match="coef_init must have shape"):
        Perceptron().fit(X, y, coef_init=np.ones(7))
    with pytest.raises(ValueError, match=r"classes.*\[2\]|\[np.int64\(2\)\]"):
        Perceptron().partial_fit(X, y, classes=[-1, 1]).partial_fit(X, np.full(40, 2))
    with pytest.raises(ValueError, match=r"balanced.*partial_fit"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(AttributeError, match="partial_fit"):  # the mean of all rows is not known
        Perceptron(centred=True).partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(ValueError, match="greater than one"):
        Perceptron().fit(X, np.ones(40))
    with pytest.raises(ValueError, match="overflow"):
        Perceptron(eta0=1e300, tol=None).fit(X * 1e10, y)


def test_words_of_one_epoch_and_of_rounded_bounds():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match="after 1 epoch, none"):
        model = Perceptron(max_iter=1).fit(X, y)
    assert "in 1 epoch (" in model.certificate_.statement
    X, y = separable(0)
    proof = Perceptron().fit(X, y).certificate_
    words = proof.statement.split()
    assert Fraction(words[words.index("most") + 1]) >= Fraction(proof.figures["radius"])
    assert Fraction(words[words.index("margin") + 1]) <= Fraction(proof.figures["margin"])
