"""The tour that says what has to be compiled: it misses no public estimator, and all that it asks is allowed."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

import maxmargin
from maxmargin.compile._tour import (
    CASES,
    DEMO,
    STORAGES,
    cases_of,
    estimators,
    jobs,
    make_rows,
    make_targets,
    use,
)


def public_estimators():
    for room in maxmargin._ROOMS:
        module = getattr(maxmargin, room)
        for name in module.__all__:
            kind = getattr(module, name)
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator) and not inspect.isabstract(kind):
                yield f"{room}.{name}"


def test_every_public_estimator_is_on_the_tour():
    names = {name.split()[0] for name in jobs()} - {DEMO}
    classes = {kind_of(name) for name in names}
    missing = [name for name in public_estimators() if kind_of(name) not in classes]
    assert missing == [
        "neighbors.SyntheticOverSampler",
        "neighbors.UnderSampler",
        "tables.ColumnReader",
        "tables.DenseRows",
    ]  # none of their own
    assert len(names) > 30


def test_the_rooms_have_every_compiled_function():
    code = """
import pkgutil
from importlib import import_module
import maxmargin
from maxmargin.compile._tour import rooms
from maxmargin.engine import _recording
rooms()
loaded = set(_recording._functions)
for module in pkgutil.walk_packages(maxmargin.__path__, "maxmargin."):
    if not module.name.endswith("__main__"):
        import_module(module.name)
print(len(loaded), set(_recording._functions) - loaded)
"""
    count, missing = subprocess.check_output([sys.executable, "-c", code], text=True).split(maxsplit=1)
    assert int(count) > 100 and missing.strip() == "set()"


def kind_of(name):
    room, kind = name.split(".")
    return getattr(getattr(maxmargin, room), kind)


def test_every_estimator_is_used_with_its_defaults_in_every_storage():
    for name in estimators():
        first = cases_of(name)[0]
        assert first.parameters == {} and first.rows == 600 and first.storages == STORAGES


@pytest.mark.parametrize("name", CASES)
def test_parameters_are_allowed(name):
    for case in CASES[name]:
        parameters = {("weights" if key == "weights_of" else key): value for key, value in case.parameters.items()}
        estimators()[name](**parameters)._validate_params()


def test_jobs_are_all_that_there_is_to_do():
    names = jobs()
    assert len(names) == len(set(names)) == len(estimators()) * len(STORAGES) + 1


def test_rows_are_the_same_in_every_storage():
    dense, narrow, sparse, both = map(make_rows, STORAGES)
    assert dense.dtype == np.float64 and narrow.dtype == np.float32 and sp.issparse(sparse)
    assert both.dtype == np.float32 and sp.issparse(both)
    np.testing.assert_array_equal(both.toarray(), sparse.toarray().astype(np.float32))
    np.testing.assert_array_equal(dense.astype(np.float32), narrow)
    kept = sparse.toarray() != 0
    np.testing.assert_array_equal(sparse.toarray()[kept], dense[kept])


def test_all_classes_are_there():
    for cases in CASES.values():
        for case in cases:
            assert len(np.unique(make_targets(case, values=False))) == case.classes


@pytest.mark.parametrize("storage", STORAGES)
def test_an_estimator_is_asked_for_all_that_it_can_say(storage):
    asked = []

    class Spy(BaseEstimator):
        def fit(self, X, y, sample_weight=None):
            asked.append("fit")
            return self

        def predict(self, X):
            asked.append("predict")

        def score(self, X, y):
            asked.append("score")

        def staged_predict(self, X):
            yield asked.append("staged_predict")

        def transform(self, X):
            raise TypeError("not now")

    [(question, error)] = use(Spy, cases_of("svm.SVC")[0], storage)
    assert "transform" in question and str(error) == "not now"
    assert {"fit", "predict", "score", "staged_predict"} == set(asked)
