"""With the rest of the ecosystem: pandas, pipelines, searches, copies, files."""

import pickle

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import Status
from maxmargin.svm import SVC, SVCCV

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def iris(load):
    return load("iris")


def test_data_frames(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    labels = pd.Series(np.array(["setosa", "versicolor", "virginica"])[y], dtype="category")
    model = SVC().fit(frame, labels)
    assert list(model.feature_names_in_) == ["a", "b", "c", "d"]
    assert model.n_features_in_ == 4
    assert_array_equal(model.predict(frame), SVC().fit(X, labels.to_numpy()).predict(X))
    assert model.certificate_.verify(frame, labels).status is Status.CONVERGED
    assert model.certificate_.problems[0].label == "setosa against versicolor"
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["d", "c", "b", "a"]])


def test_columns_of_several_types(iris):
    X, y = iris
    columns = {"a": X[:, 0].astype(np.float32), "b": X[:, 1], "c": X[:, 2] > 0, "d": X[:, 3].round().astype(int)}
    frame = pd.DataFrame(columns)
    plain = frame.to_numpy(dtype=float)
    model = SVC().fit(frame, y)
    assert_array_equal(model.predict(frame), SVC().fit(plain, y).predict(plain))


def test_pipeline_and_grid_search(iris):
    X, y = iris
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1, 10], "svc__kernel": ["linear", "rbf"]}, cv=3
    )
    search.fit(X, y)
    assert search.best_score_ > 0.93
    assert search.best_estimator_[-1].certificate_.status is Status.CONVERGED


def test_cross_validation_in_processes_and_in_threads(iris):
    X, y = iris
    serial = cross_val_score(SVC(), X, y, cv=3)
    for backend in ("loky", "threading"):
        with joblib.parallel_config(backend, n_jobs=2):
            assert_array_equal(cross_val_score(SVC(), X, y, cv=3), serial)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_searches_within_cross_validation_in_processes_and_in_threads(iris, n_jobs):
    """Each of the workers has threads of its own."""
    X, y = iris
    searches = [
        GridSearchCV(SVC(n_jobs=n_jobs), {"C": [0.1, 10]}, cv=3, n_jobs=n_jobs),
        SVCCV([0.1, 10], [0.1, 1.0], cv=3, n_jobs=n_jobs),
    ]
    for search in searches:
        serial = cross_val_score(search, X, y, cv=3, error_score="raise")
        for backend in ("loky", "threading"):
            with joblib.parallel_config(backend, n_jobs=2):
                assert_array_equal(cross_val_score(search, X, y, cv=3, error_score="raise"), serial)


def test_precomputed_kernel_is_cut_along_both_sides(iris):
    """Cross-validation has to know that a row is also a column."""
    X, y = iris
    assert_array_equal(
        cross_val_score(SVC(kernel="precomputed"), X @ X.T, y), cross_val_score(SVC(kernel="linear"), X, y)
    )


def test_probabilities_by_calibration(iris):
    X, y = iris
    model = CalibratedClassifierCV(SVC(), ensemble=False).fit(X, y)
    assert model.score(X, y) > 0.9
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_clone_takes_parameters_and_nothing_else(iris):
    X, y = iris
    model = SVC(C=3.0, kernel="poly", gap_tol=1e-5, callback=print, warm_start=True).set_params(callback=None).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "support_")
    assert not hasattr(copy, "certificate_")


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_pickle_and_joblib(iris, tmp_path, kernel):
    X, y = iris
    X = X @ X.T if kernel == "precomputed" else X
    model = SVC(kernel=kernel).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert_array_equal(other.decision_function(X), model.decision_function(X))
        assert other.certificate_ == model.certificate_
        assert other.certificate_.verify(X, y).status is Status.CONVERGED


def test_parameters_of_scikit_learn_have_its_names_and_defaults():
    import inspect

    import sklearn.svm

    ours, theirs = inspect.signature(SVC).parameters, inspect.signature(sklearn.svm.SVC).parameters
    for name, parameter in theirs.items():
        assert name in ours, name
        if name != "probability":  # "deprecated" there since 1.9, False before
            assert ours[name].default == parameter.default, name


def test_a_file_without_the_data_is_small(iris):
    """The model keeps its support vectors, not the rows it was trained on."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(2000, 20)) - 3, rng.normal(size=(2000, 20)) + 3])
    model = SVC(kernel="linear").fit(X, np.repeat([0, 1], 2000))
    assert len(pickle.dumps(model)) < X.nbytes / 10


def test_documentation_of_the_estimator_in_a_notebook(iris):
    X, y = iris
    html = SVC().fit(X, y)._repr_html_()
    assert "SVC" in html
