"""Docstrings of methods are complete, whether a class writes them out or leaves the usual arguments to the base."""

import importlib
import inspect

import pytest
from sklearn.base import ClassifierMixin
from sklearn.externals._numpydoc.docscrape import FunctionDoc

from maxmargin.estimators import Reported

ROOMS = ("cluster", "ensemble", "linear_model", "neighbors", "search", "svm", "tree")


def estimators():
    for room in ROOMS:
        module = importlib.import_module(f"maxmargin.{room}")
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found) and issubclass(found, Reported):
                yield found


def public_methods(estimator):
    for name, method in inspect.getmembers(estimator, inspect.isfunction):
        ours = method.__module__.startswith("maxmargin.")
        if ours and not name.startswith(("_", "set_")):
            yield name, method


@pytest.mark.parametrize("estimator", list(estimators()), ids=lambda estimator: estimator.__name__)
def test_every_argument_of_a_method_is_described(estimator):
    for name, method in public_methods(estimator):
        doc = FunctionDoc(method)
        described = {part.strip().lstrip("*") for entry in doc["Parameters"] for part in entry.name.split(",")}
        assert described >= set(list(inspect.signature(method).parameters)[1:]), f"{estimator.__name__}.{name}"


@pytest.mark.parametrize("estimator", list(estimators()), ids=lambda estimator: estimator.__name__)
def test_every_prediction_says_its_shape(estimator):
    for name, method in public_methods(estimator):
        if "predict" in name and not name.endswith("cost"):
            doc = FunctionDoc(method)
            assert "shape" in str(doc["Returns"] or doc["Yields"]), f"{estimator.__name__}.{name}"


def test_a_docstring_is_completed_and_what_it_says_stays():
    class Learner(ClassifierMixin, Reported):
        _arguments = {"sample_weight": "sample_weight : array-like\n    In grams."}

        def fit(self, X, y, sample_weight=None):
            """Learn."""

        def predict(self, X):
            """Answer.

            Returns
            -------
            list of str
                In capitals.

            """

        def staged_score(self, X, y):
            """One after the other."""

        def explain(self, X, words):
            """Has an argument that is not known."""

    fit = FunctionDoc(Learner.fit)
    assert [entry.name for entry in fit["Parameters"]] == ["X", "y", "sample_weight"]
    assert fit["Parameters"][1].desc == ["Labels: numbers, strings or booleans."]
    assert fit["Parameters"][2].desc == ["In grams."]
    assert fit["Returns"][0].type == "self"
    predict = FunctionDoc(Learner.predict)
    assert [entry.name for entry in predict["Parameters"]] == ["X"]
    assert predict["Returns"][0].desc == ["In capitals."]
    assert FunctionDoc(Learner.staged_score)["Yields"][0].type == "float"
    assert Learner.explain.__doc__.strip() == "Has an argument that is not known."
