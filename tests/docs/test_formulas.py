"""Formulas of the manual: signs, names of functions and primes are set as TeX sets them."""

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"
M = "http://www.w3.org/1998/Math/MathML"


@pytest.fixture(scope="module")
def spaces():
    spec = importlib.util.spec_from_file_location("mathml_spaces", EXTENSIONS / "mathml_spaces.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def settle(spaces):
    """The parts of a formula by their text, after spaces were set."""

    def settled(row):
        tree = ElementTree.fromstring(f'<mrow xmlns="{M}">{row}</mrow>')
        for part in tree.iter():
            spaces.set_spaces(part)
        return {part.text: part for part in tree.iter() if part.text}, tree

    return settled


@pytest.mark.parametrize(
    ("row", "is_sign"),
    [
        ("<mo>−</mo><mi>x</mi>", True),
        ("<mi>x</mi><mo>=</mo><mo>−</mo><mn>1</mn>", True),
        ("<mo>{</mo><mo>−</mo><mn>1</mn>", True),
        ("<munder><mo>=</mo><mi>i</mi></munder><mo>−</mo><mn>1</mn>", True),
        ("<mtext>where</mtext><mo>−</mo><mn>1</mn>", True),
        ("<mo>‖</mo><mo>−</mo><mi>w</mi><mo>‖</mo>", True),
        ("<mo>‖</mo><mi>w</mi><mo>‖</mo><mo>−</mo><mn>1</mn>", False),
        ("<mo>‖</mo><mi>w</mi><msup><mo>‖</mo><mn>2</mn></msup><mo>−</mo><mn>1</mn>", False),
        ('<mo form="postfix">‖</mo><mo>−</mo><mn>1</mn>', False),
        ("<mi>x</mi><mo>−</mo><mn>1</mn>", False),
        ("<mo>)</mo><mo>−</mo><mn>1</mn>", False),
        ("<msup><mo>)</mo><mn>2</mn></msup><mo>−</mo><mn>1</mn>", False),
    ],
)
def test_a_sign_is_told_from_a_difference(settle, row, is_sign):
    assert (settle(row)[0]["−"].get("form") == "prefix") is is_sign


@pytest.mark.parametrize(
    ("row", "left", "right"),
    [
        ("<mi>t</mi><mi>log</mi><mi>p</mi>", True, True),
        ("<mi>log</mi><mo>(</mo>", False, False),
        ("<mi>x</mi><mo>+</mo><mi>log</mi><mi>p</mi>", False, True),
        ("<mi>C</mi><mo>log</mo><mo>(</mo>", True, False),
        ("<munder><mo>log</mo><mi>w</mi></munder><mi>L</mi>", False, True),
    ],
)
def test_the_name_of_a_function_keeps_its_distance_from_letters_alone(settle, row, left, right):
    name = settle(row)[0]["log"]
    assert name.tag == f"{{{M}}}mo"
    assert (name.get("lspace") != "0", name.get("rspace") != "0") == (left, right)


def test_a_prime_is_not_raised_twice(settle):
    parts, tree = settle("<msup><mi>σ</mi><mi>′</mi></msup>")
    assert tree[0].tag == f"{{{M}}}mrow"
    assert (parts["′"].tag, parts["′"].get("lspace")) == (f"{{{M}}}mo", "0")


def test_a_power_is_raised(settle):
    assert settle("<msup><mi>w</mi><mn>2</mn></msup>")[1][0].tag == f"{{{M}}}msup"


def test_a_bold_digit_is_a_letter_of_its_own(spaces):
    part = ElementTree.fromstring('<mn mathvariant="bold">10</mn>')
    spaces.set_bold(part)
    assert (part.text, part.attrib) == ("\U0001d7cf\U0001d7ce", {})


def test_infinity_is_a_number(settle):
    assert settle("<mo>−</mo><mo>∞</mo>")[0]["∞"].tag == f"{{{M}}}mi"
