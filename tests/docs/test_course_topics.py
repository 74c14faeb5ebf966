"""The topics of the course: each has a page that treats it and an example of the gallery that draws it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "course" / "topics.rst"
TOPICS = """
hard and soft margin; primal; Lagrangian; dual; KKT and the three cases; support vectors; C on development data;
subgradient and SGD; projected gradient; kernels: linear, polynomial, RBF; RBF as an infinite sum of polynomials;
explicit maps; Mercer; embedding of a Gram matrix; multiclass, three ways; convexity: chord, tangent, second
derivative; losses: zero-one, perceptron, hinge, logistic; L1 and L2; gradient descent; Newton; conjugate
gradients; momentum; RMSprop; Adam; batch against stochastic; convergence rate; stability; perceptron: order,
normalisation, centring, mistakes; logistic regression: likelihood, gradient; polynomial least squares; weight
decay; overfitting; curse of dimensionality; Cover; choice of k; unbalanced classes; condensing; k-NN: regression;
k-means; elbow; normalised cuts: two-way; recursive, K-way; image segmentation; decision trees: Gini, entropy; node
learners; forests: mean, product of experts; number of trees; bagging with replacement, disjoint; AdaBoost:
weights, resampling; AdaBoost: bound, rounds, stopping; boosting; cascades; sliding windows; bias and variance
"""
TOPICS = [" ".join(topic.split()) for topic in TOPICS.split(";")]
ROWS = re.findall(
    r"^   \* - (.+)\n     - (.+(?:\n       .+)*)\n     - (.+(?:\n       .+)*)",
    PAGE.read_text(encoding="utf-8"),
    re.MULTILINE,
)[1:]


def documents(cell):
    return re.findall(r":doc:`([^`]+)`", cell)


def path_of(document):
    """The source of a page: that of an example is its script."""
    example = re.fullmatch(r"/gallery/(\w+/\w+)", document)
    if example:
        return DOCS / "examples" / f"{example.group(1)}.py"
    return (DOCS / document[1:] if document.startswith("/") else PAGE.parent / document).with_suffix(".rst")


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_its_row(topic):
    words = set(re.findall(r"[\w-]+", topic.lower()))
    assert any(words <= set(re.findall(r"[\w-]+", row[0].lower())) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: re.sub(r"\W+", "_", row[0]))
def test_a_row_has_a_page_and_an_example_that_exist(row):
    _, pages, examples = row
    assert documents(pages) and documents(examples)
    assert all(document.startswith("/gallery/") for document in documents(examples))
    assert [name for name in documents(pages) + documents(examples) if not path_of(name).is_file()] == []


def test_every_line_of_the_table_is_read():
    assert len(ROWS) == PAGE.read_text(encoding="utf-8").count("\n   * - ") - 1


def test_every_example_illustrates_a_topic():
    shown = {path_of(name) for row in ROWS for name in documents(row[2])}
    assert set(DOCS.glob("examples/*/plot_*.py")) - shown == set()
