import numpy as np
import pandas as pd
import pytest
from sklearn import tree as sklearn_tree
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError

from maxmargin.ensemble import BaggingClassifier, RandomForestClassifier
from maxmargin.plotting import TreeDisplay
from maxmargin.plotting._look import number, shortened
from maxmargin.plotting.trees._layout import from_the_root, tidy
from maxmargin.svm import SVC
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def tree(iris):
    return DecisionTreeClassifier(random_state=0).fit(*iris)


def words(display, node):
    return [text.get_text() for text in display.texts_[node]]


def edges(display):
    """Left and right end of each box, and its level."""
    return {n: (b.get_x(), b.get_x() + b.get_width(), b.get_y()) for n, b in display.boxes_.items()}


def random_tree(splits, rng):
    """Children of a tree grown at random."""
    left, right, leaves = [-1], [-1], [0]
    for _ in range(splits):
        node = leaves.pop(int(rng.integers(len(leaves))))
        left[node], right[node] = len(left), len(left) + 1
        leaves += [len(left), len(left) + 1]
        left += [-1, -1]
        right += [-1, -1]
    return np.array(left), np.array(right)


@pytest.mark.parametrize("seed", range(5))
def test_layout_keeps_order_distance_and_symmetry(seed):
    rng = np.random.default_rng(seed)
    left, right = random_tree(40, rng)
    width = rng.uniform(1, 5, len(left))
    x = tidy(left, right, width, gap=0.5)
    inner = left >= 0
    np.testing.assert_allclose(x[inner], (x[left[inner]] + x[right[inner]]) / 2)  # parents in the middle
    level = np.zeros(len(left), dtype=int)
    for node in from_the_root(left, right):
        if inner[node]:
            level[[left[node], right[node]]] = level[node] + 1
    for depth in range(level.max() + 1):
        here = np.array([n for n in from_the_root(left, right) if level[n] == depth])
        starts, ends = x[here] - width[here] / 2, x[here] + width[here] / 2
        assert (starts[1:] - ends[:-1] >= 0.5 - 1e-9).all()  # in order, with a gap
    # a mirror image is the mirror image
    np.testing.assert_allclose(tidy(right, left, width, 0.5), -x, atol=1e-9)


def test_layout_of_a_chain_needs_no_recursion():
    count = 500
    left, right = np.full(2 * count + 1, -1), np.full(2 * count + 1, -1)
    left[np.arange(count) * 2], right[np.arange(count) * 2] = np.arange(count) * 2 + 1, np.arange(count) * 2 + 2
    x = tidy(left, right, np.ones(2 * count + 1), 0.1)
    np.testing.assert_allclose(np.diff(x[::2]), 0.55)  # half a box and half a gap to the right at each split


def test_every_node_says_what_the_tree_holds(tree):
    display = TreeDisplay.from_estimator(tree, max_depth=None)
    t, gains = tree.tree_, tree.tree_.gains() / 150
    assert sorted(display.boxes_) == list(range(t.node_count)) and not display.dots_
    for node in range(t.node_count):
        first, second, third = words(display, node)
        counts = (t.value[node, 0] * t.n_node_samples[node]).round().astype(int)
        rows = "1 row" if sum(counts) == 1 else f"{sum(counts)} rows"
        assert third == f"{rows}: {', '.join(map(str, counts))}"
        if t.children_left[node] < 0:
            assert first == tree.classes_[counts.argmax()]
            assert second == f"gini {number(t.impurity[node], 3)}"
        else:
            assert first == f"{tree.feature_names_in_[t.feature[node]]} ≤ {number(t.threshold[node])}"
            assert second == f"gini {number(t.impurity[node], 3)}, gain {number(gains[node], 3)}"
    title = display.ax_.get_title(loc="left")
    assert title == f"{t.n_leaves} leaves, depth {t.max_depth}: the gains take the Gini index from 0.6667 to 0"


def test_boxes_do_not_overlap_and_hold_their_text(tree):
    display = TreeDisplay.from_estimator(tree, max_depth=4)
    display.figure_.draw_without_rendering()
    boxes = edges(display)
    for a, (left, right, level) in boxes.items():
        for b, (other, _, same) in boxes.items():
            assert b == a or same != level or other >= right or other < left
        frame = display.boxes_[a].get_window_extent()
        for text in display.texts_[a]:
            inside = text.get_window_extent()
            assert frame.x0 < inside.x0 and inside.x1 < frame.x1 and frame.y0 < inside.y0 and inside.y1 < frame.y1
    page = display.figure_.bbox
    for artist in (display.legend_, display.ax_._left_title, *display.boxes_.values()):
        box = artist.get_window_extent()
        assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1


