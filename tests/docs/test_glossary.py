"""The glossary: every word has one entry, and the words of the field are there."""

import re
from collections import Counter
from pathlib import Path

GLOSSARY = (Path(__file__).parents[2] / "docs" / "glossary.rst").read_text(encoding="utf-8")
TERMS = re.findall(r"^   (\S.*)$", GLOSSARY.partition(".. glossary::\n")[2], re.MULTILINE)[1:]  # after an option


def test_no_word_has_two_entries():
    assert [term for term, entries in Counter(map(str.lower, TERMS)).items() if entries > 1] == []


def test_the_words_of_the_field_are_there():
    wanted = {
        "margin",
        "margin boundary",
        "margin width",
        "support vector",
        "dual coefficients",
        "duality gap",
        "precision",
        "recall",
        "false positive rate",
        "outside, on, inside",
        "Lagrangian",
        "KKT conditions",
        "hard margin",
        "soft margin",
    }
    assert wanted - set(TERMS) == set()
