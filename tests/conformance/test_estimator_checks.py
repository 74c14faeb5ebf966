"""scikit-learn's checks of an estimator, every one of them, without exceptions."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from maxmargin.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    PolynomialRegression,
    Ridge,
    RidgeCV,
)
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor
from maxmargin.svm import (
    SVC,
    SVCCV,
    SVR,
    SVRCV,
    LargeSVC,
    LargeSVR,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
)

# What the checks fit is small and random: an end short of convergence would be reported, and is no failure of a check.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@parametrize_with_checks([SVC(kernel=kernel) for kernel in ("linear", "poly", "rbf", "sigmoid", "precomputed")])
def test_classifier(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:specified nu is infeasible")  # weights that leave a class next to nothing
@parametrize_with_checks(
    [
        SVC(multi_class="ovr"),
        SVR(),
        NuSVC(nu=0.2),
        NuSVR(),
        OneClassSVM(),
        LargeSVC(),
        LargeSVC(multi_class="ovr"),
        LargeSVR(),
    ]
)
def test_other_machines(estimator, check):
    check(estimator)


# Its fits end within a tolerance, not at rounding: here one by which weights and copies of rows agree.
@parametrize_with_checks(
    [SVC(multi_class="crammer_singer", tol=1e-9), LinearSVC(multi_class="crammer_singer", tol=1e-9)]
)
def test_joint_machines(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        LinearClassifier(),
        LinearClassifier(loss="squared_hinge", penalty="elastic_net"),
        LinearClassifier(loss="logistic", penalty="l1"),
        LinearClassifier(loss="squared", penalty="none"),
        LogisticRegression(),
        LinearSVC(),
        LinearSVC(loss="hinge"),
        LinearSVR(),
        LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.1),
        LinearSVR(penalty="l1"),
    ]
)
def test_linear_machines(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        Perceptron(),
        Perceptron(variant="averaged", centred=True),
        LinearRegression(),
        Ridge(),
        Ridge(alpha=0.0, solver="svd"),
        Ridge(solver="sparse_cg"),
        PolynomialRegression(),
        PolynomialRegression(alpha=0.1),
    ]
)
def test_perceptron_and_least_squares(estimator, check):
    check(estimator)


@parametrize_with_checks([Lasso(), Lasso(alpha=0.01, positive=True), ElasticNet(), ElasticNet(l1_ratio=0.0)])
def test_lasso(estimator, check):
    check(estimator)


@parametrize_with_checks([LassoCV(alphas=2, cv=2), ElasticNetCV(alphas=2, cv=2), RidgeCV(), RidgeCV(cv=2)])
def test_lasso_searches(estimator, check):
    check(estimator)


# What a check looks at depends neither on the number of values that are compared nor on that of the folds.
# `test_searches_of_few_rows` has the defaults where there are fewer rows than folds.
@parametrize_with_checks([LinearSVCCV(Cs=2, cv=2), LogisticRegressionCV(Cs=2, cv=2)])
def test_linear_searches(estimator, check):
    check(estimator)


# No probabilities of a precomputed kernel: the check that compares them with decision values knows nothing of square X.
@parametrize_with_checks(
    [
        SVCCV(Cs=2, gammas=2, cv=2),
        SVCCV(Cs=2, cv=2, kernel="linear"),
        SVCCV(Cs=2, cv=2, kernel="precomputed", calibration=None),
        SVRCV(Cs=2, gammas=2, cv=2, kernel="poly"),
        SVRCV(Cs=2, gammas=2, cv=2),
    ]
)
@pytest.mark.filterwarnings("ignore:The least populated class in y has only")  # one row of a class, two folds
@pytest.mark.filterwarnings("ignore:the training part of some folds lacks a class")
def test_kernel_searches(estimator, check):
    check(estimator)


def _checks_of_few_rows():
    for search in (SVCCV(), SVRCV(), LinearSVCCV(), LogisticRegressionCV(), LassoCV(), ElasticNetCV()):
        for estimator, check in estimator_checks_generator(search):
            if any(word in str(check) for word in ("1sample", "1feature", "empty", "one_label", "fit1d")):
                yield pytest.param(estimator, check, id=f"{estimator}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(_checks_of_few_rows()))
@pytest.mark.filterwarnings("ignore:The least populated class in y has only")
@pytest.mark.filterwarnings("ignore:the training part of some folds lacks a class")
def test_searches_of_few_rows(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        KNeighborsClassifier(),
        KNeighborsClassifier(weights="inverse_class_size", algorithm="brute"),
        KNeighborsClassifier(weights="distance", algorithm="kd_tree"),
        KNeighborsClassifier(metric="manhattan"),
        KNeighborsRegressor(),
        KNeighborsRegressor(weights="distance", algorithm="ball_tree"),
        CondensedNearestNeighbors(),
        CondensedNearestNeighbors(reduce=True),
    ]
)
@pytest.mark.filterwarnings("ignore:.*cannot use tree with sparse input")
def test_neighbours(estimator, check):
    check(estimator)
