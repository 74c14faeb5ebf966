"""First-order solvers as users meet them: options by name, the perceptron's steps, the theorem of the mean."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import scale

from maxmargin.bounds import averaged_sgd_bound
from maxmargin.linear_model import LinearClassifier, LogisticRegression, Perceptron
from maxmargin.persistence import load, save

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def flipped():
    return make_classification(600, 8, flip_y=0.2, random_state=0)


def sparse():
    rng = np.random.default_rng(0)
    X = sp.random_array((1000, 300), density=0.03, format="csr", rng=rng)
    return X, (X @ rng.normal(size=300) + 0.1 * rng.normal(size=1000) > 0).astype(int)


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, (y > 4).astype(int)


# ---------------------------------------------------------------- against scikit-learn, pass by pass


@pytest.mark.parametrize("alpha", [1e-4, 1e-2])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("data", [cancer, flipped, digits, sparse], ids=lambda f: f.__name__)
def test_defaults_reach_what_sgd_classifier_reaches_in_as_many_passes(data, loss, alpha):
    X, y = data()
    n, sign = len(y), 2.0 * y - 1

    def objective(w, b):
        z = sign * (X @ w + b)
        losses = np.maximum(0, 1 - z) if loss == "hinge" else np.logaddexp(0, -z)
        return losses.mean() + alpha / 2 * w @ w

    for passes in (20, 50):
        ours, theirs = [], []
        for seed in range(3):
            # one pass less than theirs: ours has made up to one to find the length of its steps
            mine = LinearClassifier(
                loss=loss, C=1 / (n * alpha), solver="sgd", tol=1e-12, max_iter=passes - 1, random_state=seed
            ).fit(X, y)
            name = "log_loss" if loss == "logistic" else loss
            other = SGDClassifier(loss=name, alpha=alpha, max_iter=passes, tol=None, random_state=seed).fit(X, y)
            ours.append(objective(mine.coef_[0], mine.intercept_[0]))
            theirs.append(objective(other.coef_[0], other.intercept_[0]))
        assert np.median(ours) <= np.median(theirs) * (1 + 1e-4)


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("batch", [1, 16, "all"])
@pytest.mark.parametrize(
    "options",
    [
        {"momentum": 0.9},
        {"direction": "nesterov", "momentum": 0.8},
        {"direction": "rmsprop", "decay": 0.99, "delta": 1e-6},
        {"direction": "adam", "momentum": 0.8, "decay": 0.99},
    ],
    ids=lambda options: options.get("direction", "momentum"),
)
def test_directions_and_their_rates(options, batch):
    """The weights after two passes in order, by the formulas of each direction."""
    X, y = make_moons(60, noise=0.2, random_state=0)
    sign, eta, C = 2.0 * y - 1, 0.05, 0.7
    given = {"batch_size": batch, "schedule": "constant", "eta0": eta, "order": "cyclic", "average": False, **options}
    model = LinearClassifier(loss="logistic", C=C, penalty=None, solver="sgd", max_iter=2, solver_options=given)
    model.fit(X, y)
    Z, size = np.column_stack([X, np.ones(60)]), 60 if batch == "all" else batch
    kind = options.get("direction", "momentum")
    beta, beta2, delta = options.get("momentum", 0.9), options.get("decay", 0.999), options.get("delta", 1e-8)
    theta, m, v, t = np.zeros(3), np.zeros(3), np.zeros(3), 0
    for _ in range(2):
        for low in range(0, 60, size):
            part = slice(low, min(60, low + size))
            t += 1
            g = C * Z[part].T @ (-sign[part] / (1 + np.exp(sign[part] * (Z[part] @ theta)))) / len(Z[part])
            m, v = beta * m + (1 - beta) * g, beta2 * v + (1 - beta2) * g**2
            theta = (
                theta
                - eta
                * {
                    "momentum": m,
                    "nesterov": beta * m + (1 - beta) * g,
                    "rmsprop": g / (np.sqrt(v) + delta),
                    "adam": m / (1 - beta**t) / (np.sqrt(v / (1 - beta2**t)) + delta),
                }[kind]
            )
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), theta, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"momentum": 1.0}, "momentum must be at least 0 and below 1"),
        ({"momentum": 0.9, "direction": "rmsprop"}, "momentum=0.9 is of no use to direction='rmsprop'"),
        ({"decay": 0.9}, "decay=0.9 is of no use to direction='plain'"),
        ({"batch_size": "half"}, "batch_size must be a whole number from 1, or 'all'"),
        ({"direction": "downhill"}, "direction must be one of"),
        ({"speed": 2}, "solver_options has .*'speed'"),
    ],
)
def test_options_that_cannot_be_honoured_are_refused(options, words):
    X, y = flipped()
    with pytest.raises(ValueError, match=words):
        LinearClassifier(solver="sgd", solver_options=options).fit(X, y)


def test_a_stream_with_momentum_goes_on_from_its_file(tmp_path):
    X, y = flipped()
    options = {"direction": "nesterov", "momentum": 0.8}
    model = LinearClassifier(solver="sgd", solver_options=options)
    model.partial_fit(X[:300], y[:300], classes=[0, 1])
    save(model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm").partial_fit(X[300:], y[300:])
    np.testing.assert_array_equal(again.coef_, model.partial_fit(X[300:], y[300:]).coef_)


# ---------------------------------------------------------------- gradient descent


@pytest.mark.parametrize("options", [{}, {"momentum": 0.6}, {"momentum": 0.6, "nesterov": True}], ids=str)
def test_logistic_regression_by_gradient_descent(options):
    """Eight steps of a given length, by hand."""
    X, y = make_moons(50, noise=0.2, random_state=0)
    sign, Z, step = 2.0 * y - 1, np.column_stack([X, np.ones(50)]), 0.02
    model = LogisticRegression(
        solver="gradient_descent", solver_options={"step": step, **options}, max_iter=8, tol=1e-12
    ).fit(X, y)
    theta, v, beta = np.zeros(3), np.zeros(3), options.get("momentum", 0.0)
    for _ in range(8):
        at = theta + beta * v if "nesterov" in options else theta
        g = Z.T @ (-sign / (1 + np.exp(sign * (Z @ at)))) + np.append(at[:-1], 0.0)
        v = beta * v - step * g
        theta = theta + v
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), theta, rtol=1e-10)


def test_a_step_length_of_ones_own_reaches_the_optimum():
    X, y = cancer()
    best = LogisticRegression().fit(X, y).certificate_.primal
    options = {"step": "fixed", "momentum": 0.9, "nesterov": True}
    model = LogisticRegression(solver="gradient_descent", solver_options=options, max_iter=3000, tol=1e-5).fit(X, y)
    plain = LogisticRegression(
        solver="gradient_descent", solver_options={"step": "fixed"}, max_iter=3000, tol=1e-5
    ).fit(X, y)
    assert str(model.certificate_.status) == "converged" and model.solver_ == "gradient_descent"
    assert model.certificate_.primal == pytest.approx(best, rel=2e-5)
    assert model.n_iter_[0] < plain.n_iter_[0]  # what momentum is for
    for options, words in (
        ({"momentum": 0.9}, "needs steps of a fixed length"),
        ({"step": 0.1, "nesterov": True}, "nesterov=True needs a momentum"),
        ({"step": -1.0}, "step must be"),
        ({"step": 0.1, "momentum": 1.5}, "momentum must be at least 0 and below 1"),
    ):
        with pytest.raises(ValueError, match=words):
            LogisticRegression(solver="gradient_descent", solver_options=options).fit(X, y)


# ---------------------------------------------------------------- the perceptron as stochastic gradient descent


def by_hand(X, sign, passes, C=1.0, order=None):
    """w after each pass: on a mistake, z <= 0, add C y x."""
    Z, w, after = np.column_stack([X, np.ones(len(X))]), np.zeros(X.shape[1] + 1), []
    for k in range(passes):
        for i in range(len(Z)) if order is None else order[k]:
            if sign[i] * (Z[i] @ w) <= 0:
                w = w + C * sign[i] * Z[i]
        after.append(w)
    return after


@pytest.mark.parametrize("C", [1.0, 0.5])
@pytest.mark.parametrize("separable", [True, False])
def test_the_perceptron_is_sgd_of_its_loss_without_penalty(separable, C):
    X, y = make_classification(
        80, 4, class_sep=2.0 if separable else 0.5, flip_y=0.0 if separable else 0.2, random_state=3
    )
    after = by_hand(X, 2.0 * y - 1, 6, C)
    assert after[0].any()
    for k in range(6):
        model = LinearClassifier(
            loss="perceptron", penalty=None, C=C, solver="sgd", max_iter=k + 1, solver_options={"order": "cyclic"}
        ).fit(X, y)
        np.testing.assert_array_equal(np.append(model.coef_[0], model.intercept_), after[k])
    rule = Perceptron(shuffle=False, max_iter=6, tol=None, eta0=C).fit(X, y)
    np.testing.assert_allclose(np.append(rule.coef_[0], rule.intercept_), after[-1], rtol=1e-12)


def test_its_random_order_is_a_permutation_of_each_pass():
    X, y = flipped()
    rng = np.random.default_rng(7)
    order = [rng.permutation(len(y)) for _ in range(3)]
    model = LinearClassifier(loss="perceptron", penalty=None, solver="sgd", max_iter=3, random_state=7).fit(X, y)
    np.testing.assert_array_equal(
        np.append(model.coef_[0], model.intercept_), by_hand(X, 2.0 * y - 1, 3, order=order)[-1]
    )


def test_it_ends_where_every_sample_is_right():
    X, y = make_classification(80, 4, class_sep=3.0, flip_y=0.0, random_state=3)
    model = LinearClassifier(loss="perceptron", penalty=None, solver="sgd").fit(X, y)
    assert str(model.certificate_.status) == "converged" and model.coef_.any()
    assert model.score(X, y) == 1.0 and model.certificate_.primal == 0
    assert str(model.certificate_.verify(X, y).status) == "converged"
    # with a penalty, or by another solver, the origin is the minimum
    assert not LinearClassifier(loss="perceptron", solver="sgd").fit(X, y).coef_.any()


# ---------------------------------------------------------------- the theorem of the mean


@pytest.mark.parametrize("batch", [1, 10, "all"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_bound_of_the_mean_is_on_the_certificate_and_holds(seed, loss, batch):
    X, y = make_classification(120, 4, flip_y=0.15, random_state=seed)
    n, C, passes = len(y), 0.5, 30
    options = {"schedule": "theory", "batch_size": batch}
    model = LinearClassifier(
        loss=loss, C=C, solver="sgd", tol=1e-12, max_iter=passes, random_state=seed, solver_options=options
    ).fit(X, y)
    found = model.certificate_.problems[0].averaged
    steps = passes * -(-n // (n if batch == "all" else batch))
    assert found.steps == steps and found.certain == (batch == "all")
    # by the formula: f = J/n has subgradients of c (x, 1) times the slope, at most 1
    rho = C * np.sqrt((X**2).sum(axis=1) + 1).max()
    assert found.lipschitz == pytest.approx(rho, rel=1e-12)
    theorem = averaged_sgd_bound(found.radius, rho, steps)
    assert found.bound == pytest.approx(n * theorem.gap, rel=1e-9)
    assert found.eta == pytest.approx(theorem.step_size, rel=1e-9)
    # the optimum by another solver, certified: B holds, and so does the bound
    best = LinearClassifier(loss=loss, C=C, tol=1e-9).fit(X, y)
    assert np.linalg.norm(np.append(best.coef_, best.intercept_)) <= found.radius
    assert model.certificate_.primal - best.certificate_.dual <= found.bound
    assert "mean of the steps" in str(model.certificate_)
    assert model.certificate_.verify(X, y).problems[0].averaged == found


def test_a_bound_is_claimed_only_where_the_theorem_is_about_it(tmp_path):
    X, y = flipped()

    def bound(**options):
        model = LinearClassifier(solver="sgd", tol=1e-12, max_iter=5, solver_options=options).fit(X, y)
        return model, model.certificate_.problems[0].averaged

    assert bound()[1] is None
    assert bound(schedule="theory", average=False)[1] is None  # the last iterate
    assert bound(schedule="theory", order="shuffle")[1] is None  # samples that are not independent
    model, found = bound(schedule="theory", radius=10.0)
    assert found.radius == 10.0 and not found.certain
    save(model, tmp_path / "model.mm")
    assert load(tmp_path / "model.mm").certificate_.problems[0].averaged == found
    # what was changed is not confirmed
    from dataclasses import replace

    better = replace(model.certificate_.problems[0], averaged=replace(found, bound=found.bound / 2))
    model.certificate_ = replace(model.certificate_, problems=(better,))
    assert str(model.certificate_.verify(X, y).status) == "refuted"
    again = model.set_params(warm_start=True).fit(X, y)
    assert again.certificate_.problems[0].averaged is None  # not from the origin


@pytest.mark.parametrize("direction", ["momentum", "nesterov", "rmsprop", "adam"])
def test_the_theorem_is_of_plain_steps(direction):
    X, y = flipped()
    options = {"schedule": "theory", "direction": direction}
    with pytest.raises(ValueError, match=f"plain steps; its bound does not hold for direction='{direction}'"):
        LinearClassifier(solver="sgd", solver_options=options).fit(X, y)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"schedule": "theory", "radius": -1.0}, "radius=-1.0 must be a positive number"),
        ({"schedule": "theory", "radius": 0.0}, "radius=0.0 must be"),
        ({"batch_size": None}, "batch_size must be a whole number from 1, or 'all'; got None"),
    ],
)
def test_options_that_make_no_sense_are_named(options, words):
    X, y = flipped()
    with pytest.raises(ValueError, match=words):
        LinearClassifier(solver="sgd", solver_options=options).fit(X, y)


def test_a_radius_that_is_too_short_is_not_called_a_bound_of_the_optimum():
    X, y = cancer()
    options = {"schedule": "theory", "radius": 0.01, "batch_size": "all"}
    model = LinearClassifier(solver="sgd", tol=1e-12, max_iter=50, solver_options=options).fit(X, y)
    best = LinearClassifier(tol=1e-9).fit(X, y).certificate_
    assert model.certificate_.primal - best.primal > model.certificate_.problems[0].averaged.bound
    assert "above the best weights of length up to B" in str(model.certificate_)


@pytest.mark.parametrize("radius", [1e300, 1e-300])
def test_a_radius_whose_square_overflows_has_a_bound(radius):
    X, y = flipped()
    options = {"schedule": "theory", "radius": radius}
    model = LinearClassifier(solver="sgd", max_iter=5, random_state=0, solver_options=options).fit(X, y)
    found = model.certificate_.problems[0].averaged
    assert found.bound == pytest.approx(len(y) * radius * found.lipschitz / np.sqrt(found.steps), rel=1e-9, abs=0)
    assert model.certificate_.verify(X, y).status is model.certificate_.status


@pytest.mark.parametrize(
    "solver, options, message",
    [
        ("sgd", {"direction": "bogus"}, "direction must be one of .* got 'bogus'"),
        ("sgd", {"momentum": -1}, "momentum must be at least 0 and below 1; got -1"),
        ("sgd", {"momentum": "0.9"}, "momentum in solver_options must be a number; got '0.9'"),
        ("sgd", {"eta0": [1]}, r"eta0 in solver_options must be a number; got \[1\]"),
        ("sgd", {"radius": "1"}, "radius in solver_options must be a number"),
        ("sgd", {"average": "no"}, "average in solver_options must be True or False; got 'no'"),
        ("sgd", {"seed": -1}, "seed in solver_options must be a whole number from 0; got -1"),
        ("sgd", {"seed": "1"}, "seed in solver_options must be a whole number from 0; got '1'"),
        ("dual_coordinate", {"shrinking": "bogus"}, "shrinking in solver_options must be True or False"),
    ],
)
@pytest.mark.parametrize("loss", ["hinge", "perceptron"])
def test_values_of_options_are_checked_even_where_there_is_nothing_to_do(solver, options, message, loss):
    """The perceptron's loss with a penalty is least at the origin, where the fit begins."""
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    with pytest.raises(ValueError, match=message):
        LinearClassifier(loss=loss, solver=solver, solver_options=options).fit(X, y)
