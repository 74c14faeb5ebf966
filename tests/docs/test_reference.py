"""The reference: what a docstring refers to without its module is public where the class is listed.

A description may be inherited from a class of another room; Sphinx then looks for the name in the room that shows it.
"""

import re
from importlib import import_module
from pathlib import Path

import pytest

import maxmargin

ROOMS = sorted(folder.parent.name for folder in Path(maxmargin.__file__).parent.glob("*/__init__.py"))
ROLE = re.compile(r":(?:class|func):`~?(\w+)`")


def test_a_role_is_read():
    assert ROLE.findall("see :class:`SVC`, :func:`~train` and :class:`~maxmargin.svm.SVC`") == ["SVC", "train"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_short_reference_leads_somewhere(room):
    module = import_module(f"maxmargin.{room}")
    things = [(name, getattr(module, name)) for name in getattr(module, "__all__", ())]
    unknown = {
        (name, word)
        for name, thing in things
        for word in ROLE.findall(getattr(thing, "__doc__", None) or "")
        if not hasattr(module, word)
    }
    assert unknown == set()