def test_what_is_not_drawn_is_counted(tree):
    display = TreeDisplay.from_estimator(tree, max_depth=2)
    t = tree.tree_
    assert set(display.boxes_) == set(np.flatnonzero(t.depths <= 2))
    below = {n: text.get_text() for n, text in display.dots_.items()}
    assert set(below) == set(np.flatnonzero((t.depths == 2) & (t.children_left >= 0)))
    missing = sum(int(text.split()[1]) for text in below.values())
    assert missing == int(((t.depths >= 2) & (t.children_left >= 0)).sum())
    assert f"drawn to depth 2, {len(display.boxes_)} of {t.node_count} nodes" in display.ax_.get_title(loc="left")
    root = TreeDisplay.from_estimator(tree, max_depth=0)
    assert set(root.boxes_) == {0} and root.dots_[0].get_text() == f"⋯ {t.n_leaves - 1} splits"


def test_branches_are_as_wide_as_their_rows(tree):
    display = TreeDisplay.from_estimator(tree)
    share = tree.tree_.n_node_samples / 150
    nodes = sorted(display.branches_)
    widths = [display.branches_[n].get_linewidth() for n in nodes]
    assert nodes == sorted(set(display.boxes_) - {0})
    np.testing.assert_allclose(np.diff(widths), 8 * np.diff(share[nodes]), atol=1e-9)


@pytest.mark.parametrize("as_frame", [True, False])
def test_way_of_a_row(iris, tree, as_frame):
    row = iris[0].iloc[[100]] if as_frame else iris[0].to_numpy()[100]
    display = TreeDisplay.from_estimator(tree, row=row, max_depth=None)
    path = tree.decision_path(iris[0].iloc[[100]]).indices.tolist()
    bold = [n for n, box in display.boxes_.items() if box.get_linewidth() > 2]
    assert sorted(bold) == sorted(path) and len(path) > 2
    assert "way of the row" in [text.get_text() for text in display.legend_.get_texts()]


def test_values_have_tones_between_the_smallest_and_the_largest():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_depth=3, min_samples_leaf=5).fit(X, y)
    display = TreeDisplay.from_estimator(model)
    means = model.tree_.value[:, 0, 0]
    red = np.array([display.boxes_[n].get_facecolor()[0] for n in range(len(means))])
    np.testing.assert_array_equal(np.argsort(-red, kind="stable"), np.argsort(means, kind="stable"))
    leaf = int(np.flatnonzero(model.tree_.children_left < 0)[0])
    assert words(display, leaf)[0] == number(means[leaf])
    assert words(display, leaf)[1].startswith("variance ")
    assert words(display, 0)[1].startswith(f"mean {number(means[0])}, gain ")
    assert display.legend_.get_texts()[0].get_text() == f"mean {number(means.min())}"


def test_missing_values_and_their_way():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan], [3.0], [4.0]])
    y = [0, 0, 1, 1, 0, 0]
    model = DecisionTreeClassifier().fit(X, y)
    display = TreeDisplay.from_estimator(model, feature_names=["age"], missing=True)
    assert words(display, 0)[0] == "age is known"
    assert "no, missing" in [text.get_text() for text in display.ax_.texts]
    plain = TreeDisplay.from_estimator(model, feature_names=["age"])
    assert not any("missing" in text.get_text() for text in plain.ax_.texts)


def test_categories_are_named():
    towns = np.array(["Bonn", "Graz", "Oslo", "Lyon", "Rome", "Turku"])
    town = np.tile(towns, 10)
    frame = pd.DataFrame({"town": pd.Categorical(town), "age": np.arange(60.0)})
    model = DecisionTreeClassifier(max_depth=1).fit(frame, np.isin(town, ["Graz", "Oslo"]))
    display = TreeDisplay.from_estimator(model)
    first = words(display, 0)[0]
    assert first in ("town in {Graz, Oslo}", "town in {Bonn, Lyon, Rome, 1 more}")
    # left is yes: the box on the left holds the towns that are listed
    assert words(display, 1)[0] == ("class True" if "Graz" in first else "class False")


def test_weights_are_written_as_shares(iris):
    X, y = iris
    model = DecisionTreeClassifier(max_depth=1, class_weight={"setosa": 3.0, "versicolor": 1.0, "virginica": 1.0})
    display = TreeDisplay.from_estimator(model.fit(X, y))
    assert words(display, 0)[2] == "150 rows: 60 %, 20 %, 20 %"


