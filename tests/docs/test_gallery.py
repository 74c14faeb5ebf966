"""The gallery: enough of it, in the form of the others, and with every display and every estimator."""

import ast
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import maxmargin.plotting

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*/plot_*.py"))
ROOMS = (
    "cluster",
    "detection",
    "ensemble",
    "kernel_approximation",
    "kernel_model",
    "linear_model",
    "neighbors",
    "svm",
    "tree",
)


def imported_names(script, package="maxmargin"):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    parts = [part for part in ast.walk(tree) if isinstance(part, ast.ImportFrom)]
    return {alias.name for part in parts if (part.module or "").startswith(package) for alias in part.names}


def public_estimators(rooms=ROOMS):
    for room in rooms:
        module = import_module(f"maxmargin.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, type) and (issubclass(thing, BaseEstimator) or hasattr(thing, "fit")):
                yield name


SHOWN = set().union(*map(imported_names, SCRIPTS))


def test_there_are_thirty_and_more():
    assert len(SCRIPTS) >= 30


def test_no_room_with_estimators_is_forgotten():
    folders = (Path(maxmargin.__file__).parent).glob("*/__init__.py")
    found = set()
    for folder in folders:
        module = import_module(f"maxmargin.{folder.parent.name}")
        things = [getattr(module, name) for name in getattr(module, "__all__", ())]
        own = [
            t for t in things if isinstance(t, type) and issubclass(t, BaseEstimator) and not t.__name__.startswith("_")
        ]
        if any(thing.__doc__ and "Examples\n" in thing.__doc__ for thing in own):
            found.add(folder.parent.name)
    # readers of columns belong to tables, which have pages of their own; the cluster has a test of its own
    assert found - {"tables", "dask"} <= set(ROOMS)


def test_every_estimator_is_shown():
    assert sorted(set(public_estimators()) - SHOWN) == []


def test_every_estimator_of_a_cluster_is_shown():
    shown = set().union(*(imported_names(script, "maxmargin.dask") for script in SCRIPTS))
    assert sorted(set(public_estimators(["dask"])) - shown) == []


def test_every_display_is_shown():
    displays = {name for name in maxmargin.plotting.__all__ if name != "Display"}
    assert sorted(displays - SHOWN) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: f"{script.parent.name}/{script.stem}")
def test_an_example_is_short_and_has_a_title_and_two_paragraphs(script):
    text = script.read_text(encoding="utf-8")
    words = ast.get_docstring(ast.parse(text))
    title, line, *rest = words.split("\n")
    assert set(line) == {"="} and len(line) == len(title)
    assert len(re.split(r"\n\n", "\n".join(rest).strip())) >= 2
    assert len(text.splitlines()) <= 70


def test_groups_have_headings():
    assert {script.parent for script in SCRIPTS} == {head.parent for head in EXAMPLES.glob("*/GALLERY_HEADER.rst")}


def test_every_example_has_a_name_of_its_own():
    names = Counter(script.name for script in SCRIPTS)
    assert [name for name, count in names.items() if count > 1] == []
