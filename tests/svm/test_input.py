"""Bad input: scikit-learn's exception types, and messages that name the culprit."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from maxmargin.svm import SVC


@pytest.fixture
def data(clouds):
    return clouds(30)


@pytest.mark.parametrize(
    "parameters",
    [
        {"C": 0.0},
        {"C": -1.0},
        {"C": np.nan},
        {"C": "1"},
        {"C": -np.inf},
        {"kernel": "gauss"},
        {"kernel": 3},
        {"degree": -1},
        {"degree": 2.5},
        {"gamma": -0.1},
        {"gamma": "automatic"},
        {"gamma": np.inf},
        {"gamma": np.nan},
        {"coef0": np.inf},
        {"coef0": "0"},
        {"tol": 0.0},
        {"tol": -1e-3},
        {"tol": np.nan},
        {"shrinking": "yes"},
        {"cache_size": 0},
        {"class_weight": "even"},
        {"verbose": -1},
        {"max_iter": -2},
        {"max_iter": 1.5},
        {"decision_function_shape": "ovx"},
        {"multi_class": "multinomial"},
        {"break_ties": 3},
        {"random_state": "seed"},
        {"gap_tol": 0.0},
        {"gap_tol": -1.0},
        {"warm_start": "no"},
        {"n_jobs": 1.5},
        {"callback": 3},
        {"probability": "yes"},
    ],
    ids=str,
)
def test_parameters_out_of_range(data, parameters):
    (name,) = parameters
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of SVC"):
        SVC(**parameters).fit(*data)


def test_probability_is_refused_with_the_way_out(data):
    with pytest.raises(ValueError, match=r"probability=True.*CalibratedClassifierCV"):
        SVC(probability=True).fit(*data)
    assert not hasattr(SVC(), "predict_proba")


def test_no_threads(data):
    with pytest.raises(ValueError, match="n_jobs=0"):
        SVC(n_jobs=0).fit(*data)


def test_parameters_are_checked_in_fit_and_left_alone():
    model = SVC(C=-1.0, kernel="gauss")
    assert clone(model).get_params()["C"] == -1.0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_values_that_are_not_finite(data, value, storage):
    X, y = data
    bad = X.copy()
    bad[3, 1] = value
    with pytest.raises(ValueError, match="Input X contains NaN" if np.isnan(value) else "Input X contains infinity"):
        SVC().fit(storage(bad), y)
    model = SVC().fit(storage(X), y)
    with pytest.raises(ValueError, match="Input X contains"):
        model.predict(storage(bad))


def test_labels_that_are_not_finite(data):
    X, y = data
    with pytest.raises(ValueError, match="Input y contains NaN"):
        SVC().fit(X, np.where(np.arange(30) == 3, np.nan, y))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 3)), r"Found array with 0 sample\(s\)"),
        (np.empty((30, 0)), r"Found array with 0 feature\(s\)"),
        (np.zeros(30), "Expected 2D array, got 1D array"),
        (np.zeros((30, 2, 2)), r"Found array with dim 3|expected <= 2"),
        (np.zeros((29, 2)), "inconsistent numbers of samples"),
        (np.zeros((30, 2), dtype=complex), "Complex data not supported"),
    ],
)
def test_shapes(X, message):
    with pytest.raises(ValueError, match=message):
        SVC().fit(X, np.arange(30)[: len(X) or 30] % 2 if len(X) == 0 else np.arange(30) % 2)


def test_columns_of_words(data):
    _, y = data
    with pytest.raises(ValueError, match="could not convert string to float: 'red'"):
        SVC().fit(np.array([["red", 1.0]] * 30, dtype=object), y)


def test_labels_as_a_column_are_flattened_with_a_warning(data):
    X, y = data
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = SVC().fit(X, y[:, None])
    assert (model.predict(X) == SVC().fit(X, y).predict(X)).all()


def test_targets_of_a_regression(data):
    X, _ = data
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        SVC().fit(X, np.linspace(0, 1, 30))


def test_several_targets(data):
    X, y = data
    with pytest.raises(ValueError, match="y should be a 1d array"):
        SVC().fit(X, np.column_stack([y, y]))


def test_no_targets(data):
    X, _ = data
    with pytest.raises(ValueError, match=r"y should be a 1d array|requires y to be passed"):
        SVC().fit(X, None)


@pytest.mark.parametrize("label", [0, "a"])
def test_one_class(data, label):
    X, _ = data
    with pytest.raises(ValueError, match="number of classes has to be greater than one; got 1 class"):
        SVC().fit(X, [label] * 30)


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (-1, 1), (2.0, 7.0), (10**12, 10**13)])
def test_labels_of_every_kind(data, labels):
    X, y = data
    named = np.array(labels)[y]
    model = SVC().fit(X, named)
    assert list(model.classes_) == list(labels)
    assert (model.predict(X) == np.array(labels)[SVC().fit(X, y).predict(X)]).all()


class TestWeights:
    @pytest.mark.parametrize("weight", [np.ones(29), np.ones((30, 2)), np.ones(31)], ids=["29", "2d", "31"])
    def test_wrong_shape(self, data, weight):
        with pytest.raises(ValueError, match=r"(?i)sample.weights?"):
            SVC().fit(*data, weight)

    @pytest.mark.parametrize("value", [0.0, -1.0])
    def test_none_that_counts(self, data, value):
        with pytest.raises(ValueError, match="all samples have zero or negative weights"):
            SVC().fit(*data, np.full(30, value))

    def test_one_class_left(self, data):
        X, y = data
        with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
            SVC().fit(X, y, y.astype(float))

    def test_one_of_three_classes_gone(self, load):
        X, y = load("iris")
        with pytest.raises(ValueError, match=r"no sample of class 1 has a positive sample_weight"):
            SVC().fit(X, y, (y != 1).astype(float))

    def test_not_finite(self, data):
        with pytest.raises(ValueError, match=r"(?i)sample_weight.*NaN"):
            SVC().fit(*data, np.full(30, np.nan))

    def test_unknown_class(self, data):
        X, y = data
        with pytest.raises(ValueError, match="class_weight"):
            SVC(class_weight={7: 2.0}).fit(X, y)


class TestPrecomputed:
    def test_not_square(self, data):
        X, y = data
        with pytest.raises(ValueError, match=r"Precomputed matrix must be a square matrix\. Input is a 30x3 matrix"):
            SVC(kernel="precomputed").fit(X, y)

    def test_not_symmetric(self, data):
        X, y = data
        K = X @ X.T
        K[2, 3] += 0.5
        with pytest.raises(ValueError, match=r"must be symmetric.*differs from its transpose by 0\.5"):
            SVC(kernel="precomputed").fit(K, y)

    def test_rounding_is_no_asymmetry(self, data):
        X, y = data
        K = (X @ X.T).astype(np.float32)
        K[2, 3] = np.nextafter(K[2, 3], np.float32(10))
        SVC(kernel="precomputed").fit(K, y)

    def test_sparse(self, data):
        X, y = data
        with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
            SVC(kernel="precomputed").fit(sp.csr_array(X @ X.T), y)

    def test_not_finite(self, data):
        X, y = data
        K = X @ X.T
        K[4, 4] = np.nan
        with pytest.raises(ValueError, match="Input X contains NaN"):
            SVC(kernel="precomputed").fit(K, y)

    def test_prediction_needs_a_column_a_training_sample(self, data):
        X, y = data
        model = SVC(kernel="precomputed").fit(X @ X.T, y)
        with pytest.raises(ValueError, match="X has 29 features, but SVC is expecting 30"):
            model.predict(X @ X[:29].T)


class TestCallable:
    def test_wrong_shape(self, data):
        with pytest.raises(ValueError, match=r"kernel function returned shape \(1, 1\)"):
            SVC(kernel=lambda A, B: np.ones((1, 1))).fit(*data)

    def test_not_finite(self, data):
        with pytest.raises(ValueError, match="kernel function returned NaN or infinity"):
            SVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(*data)

    def test_wrong_length_of_labels(self, data):
        X, y = data
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            SVC(kernel=lambda A, B: A @ B.T).fit(X, y[:-1])

    def test_error_of_the_function_comes_out(self, data):
        def broken(A, B):
            raise ZeroDivisionError("in the kernel")

        with pytest.raises(ZeroDivisionError, match="in the kernel"):
            SVC(kernel=broken).fit(*data)


class TestPrediction:
    @pytest.mark.parametrize("method", ["predict", "decision_function"])
    def test_before_fit(self, data, method):
        with pytest.raises(NotFittedError, match="This SVC instance is not fitted yet"):
            getattr(SVC(), method)(data[0])

    def test_attributes_before_fit(self):
        with pytest.raises(NotFittedError):
            SVC(kernel="linear").coef_  # noqa: B018
        assert not hasattr(SVC(), "support_")

    def test_wrong_number_of_features(self, data):
        X, y = data
        model = SVC().fit(X, y)
        with pytest.raises(ValueError, match="X has 2 features, but SVC is expecting 3 features"):
            model.predict(X[:, :2])

    def test_sparse_after_dense(self, data):
        X, y = data
        model = SVC().fit(X, y)
        with pytest.raises(ValueError, match="cannot use sparse input in 'SVC' trained on dense data"):
            model.predict(sp.csr_array(X))

    def test_nothing_to_predict(self, data):
        X, y = data
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            SVC().fit(X, y).predict(X[:0])

    def test_break_ties_with_ovo(self, load):
        X, y = load("iris")
        model = SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
        with pytest.raises(ValueError, match="break_ties must be False when decision_function_shape is 'ovo'"):
            model.predict(X)

    def test_coef_of_a_nonlinear_machine(self, data):
        model = SVC().fit(*data)
        with pytest.raises(AttributeError, match="only available when using a linear kernel"):
            model.coef_  # noqa: B018
        assert not hasattr(model, "coef_")

    def test_altered_model(self, data):
        X, y = data
        model = SVC().fit(X, y)
        model.n_support_ = model.n_support_ + 1
        with pytest.raises(ValueError, match="internal representation of SVC was altered"):
            model.predict(X)


def test_a_failed_fit_leaves_the_last_model_whole(data):
    X, y = data
    model = SVC().fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan), y)
    with pytest.raises(ValueError, match="one"):
        model.fit(X, np.zeros(30))
    assert (model.decision_function(X) == before).all()


def test_the_arrays_of_the_user_are_not_changed(data):
    X, y = data
    kept = X.copy(), y.copy()
    weight = np.linspace(0, 1, 30)
    for array in (X, y, weight):
        array.flags.writeable = False
    model = SVC(kernel="rbf").fit(X, y, weight)
    model.predict(X)
    model.certificate_.verify(X, y, weight)
    assert (X == kept[0]).all()
    assert (y == kept[1]).all()
