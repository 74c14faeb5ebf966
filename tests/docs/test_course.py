"""The course: its examples and the answers to its exercises print what the pages say, and each chapter is complete."""

import doctest
import re
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[2] / "docs" / "course"
CHAPTERS = sorted(COURSE.glob("[01]*.rst"))


def test_there_are_ten_and_the_index_lists_them():
    index = (COURSE / "index.rst").read_text(encoding="utf-8")
    assert len(CHAPTERS) == 10
    assert re.findall(r"^   (\d\d_\w+)$", index, re.MULTILINE) == [chapter.stem for chapter in CHAPTERS]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_what_is_printed_is_what_the_page_says(chapter):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failures, examples = doctest.testfile(str(chapter), module_relative=False, optionflags=options, encoding="utf-8")
    assert failures == 0
    assert examples > 10


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_chapter_has_formulas_a_figure_an_example_and_three_exercises(chapter):
    text = chapter.read_text(encoding="utf-8")
    assert ".. math::" in text
    assert re.search(r"^\.\. figure:: /gallery/", text, re.MULTILINE)
    example, _, exercises = text.partition("\nExercises\n---------\n")
    assert re.search(r"^>>> ", example, re.MULTILINE)
    assert re.findall(r"^\*\*(\d)\.\*\*", exercises, re.MULTILINE) == ["1", "2", "3"]
    answers = exercises.split(".. answer::")[1:]
    assert len(answers) == 3
    assert all(re.search(r"^ +>>> ", answer, re.MULTILINE) for answer in answers)