def test_trees_of_scikit_learn_and_members_of_ensembles(iris, ax):
    X, y = iris
    ours = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    theirs = sklearn_tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    a, b = (TreeDisplay.from_estimator(model) for model in (ours, theirs))
    assert sorted(tuple(words(a, n)[1:]) for n in a.boxes_) == sorted(tuple(words(b, n)[1:]) for n in b.boxes_)
    bags = BaggingClassifier(n_estimators=2, random_state=0).fit(X, y)
    display = TreeDisplay.from_estimator(bags.estimators_[0], class_names=bags.classes_, ax=ax)
    assert display.ax_ is ax and display.figure_ is ax.figure
    size = display.texts_[0][0].get_fontsize()
    assert size < 9  # smaller than in full size: the axes are


def test_constant_values_have_one_tone():
    display = TreeDisplay.from_estimator(DecisionTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0]))
    assert [text.get_text() for text in display.legend_.get_texts()][:-1] == ["mean 3"]


def test_categories_of_a_member_have_names():
    rng = np.random.default_rng(0)
    town = rng.choice(["Bonn", "Graz", "Oslo", "Lyon"], 100)
    frame = pd.DataFrame({"town": pd.Categorical(town)})
    forest = RandomForestClassifier(2, random_state=0).fit(frame, np.isin(town, ["Graz", "Oslo"]))
    display = TreeDisplay.from_estimator(forest.estimators_[0])
    assert words(display, 0)[0] in ("town in {Bonn, Lyon}", "town in {Graz, Oslo}")


def test_single_leaf_and_many_classes():
    leaf = TreeDisplay.from_estimator(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]))
    assert leaf.ax_.get_title(loc="left") == "a single leaf" and words(leaf, 0)[0] == "a"
    rng = np.random.default_rng(0)
    many = DecisionTreeClassifier(max_depth=2).fit(rng.normal(size=(60, 2)), np.arange(60) % 12)
    display = TreeDisplay.from_estimator(many)
    assert words(display, 0)[2] == "60 rows, 8 % class 0"  # too many to list
    node = int(np.argmax((many.tree_.children_left < 0) * many.tree_.n_node_samples))  # the largest leaf
    share = many.tree_.value[node, 0]
    assert words(display, node)[0] == f"class {share.argmax()}"
    assert words(display, node)[2] == f"{many.tree_.n_node_samples[node]} rows, {100 * share.max():.0f} %"
    assert len(display.legend_.get_texts()) == 1  # or to name


def test_plot_again_and_without_legend(tree, pyplot):
    display = TreeDisplay.from_estimator(tree)
    first = display.ax_
    assert display.plot(legend=False) is display
    assert display.ax_ is not first and display.legend_ is None
    assert len(pyplot.get_fignums()) == 2


def test_dollars_are_no_formula(ax):
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["$a$", "b"])
    TreeDisplay.from_estimator(model, feature_names=["price in $ or $"], ax=ax)
    ax.figure.draw_without_rendering()


def test_long_names_and_numbers():
    assert shortened("short") == "short"
    assert len(shortened("x" * 100)) == 28 and "…" in shortened("x" * 100)
    assert [number(v) for v in (0.0, -0.0, 0.5, -1.25, 123456.7, 1e-9, 2.5e12)] == [
        "0", "0", "0.5", "−1.25", "123457", "1e−9", "2.5e12",
    ]  # fmt: skip


def test_what_cannot_be_drawn_is_refused(iris, tree):
    X, y = iris
    draw = TreeDisplay.from_estimator
    with pytest.raises(NotFittedError):
        draw(DecisionTreeClassifier())
    with pytest.raises(TypeError, match=r"draws decision trees, such as .* got SVC\."):
        draw(SVC())
    with pytest.raises(TypeError, match="got BaggingClassifier; draw one of its estimators_"):
        draw(BaggingClassifier(n_estimators=2).fit(X, y))
    with pytest.raises(ValueError, match="feature_names must have a name for each of the 4 features; got 2"):
        draw(tree, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="feature_names must be a sequence of names; got the single text 'abcd'"):
        draw(tree, feature_names="abcd")
    with pytest.raises(ValueError, match="class_names must have a name for each of the 3 classes; got 1"):
        draw(tree, class_names=["a"])
    with pytest.raises(ValueError, match="class_names has no meaning for a DecisionTreeRegressor"):
        draw(DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]), class_names=["a"])
    for wrong in (-1, 1.5, True):
        with pytest.raises(ValueError, match="max_depth must be a whole number of at least 0, or None"):
            draw(tree, max_depth=wrong)
    with pytest.raises(ValueError, match="row must be a single row of the table; got 2 rows"):
        draw(tree, row=X.iloc[:2])
    with pytest.raises(ValueError, match="features"):
        draw(tree, row=[1.0, 2.0])
    several = sklearn_tree.DecisionTreeRegressor().fit([[1.0], [2.0]], [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="one output; this DecisionTreeRegressor has several"):
        draw(several)
