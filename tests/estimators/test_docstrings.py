"""Docstrings are complete, whether a class writes them out or leaves what is usual to its bases."""

import importlib
import inspect
from dataclasses import dataclass

import pytest
from sklearn.base import ClassifierMixin
from sklearn.externals._numpydoc.docscrape import ClassDoc, FunctionDoc

from maxmargin.estimators import Reported

ROOMS = (
    "cluster", "ensemble", "kernel_approximation", "kernel_model", "linear_model", "neighbors", "search", "svm", "tree",
)  # fmt: skip


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


def names(entries):
    return [part.strip().lstrip("*") for entry in entries for part in entry.name.split(",")]


@pytest.mark.parametrize(
    "estimator",
    [found for found in estimators() if not inspect.isabstract(found)],
    ids=lambda estimator: estimator.__name__,
)
def test_every_parameter_of_a_class_is_described_once(estimator):
    doc = ClassDoc(estimator)
    assert sorted(names(doc["Parameters"])) == sorted(inspect.signature(estimator).parameters)
    assert len(set(names(doc["Attributes"]))) == len(names(doc["Attributes"])) > 0


@pytest.mark.parametrize("estimator", list(estimators()), ids=lambda estimator: estimator.__name__)
def test_every_argument_of_a_method_is_described(estimator):
    for name, method in public_methods(estimator):
        doc = FunctionDoc(method)
        missing = set(list(inspect.signature(method).parameters)[1:]) - set(names(doc["Parameters"]))
        assert not missing, f"{estimator.__name__}.{name}"


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


def test_a_class_is_completed_by_its_bases_and_what_it_says_stays():
    @dataclass(kw_only=True)
    class Parameters:
        """What learners share.

        Parameters
        ----------
        speed : float, default=1.0
            Of learning.
        patience : int, default=3
            With teachers.

        """

        speed: float = 1.0
        patience: int = 3

    class Base(Parameters, Reported):
        """Not for direct use.

        Attributes
        ----------
        grade_, rank_
            As at school.

        """

    @dataclass(kw_only=True)
    class Learner(Base):
        """Learns.

        Parameters
        ----------
        patience : int, default=5
            With itself.
        words : str, default=""
            To learn.

        Attributes
        ----------
        rank_ : int
            Among all.

        Examples
        --------
        >>> Learner()

        """

        patience: int = 5
        words: str = ""
        speed_limit = 3.0  # no parameter

    @dataclass(kw_only=True)
    class Better(Learner):
        """Learns more.

        Parameters
        ----------
        speed, patience, words
            As in `Learner`.

        """

    doc = ClassDoc(Learner)
    assert [(entry.name, entry.desc) for entry in doc["Parameters"]] == [
        ("patience", ["With itself."]),
        ("words", ["To learn."]),
        ("speed", ["Of learning."]),
    ]
    assert [(entry.name, entry.desc) for entry in doc["Attributes"]] == [
        ("rank_", ["Among all."]),
        ("grade_", ["As at school."]),
    ]
    assert doc["Examples"] == [">>> Learner()"]
    better = ClassDoc(Better)  # of what is for direct use nothing is taken, except through its own words
    assert [entry.name for entry in better["Attributes"]] == ["grade_, rank_"]
