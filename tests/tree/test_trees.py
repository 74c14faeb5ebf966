"""Decision trees: the splits scikit-learn finds, the formulas they stand on, and what holds them back."""

import copy
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import NotFittedError

from maxmargin.certificates import Status
from maxmargin.plotting import TreeDisplay
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text
from maxmargin.tree._prune import prune, weakest_links

_CLASSES = {"iris": load_iris, "digits": load_digits, "breast_cancer": load_breast_cancer}


@pytest.fixture(scope="module")
def few_values():
    """Rows of whole numbers (every split is exact) with a target of three classes and one of values."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 40, size=(400, 6)).astype(np.float64)
    score = X[:, 0] + 0.5 * X[:, 1] * (X[:, 2] > 20) + rng.normal(size=400)
    return X, np.digitize(score, np.quantile(score, [0.3, 0.7])), score


def leaf_impurity(tree):
    leaf = tree.children_left < 0
    return float((tree.impurity * tree.weighted_n_node_samples)[leaf].sum() / tree.weighted_n_node_samples[0])


# ---------------------------------------------------------------- the same splits as scikit-learn


@pytest.mark.parametrize("name", _CLASSES)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_few_splits_are_scikit_learns(name, criterion):
    X, y = _CLASSES[name](return_X_y=True)
    ours = DecisionTreeClassifier(criterion=criterion, max_depth=2).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=0).fit(X, y)
    assert leaf_impurity(ours.tree_) <= leaf_impurity(theirs.tree_) + 2e-3
    if name != "breast_cancer":  # whose columns have more values than bins
        assert leaf_impurity(ours.tree_) == pytest.approx(leaf_impurity(theirs.tree_), rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"max_depth": 4}, {"min_samples_leaf": 7}, {"max_leaf_nodes": 12}])
def test_regression_is_scikit_learns(few_values, options):
    X, _, y = few_values
    ours = DecisionTreeRegressor(**options).fit(X, y)
    theirs = sklearn.tree.DecisionTreeRegressor(random_state=0, **options).fit(X, y)
    assert ours.tree_.node_count == theirs.tree_.node_count
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    if options:  # in a node of two rows several columns part them equally well
        np.testing.assert_allclose(np.sort(ours.tree_.threshold), np.sort(theirs.tree_.threshold), rtol=1e-12)
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 9, "max_depth": 3},
        {"min_impurity_decrease": 0.01},
        {"min_weight_fraction_leaf": 0.05, "max_depth": 3},
        {"max_leaf_nodes": 6},
        {"class_weight": "balanced", "max_depth": 3},
        {"min_samples_split": 0.3},
    ],
)
def test_limits_are_scikit_learns(few_values, options):
    X, y, _ = few_values
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    ours = DecisionTreeClassifier(**options).fit(X, y, weight)
    theirs = sklearn.tree.DecisionTreeClassifier(random_state=0, **options).fit(X, y, weight)
    assert ours.tree_.node_count == theirs.tree_.node_count
    assert leaf_impurity(ours.tree_) == pytest.approx(leaf_impurity(theirs.tree_), rel=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_pruning_path_is_scikit_learns(few_values):
    X, _, y = few_values
    ours, theirs = DecisionTreeRegressor(), sklearn.tree.DecisionTreeRegressor(random_state=0)
    found, expected = ours.cost_complexity_pruning_path(X, y), theirs.cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(found.ccp_alphas[-20:], expected.ccp_alphas[-20:], rtol=1e-9)
    np.testing.assert_allclose(found.impurities[-20:], expected.impurities[-20:], rtol=1e-9)
    alpha = float(found.ccp_alphas[-8] * 1.0001)
    a, b = ours.set_params(ccp_alpha=alpha).fit(X, y), theirs.set_params(ccp_alpha=alpha).fit(X, y)
    assert a.get_n_leaves() == b.get_n_leaves() > 1
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-12)


@pytest.mark.parametrize("missing", [0.1, 0.5])
def test_missing_values_go_where_more_is_gained(few_values, missing):
    X, y, _ = few_values
    X = np.where(np.random.default_rng(5).random(X.shape) < missing, np.nan, X)
    ours = DecisionTreeClassifier(max_depth=3).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    assert leaf_impurity(ours.tree_) <= leaf_impurity(theirs.tree_) + 1e-12
    assert ours.certificate_.holds
    assert ours.score(X, y) > 0.5


def test_missing_alone_can_be_split_off():
    X, y = np.array([[1.0], [2.0], [np.nan], [np.nan], [3.0]]), [0, 0, 1, 1, 0]
    model = DecisionTreeClassifier().fit(X, y)
    assert model.tree_.node_count == 3
    assert model.tree_.threshold[0] == np.inf
    assert model.predict(X).tolist() == y
    assert model.predict([[1e9], [np.nan]]).tolist() == [0, 1]


# ---------------------------------------------------------------- formulas


def brute_gain(x, y, weight, criterion):
    """The largest weighted gain of a threshold, from the definition."""

    def mass(select):
        w = weight[select]
        if criterion == "squared_error":
            return float(w @ (y[select] - np.average(y[select], weights=w)) ** 2)
        p = np.bincount(y[select], w) / w.sum()
        p = p[p > 0]
        return float(w.sum() * (1 - p @ p if criterion == "gini" else -(p @ np.log2(p))))

    everything, values = np.ones(len(x), dtype=bool), np.unique(x)
    return max(mass(everything) - mass(x <= t) - mass(x > t) for t in values[:-1])


@pytest.mark.parametrize("n", [12, 60, 1500])  # row by row, and by histograms
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("whole", [True, False])
def test_the_root_takes_the_largest_gain(n, criterion, whole):
    rng = np.random.default_rng(n)
    X = rng.integers(0, 30, size=(n, 4)).astype(np.float64)
    classes = ((X[:, 2] + rng.normal(scale=6, size=n)) // 8).astype(int)
    y = classes - classes.min() if criterion != "squared_error" else X[:, 1] + rng.normal(size=n)
    weight = rng.integers(1, 4, n).astype(float) if whole else rng.uniform(0.1, 2.0, n)
    kind = DecisionTreeRegressor if criterion == "squared_error" else DecisionTreeClassifier
    model = kind(criterion=criterion, max_depth=1).fit(X, y, weight)
    best = max(brute_gain(X[:, j], y, weight, criterion) for j in range(4))
    assert model.tree_.gains()[0] == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("y", [np.array([0, 1] * 40), np.arange(80) % 7 * 1.0])
def test_two_classes_and_values_have_the_best_subset_of_categories(y):
    rng = np.random.default_rng(0)
    names = np.array(list("abcdef"))
    column = names[rng.integers(0, 6, 80)]
    y = np.where(np.isin(column, ["b", "e"]), y, 0)
    kind = DecisionTreeRegressor if y.dtype == float else DecisionTreeClassifier
    criterion = "squared_error" if y.dtype == float else "gini"
    model = kind(max_depth=1).fit(pd.DataFrame({"c": column}), y)
    gains = []
    for bits in range(1, 2**5):
        inside = np.isin(column, [name for k, name in enumerate(names) if bits >> k & 1]).astype(float)
        if 0 < inside.sum() < 80:
            gains.append(brute_gain(inside, y, np.ones(80), criterion))
    assert model.tree_.gains()[0] == pytest.approx(max(gains), rel=1e-9)


def test_shares_of_a_leaf_are_its_probabilities():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    leaves = model.apply(X)
    assert len(set(leaves)) == 3
    for leaf in set(leaves):
        shares = np.bincount(y[leaves == leaf], minlength=3) / np.count_nonzero(leaves == leaf)
        np.testing.assert_allclose(model.predict_proba(X[leaves == leaf]), np.tile(shares, (sum(leaves == leaf), 1)))


def test_gains_add_up(few_values):
    X, y, _ = few_values
    figures = DecisionTreeClassifier(criterion="entropy").fit(X, y).certificate_.figures
    assert figures["sum of gains"] == pytest.approx(figures["root impurity"] - figures["leaf impurity"], rel=1e-12)
    assert figures["leaf impurity"] == pytest.approx(0.0, abs=1e-12)
    p = np.bincount(y) / len(y)
    assert figures["root impurity"] == pytest.approx(-(p @ np.log2(p)), rel=1e-12)


def test_subtracted_histograms_find_the_same_tree():
    """Nodes of more than a thousand rows have their histograms by subtraction; scikit-learn sorts."""
    rng = np.random.default_rng(11)
    X = rng.integers(0, 100, size=(6000, 5)).astype(np.float64)
    y = (np.sin(X[:, 0] / 9) + X[:, 3] / 50 + rng.normal(scale=0.3, size=6000) > 1).astype(int)
    ours = DecisionTreeClassifier(min_samples_leaf=50).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(min_samples_leaf=50, random_state=0).fit(X, y)
    assert ours.tree_.node_count == theirs.tree_.node_count
    assert leaf_impurity(ours.tree_) == pytest.approx(leaf_impurity(theirs.tree_), rel=1e-9)


# ---------------------------------------------------------------- invariances


def test_weight_is_repetition_and_zero_weight_is_absence(few_values):
    X, y, _ = few_values
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = DecisionTreeClassifier().fit(X, y, weight)
    repeated = DecisionTreeClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-12)


def test_weight_is_repetition_where_values_share_bins():
    """Bins hold equal weight: 800 values in 255 of them are cut where those of the repeated rows are."""
    rng = np.random.default_rng(0)
    X, counts = np.where(rng.random((800, 3)) < 0.02, np.nan, rng.normal(size=(800, 3))), rng.integers(0, 30, 800)
    y = np.nansum(X, axis=1) + rng.normal(size=800)
    weighted = DecisionTreeRegressor(max_depth=3).fit(X, y, counts)
    repeated = DecisionTreeRegressor(max_depth=3).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert weighted.get_n_leaves() == 8  # deeper, nodes of three rows have equal gains
    np.testing.assert_array_equal(np.sort(weighted.tree_.threshold), np.sort(repeated.tree_.threshold))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-12)


def test_a_monotone_change_of_a_column_changes_no_prediction(few_values):
    X, y, _ = few_values
    a, b = DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier().fit(np.exp(X / 10), y)
    assert np.array_equal(a.predict(X), b.predict(np.exp(X / 10)))


def test_float32_and_float64_agree(few_values):
    X, y, _ = few_values
    a, b = DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier().fit(X.astype(np.float32), y)
    assert np.array_equal(a.tree_.threshold, b.tree_.threshold)
    assert np.array_equal(a.predict(X), b.predict(X.astype(np.float32)))


def test_without_draws_the_seed_does_not_matter_and_with_them_it_does(few_values):
    X, y, _ = few_values
    trees = [DecisionTreeClassifier(random_state=seed).fit(X, y).tree_ for seed in (0, 1)]
    assert np.array_equal(trees[0].threshold, trees[1].threshold)
    drawn = [DecisionTreeClassifier(max_features=1, random_state=seed).fit(X, y).tree_ for seed in (0, 0, 1)]
    assert np.array_equal(drawn[0].threshold, drawn[1].threshold)
    assert not np.array_equal(drawn[0].feature, drawn[2].feature)


# ---------------------------------------------------------------- ways through the tree


def test_paths_end_in_leaves(few_values):
    X, y, _ = few_values
    model = DecisionTreeClassifier(max_depth=5).fit(X, y)
    path, leaves = model.decision_path(X), model.apply(X)
    assert path.shape == (len(X), model.tree_.node_count)
    assert (model.tree_.children_left[leaves] == -1).all()
    assert (np.asarray(path[np.arange(len(X)), leaves]) == 1).all()
    assert np.array_equal(np.asarray(path.sum(axis=1)).ravel(), model.tree_.depths[leaves] + 1)
    assert np.array_equal(np.asarray(path.sum(axis=0)).ravel(), model.tree_.n_node_samples)


def test_children_are_within_reach(few_values):
    tree = DecisionTreeClassifier().fit(*few_values[:2]).tree_
    inner = tree.children_left >= 0
    left, right = tree.children_left[inner], tree.children_right[inner]
    assert sorted([0, *left, *right]) == list(range(tree.node_count))
    assert np.array_equal(tree.n_node_samples[inner], tree.n_node_samples[left] + tree.n_node_samples[right])
    assert tree.depths.max() == tree.max_depth
    assert tree.n_leaves == np.count_nonzero(~inner)


def test_text_is_scikit_learns():
    X, y = load_iris(return_X_y=True)
    ours = DecisionTreeClassifier(max_depth=2).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=4).fit(X, y)
    if ours.tree_.feature[0] == theirs.tree_.feature[0]:  # petal length and width part the first class equally well
        assert export_text(ours, show_weights=True) == sklearn.tree.export_text(theirs, show_weights=True)
    assert "truncated branch of depth" in export_text(DecisionTreeClassifier().fit(X, y), max_depth=1)
    with pytest.raises(ValueError, match="feature_names must contain 4"):
        export_text(ours, feature_names=["a"])
    with pytest.raises(ValueError, match="spacing"):
        export_text(ours, spacing=0)


def test_pickles(few_values):
    X, y, _ = few_values
    model = DecisionTreeClassifier().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(X, y).holds


# ---------------------------------------------------------------- data frames


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(2)
    city = rng.choice(["Oslo", "Rome", "Lima", "Cairo"], 200)
    X = pd.DataFrame({"city": city, "size": rng.normal(size=200), "kind": pd.Categorical(rng.choice(list("xyz"), 200))})
    return X, np.isin(city, ["Oslo", "Cairo"]).astype(int)


def test_categories_are_split_by_subsets(frame):
    X, y = frame
    model = DecisionTreeClassifier().fit(X, y)
    assert model.tree_.node_count == 3
    assert model.score(X, y) == 1.0
    assert model.certificate_.verify(X, y).holds
    assert "city in {Cairo, Oslo}" in export_text(model) or "city in {Lima, Rome}" in export_text(model)
    assert np.isnan(model.tree_.threshold[0])


def test_unseen_categories_go_the_way_of_missing_ones(frame):
    X, y = frame
    model = DecisionTreeClassifier().fit(X, y)
    new = X.head(2).assign(city=["Atlantis", None])
    assert len(set(model.apply(new))) == 1
    with pytest.raises(ValueError, match=r"categories in the columns \['city', 'kind'\]; got ndarray"):
        model.predict(np.zeros((2, 3)))


def test_too_many_categories_are_refused():
    X = pd.DataFrame({"name": [f"n{i}" for i in range(300)]})
    with pytest.raises(ValueError, match="column 'name' has 300 categories; at most 255"):
        DecisionTreeClassifier().fit(X, np.arange(300) % 2)


def test_three_classes_by_category():
    column = np.repeat(list("abcdef"), 10)
    y = np.repeat([0, 1, 2, 0, 1, 2], 10)
    model = DecisionTreeClassifier().fit(pd.DataFrame({"c": column}), y)
    assert model.score(pd.DataFrame({"c": column}), y) == 1.0
    assert model.tree_.n_leaves == 3


# ---------------------------------------------------------------- certificates


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_certificate_tells_true_data_from_false(few_values, kind):
    X, y, score = few_values
    y = y if kind is DecisionTreeClassifier else score
    model = kind(max_depth=6).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(X, y).figures == pytest.approx(model.certificate_.figures)
    other = np.roll(y, 1)
    assert not model.certificate_.verify(X, other).holds
    assert model.certificate_.verify(X, other).status is Status.REFUTED


def test_certificate_catches_a_forged_tree(few_values):
    X, y, _ = few_values
    model = DecisionTreeClassifier(max_depth=4).fit(X, y)
    model.tree_.threshold[0] += 3.0
    del model.tree_.__dict__["paths"]
    assert not model.certificate_.verify(X, y).holds


# ---------------------------------------------------------------- bad and odd input


def test_one_row_and_constant_targets():
    assert DecisionTreeClassifier().fit([[1.0]], [7]).predict([[0.0], [np.nan]]).tolist() == [7, 7]
    assert DecisionTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0]).get_n_leaves() == 1
    assert DecisionTreeClassifier().fit([[np.nan], [np.nan]], [0, 1]).get_n_leaves() == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"splitter": "random"}, "splitter"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst must be None"),
        ({"max_depth": 0}, "max_depth"),
        ({"criterion": "poisson"}, "criterion"),
    ],
)
def test_what_cannot_be_honoured_is_refused(options, words):
    for kind in (DecisionTreeClassifier, DecisionTreeRegressor):
        with pytest.raises(ValueError, match=words):
            kind(**options).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


def test_bad_data_is_refused():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`: -1 for sample 1"):
        DecisionTreeClassifier().fit(X, y, [1.0, -1.0])
    with pytest.raises(ValueError, match="zero"):
        DecisionTreeClassifier().fit(X, y, [0.0, 0.0])
    with pytest.raises(ValueError, match="infinity"):
        DecisionTreeClassifier().fit([[np.inf], [1.0]], y)
    with pytest.raises(ValueError, match="y has 3"):
        DecisionTreeClassifier().fit(X, [0, 1, 1])
    with pytest.raises(ValueError, match=r"y should be a 1d array|shape"):
        DecisionTreeRegressor().fit(X, [[0, 1], [1, 0]])
    with pytest.raises(NotFittedError):
        DecisionTreeClassifier().predict(X)


def test_a_mean_far_from_zero_hides_no_gain(few_values):
    X, _, y = few_values
    near, far = DecisionTreeRegressor(max_depth=5).fit(X, y), DecisionTreeRegressor(max_depth=5).fit(X, y / 1e6 + 1e5)
    np.testing.assert_allclose((far.predict(X) - 1e5) * 1e6, near.predict(X), atol=1e-3)


@pytest.fixture(scope="module")
def chain():
    """A tree of depth 20066, and its rows: each has a value of its own in one of 79 columns, and targets alternate.

    A row at the end of its column is worth more than any two, so that every split takes a single one off.
    """
    at = np.arange(79 * 254)
    X = np.zeros((len(at), 79), dtype=np.float32)
    X[at, at // 254] = at % 254 + 1
    y = np.where(at % 2, 1.0, -1.0) * (1.0 + at / len(at))
    return DecisionTreeRegressor().fit(X, y), X, y


def test_a_chain_of_twenty_thousand_splits_is_walked(chain):
    model, X, y = chain
    assert model.get_depth() > 20_000
    assert model.certificate_.holds
    assert np.array_equal(model.predict(X), y)
    leaves = model.apply(X)
    assert len(np.unique(leaves)) == len(X)
    path = model.decision_path(X[:20])
    assert np.array_equal(path.sum(axis=1).A1, model.tree_.depths[leaves[:20]] + 1)


def test_a_chain_is_written_and_copied(chain):
    model, X, _ = chain
    text = export_text(model)
    assert "truncated branch of depth" in text
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict(X[:50]), model.predict(X[:50]))
    assert TreeDisplay.from_estimator(model).boxes_
    plt.close("all")


def test_a_chain_is_pruned(chain):
    """At each price of the path the leaves cost as much as the path says."""
    tree = chain[0].tree_
    prices, impurities, _ = weakest_links(tree)
    assert len(prices) > 100
    assert np.all(np.diff(prices) >= 0) and np.all(np.diff(impurities) > -1e-12)
    for k in (1, len(prices) // 2, len(prices) - 1):
        small = prune(tree, prices[k] * (1 + 1e-9) + 1e-15)
        leaf = small.children_left < 0
        shares = small.weighted_n_node_samples[leaf] / small.weighted_n_node_samples[0]
        assert (small.impurity[leaf] * shares).sum() == pytest.approx(impurities[k], rel=1e-6)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_sparse_rows_grow_the_same_tree(few_values, kind):
    X, y, _ = few_values
    X = np.where(X < 25, 0.0, X)
    dense, sparse = kind().fit(X, y), kind().fit(sp.csc_array(X), y)
    assert np.array_equal(dense.tree_.threshold, sparse.tree_.threshold)
    assert np.array_equal(dense.predict(X), sparse.predict(sp.csr_matrix(X)))
    assert sparse.certificate_.verify(sp.coo_array(X), y).holds


def test_sparse_rows_of_too_many_columns_are_refused():
    X = sp.csr_array(([1.0], ([0], [0])), shape=(10**5, 10**5))
    with pytest.raises(ValueError, match=r"columns would take 20\.0 GB"):
        DecisionTreeClassifier().fit(X, np.arange(10**5) % 2)
