"""Optimality cases of every machine: multipliers, residuals and cases agree with one another, sample by sample."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_moons

from maxmargin.linear_model import LinearClassifier, LogisticRegression
from maxmargin.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

X, Y = make_moons(120, noise=0.3, random_state=0)
T = np.sin(3 * X[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=len(X))


@pytest.mark.parametrize("model", [SVR(C=2, epsilon=0.2), SVR(C=2, kernel="linear"), NuSVR(C=2, nu=0.4)], ids=repr)
def test_a_regressor(model):
    """Complementary slackness by plain arithmetic."""
    model.fit(X, T)
    cases = model.kkt_cases(X, T)
    epsilon = model.epsilon_ if isinstance(model, NuSVR) else model.epsilon
    residual, coefficient = T - model.predict(X), np.zeros(len(T))
    coefficient[model.support_] = model.dual_coef_[0]
    np.testing.assert_array_equal(cases.sample, np.arange(len(T)))
    np.testing.assert_allclose(cases.multiplier, np.abs(coefficient))
    np.testing.assert_allclose(cases.slack, np.maximum(np.abs(residual) - epsilon, 0), atol=1e-9)
    names = cases.names()
    assert (np.abs(residual[names == "inside the tube"]) <= epsilon + 1e-6).all()
    np.testing.assert_allclose(np.abs(residual[names == "on the edge of the tube"]), epsilon, atol=1e-6)
    assert (residual[names == "above the tube"] >= epsilon - 1e-6).all()
    assert (residual[names == "below the tube"] <= -epsilon + 1e-6).all()
    np.testing.assert_allclose(
        cases.multiplier[np.char.endswith(names.astype(str), "the tube") & (cases.case > 1)], 2.0
    )
    assert sum(cases.counts().values()) == len(T) and (cases.case > 0).sum() == len(model.support_)
    assert cases.violation.max() <= model.certificate_.kkt_violation + 1e-9


def test_the_machine_of_one_class():
    model = OneClassSVM(nu=0.3, gamma=1.0).fit(X)
    cases, value = model.kkt_cases(X), model.decision_function(X)
    names = cases.names()
    assert (value[names == "inside the region"] >= -1e-8).all()
    np.testing.assert_allclose(value[names == "on the boundary"], 0, atol=1e-8)
    assert (value[names == "outside the region"] <= 1e-8).all()
    np.testing.assert_allclose(cases.multiplier[names == "outside the region"], 1.0)
    # nu bounds the share of those outside from above, that of support vectors from below
    assert (names == "outside the region").mean() <= 0.3 <= (cases.case > 0).mean()
    assert cases.multiplier.sum() == pytest.approx(0.3 * len(X))


def test_nu_classification():
    model = NuSVC(nu=0.3).fit(X, Y)
    cases = model.kkt_cases(X, Y)
    margin = (2.0 * Y - 1) * model.decision_function(X)
    np.testing.assert_allclose(cases.margin, margin, atol=1e-9)
    np.testing.assert_allclose(margin[cases.case == 1], 1.0, atol=1e-6)
    assert (cases.case >= 2).mean() <= 0.3 <= (cases.case >= 1).mean()


def test_a_linear_machine_has_the_cases_of_its_kernel_twin():
    x, y = make_classification(150, 4, flip_y=0.1, random_state=0)
    linear = LinearSVC(loss="hinge", C=0.7, tol=1e-8).fit(x, y).kkt_cases(x, y)
    kernel = SVC(kernel="linear", C=0.7, gap_tol=1e-10).fit(x, y).kkt_cases(x, y)
    np.testing.assert_array_equal(linear.case, kernel.case)
    np.testing.assert_allclose(linear.multiplier, kernel.multiplier, atol=1e-5)
    np.testing.assert_allclose(linear.margin, kernel.margin, atol=1e-5)
    assert linear.violation.max() < 1e-5


def test_squares_have_no_boundary():
    x, y = make_classification(150, 4, flip_y=0.1, random_state=0)
    cases = LinearSVC(C=0.7, tol=1e-8).fit(x, y).kkt_cases(x, y)
    assert cases.counts()["on the margin boundary"] == 0
    np.testing.assert_allclose(cases.multiplier, 1.4 * cases.slack, atol=1e-4)  # 2 C xi
    assert cases.violation.max() < 1e-4


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_a_linear_regressor(loss):
    model = LinearSVR(C=0.5, epsilon=0.2, loss=loss, tol=1e-8).fit(X, T)
    cases, residual = model.kkt_cases(X, T), T - model.predict(X)
    np.testing.assert_allclose(cases.slack, np.maximum(np.abs(residual) - 0.2, 0), atol=1e-9)
    assert (residual[cases.case == 2] >= 0.2 - 1e-5).all() and (residual[cases.case == 3] <= -0.2 + 1e-5).all()
    if loss == "epsilon_insensitive":
        np.testing.assert_allclose(cases.multiplier[cases.case > 1], 0.5)
        np.testing.assert_allclose(np.abs(residual[cases.case == 1]), 0.2, atol=1e-5)
    else:
        np.testing.assert_allclose(cases.multiplier, 2 * 0.5 * cases.slack, atol=1e-5)
    assert cases.violation.max() < 1e-4


def test_several_classes_hard_margins_and_weights():
    iris, species = load_iris(return_X_y=True)
    three = LinearSVC(loss="hinge").fit(iris, species).kkt_cases(iris, species)
    assert len(three) == 3 * 150 and set(three.problem) == {0, 1, 2}
    two = iris[:100], species[:100]
    hard = LinearSVC(C=np.inf).fit(*two).kkt_cases(*two)
    np.testing.assert_allclose(hard.margin[hard.case == 1], 1.0, atol=1e-3)
    assert hard.counts()["inside, misclassified"] == 0
    weight = np.where(np.arange(120) % 3, 1.0, 0.0)
    assert len(SVR().fit(X, T, weight).kkt_cases(X, T, weight)) == 80
    assert len(LinearSVR().fit(X, T, weight).kkt_cases(X, T, weight)) == 80


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(C=0.3, multi_class="crammer_singer", tol=1e-7),
        LinearSVC(C=0.3, multi_class="crammer_singer", fit_intercept=False, tol=1e-7),
        SVC(C=0.3, kernel="linear", multi_class="crammer_singer", gap_tol=1e-7),
        SVC(C=0.3, multi_class="crammer_singer", class_weight={0: 2.0}),
        SVC(C=0.3, kernel="precomputed", multi_class="crammer_singer"),
    ],
    ids=repr,
)
def test_the_joint_machine(model, weighted):
    """The margin is what the own class is ahead of the best other, and multipliers go with it."""
    iris, species = load_iris(return_X_y=True)
    rows = iris @ iris.T if getattr(model, "kernel", "") == "precomputed" else iris
    weight = np.where(np.arange(150) % 3, 1.0, 0.0) if weighted else None
    model.fit(rows, species, weight)
    cases, f = model.kkt_cases(rows, species, weight), model.decision_function(rows)
    used = np.flatnonzero(np.ones(150) if weight is None else weight)
    np.testing.assert_array_equal(cases.sample, used)
    ahead = np.array([row[k] - np.delete(row, k).max() for row, k in zip(f, species, strict=True)])[used]
    np.testing.assert_allclose(cases.margin, ahead, atol=1e-8)
    np.testing.assert_allclose(cases.slack, np.maximum(1 - ahead, 0), atol=1e-8)
    bound = 0.3 * np.array([2.0 if getattr(model, "class_weight", None) and k == 0 else 1.0 for k in species[used]])
    assert (cases.multiplier[cases.case == 0] == 0).all()
    np.testing.assert_allclose(cases.multiplier[cases.case >= 2], bound[cases.case >= 2])
    assert ((cases.multiplier > 0) & (cases.multiplier < bound))[cases.case == 1].all()
    near = cases.violation.max() + 1e-12
    assert (ahead[cases.case == 0] >= 1 - near).all() and (ahead[cases.case >= 2] <= 1 + near).all()
    np.testing.assert_allclose(ahead[cases.case == 1], 1.0, atol=near)
    assert min(cases.counts()[word] for word in cases.words[:3]) > 0
    if isinstance(model, SVC):
        assert near <= model.certificate_.kkt_violation + 1e-9
        own = model.dual_coef_[species[model.support_], np.arange(len(model.support_))]
        np.testing.assert_allclose(cases.multiplier[np.searchsorted(used, model.support_)], own, rtol=1e-6, atol=1e-8)
    else:
        assert near < 1e-2


def test_kernel_and_linear_joint_machines_agree():
    iris, species = load_iris(return_X_y=True)
    linear = LinearSVC(C=0.3, multi_class="crammer_singer", tol=1e-9, max_iter=20_000).fit(iris, species)
    kernel = SVC(C=0.3, kernel="linear", multi_class="crammer_singer", gap_tol=1e-9).fit(iris, species)
    ours, theirs = linear.kkt_cases(iris, species), kernel.kkt_cases(iris, species)
    np.testing.assert_allclose(ours.margin, theirs.margin, atol=1e-3)
    np.testing.assert_array_equal(ours.case == 0, theirs.case == 0)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_linear_classifier_is_a_linear_machine(loss):
    x, y = make_classification(150, 4, flip_y=0.1, random_state=0)
    ours = LinearClassifier(loss, C=0.7, tol=1e-8).fit(x, y).kkt_cases(x, y)
    theirs = LinearSVC(loss=loss, C=0.7, tol=1e-8).fit(x, y).kkt_cases(x, y)
    np.testing.assert_array_equal(ours.case, theirs.case)
    np.testing.assert_allclose(ours.multiplier, theirs.multiplier, atol=1e-6)
    np.testing.assert_allclose(ours.margin, theirs.margin, atol=1e-6)


def test_a_linear_classifier_with_an_l1_penalty_meets_its_equations():
    """|sum_i alpha_i y_i x_ij| is at most 1, and 1 where w_j is not 0; the multipliers of both classes balance."""
    x, y = make_classification(150, 6, flip_y=0.1, random_state=1)
    model = LinearClassifier("hinge", "l1", C=0.05, tol=1e-9).fit(x, y)
    cases = model.kkt_cases(x, y)
    sums = (cases.multiplier * (2 * y - 1)) @ x
    used = model.coef_[0] != 0
    assert 0 < used.sum() < 6
    np.testing.assert_allclose(np.abs(sums[used]), 1.0, atol=1e-4)
    assert (np.abs(sums) <= 1 + 1e-4).all()
    assert (cases.multiplier * (2 * y - 1)).sum() == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("loss", ["logistic", "squared", "perceptron"])
def test_other_losses_have_no_cases(loss):
    model = LinearClassifier(loss)
    assert not hasattr(model, "kkt_cases")
    with pytest.raises(AttributeError) as error:
        _ = model.kkt_cases
    assert "kkt_cases needs loss='hinge' or 'squared_hinge'" in str(error.value.__cause__)
    assert not hasattr(LogisticRegression(), "kkt_cases")


def test_other_rows_are_refused():
    with pytest.raises(ValueError, match="rows"):
        LinearSVR().fit(X, T).kkt_cases(X[:50], T[:50])


CLASSIFIERS = [SVC(), NuSVC(nu=0.3), LinearSVC(), LinearClassifier(loss="squared_hinge")]
CLASSIFIERS += [LinearSVC(loss="hinge"), LinearClassifier(), LinearSVC(multi_class="crammer_singer")]


def _refused(model, x, y, *weight):
    with pytest.raises(ValueError, match="sample_weight"):
        model.kkt_cases(x, y, *weight)


@pytest.mark.parametrize("model", [*CLASSIFIERS, SVC(multi_class="crammer_singer"), SVC(C=np.inf)], ids=repr)
def test_cases_of_a_classifier_need_the_data_and_the_weights_of_its_fit(model):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    y = (x[:, 0] + (0 if model.get_params().get("C") == np.inf else 0.4) * rng.normal(size=40) > 0).astype(int)
    if model.get_params().get("multi_class") == "crammer_singer":
        y = y + (x[:, 1] > 0)
    weight = np.where(rng.uniform(size=40) < 0.5, 0.0, 1.0)
    model = clone(model).fit(x, y, sample_weight=weight)
    _check_counts(model.kkt_cases(x, y, weight), int(weight.sum()))
    if model.get_params().get("C") != np.inf:  # rows that a hard margin separates may all lie outside of it
        _refused(model, x, y)
    _refused(model, x + 1, y, weight)
    _refused(model, x, np.roll(y, 7), weight)
    _refused(model, x[::-1], y[::-1], weight)


@pytest.mark.parametrize(
    "model", [SVR(), NuSVR(), LinearSVR(epsilon=0.1, loss="squared_epsilon_insensitive")], ids=repr
)
def test_cases_of_a_regressor_need_the_data_and_the_weights_of_its_fit(model):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    y = x[:, 0] + rng.normal(size=40)
    weight = np.where(rng.uniform(size=40) < 0.5, 0.0, 1.0)
    model = clone(model).fit(x, y, sample_weight=weight)
    _check_counts(model.kkt_cases(x, y, weight), int(weight.sum()))
    _refused(model, x, y)
    _refused(model, x + 1, y, weight)
    _refused(model, x, y + 1, weight)


def test_cases_of_one_class_need_the_rows_and_the_weights_of_the_fit():
    rng = np.random.default_rng(0)
    x, weight = rng.normal(size=(40, 3)), np.where(rng.uniform(size=40) < 0.5, 0.0, 1.0)
    model = OneClassSVM(nu=0.3).fit(x, sample_weight=weight)
    _check_counts(model.kkt_cases(x, sample_weight=weight), int(weight.sum()))
    _refused(model, x, None)
    _refused(model, x + 1, None, weight)


def _check_counts(cases, rows):
    assert sum(cases.counts().values()) == rows


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_without_a_margin_all_samples_are_on_its_boundary(kernel):
    # the same points in both classes, more than nu can leave out: w = 0 is the optimum, and f = 0 everywhere
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 4)
    y = np.repeat([0, 1], 8)
    model = NuSVC(nu=0.1, kernel=kernel).fit(X, y)
    cases = model.kkt_cases(X, y)
    assert cases.counts()["on the margin boundary"] == 16
    assert cases.violation.max() <= 1e-12
    assert cases.slack.max() <= 1e-12
    assert "no margin" in str(cases)
