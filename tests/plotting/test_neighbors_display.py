import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure
from sklearn import neighbors as sklearn_neighbors
from sklearn.datasets import load_iris, make_moons
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor
from maxmargin.plotting import NeighborsDisplay
from maxmargin.svm import SVC


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.2, random_state=0)


def grid_of(display):
    return np.stack(np.meshgrid(display.a, display.b), axis=-1).reshape(-1, 2)


def as_set(collections):
    return {tuple(point) for collection in collections for point in np.asarray(collection.get_offsets())}


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_regions_are_the_predictions(moons, ax):
    X, y = moons
    model = KNeighborsClassifier(7).fit(X, y)
    display = NeighborsDisplay.from_estimator(model, X, y, grid_resolution=40, ax=ax)
    grid = grid_of(display)
    np.testing.assert_array_equal(display.winner.ravel(), model.predict(grid))
    np.testing.assert_allclose(display.share.ravel(), model.predict_proba(grid).max(axis=1))
    assert display.ax_ is ax and display.figure_ is ax.figure
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature 0", "feature 1")
    assert display.prototypes_ == []


def test_closer_votes_are_paler(moons, ax):
    X, y = moons
    model = KNeighborsClassifier(15).fit(X, y)
    display = NeighborsDisplay.from_estimator(model, X, y, grid_resolution=40, ax=ax)
    picture = np.asarray(display.regions_.get_array())
    here = display.winner == 0
    order = np.argsort(display.share[here])
    red = picture[here][order, 0]  # of blue: the less of it, the stronger
    assert display.share[here].min() < 0.6 and display.share[here].max() == 1
    assert (np.diff(red) <= 1e-12).all() and red[0] > red[-1]


def test_every_row_is_drawn_once_and_wrong_ones_ringed(moons, ax):
    X, y = moons
    model = KNeighborsClassifier(15).fit(X, y)
    display = NeighborsDisplay.from_estimator(model, X, y, grid_resolution=20, ax=ax)
    assert sum(len(c.get_offsets()) for c in display.points_) == len(X)
    assert as_set(display.points_) == {tuple(row) for row in X}
    wrong = model.predict(X) != y
    assert as_set([display.rings_]) == {tuple(row) for row in X[wrong]} and wrong.any()
    assert legend_texts(display) == ["class 0: 60", "class 1: 60", f"wrong: {wrong.sum()} of 120"]


def test_prototypes_stand_out_and_the_rest_is_faint(moons, ax):
    X, y = moons
    model = CondensedNearestNeighbors(reduce=True).fit(X, y)
    display = NeighborsDisplay.from_estimator(model, X, y, grid_resolution=40, ax=ax)
    kept = {tuple(row) for row in model.prototypes_}
    assert as_set(display.prototypes_) == kept
    assert as_set(display.points_) == {tuple(row) for row in X} - kept
    assert min(c.get_sizes()[0] for c in display.prototypes_) > 2 * max(c.get_sizes()[0] for c in display.points_)
    assert all(c.get_alpha() < 0.5 for c in display.points_)
    count = len(kept)
    assert f"prototypes: {count} of 120 ({100 * count / 120:.1f} %)" in legend_texts(display)
    assert "wrong: 0 of 120" in legend_texts(display)
    np.testing.assert_array_equal(display.winner.ravel(), model.predict(grid_of(display)))


def test_borders_of_prototypes_are_where_two_classes_are_equally_near(moons, ax):
    X, y = moons
    model = CondensedNearestNeighbors(reduce=True).fit(X, y)
    display = NeighborsDisplay.from_estimator(model, X, y, grid_resolution=200, ax=ax)
    lines = [c for c in ax.collections if isinstance(c, QuadContourSet)]
    vertices = np.concatenate([path.vertices for line in lines for path in line.get_paths()])
    apart = np.linalg.norm(vertices[:, None] - model.prototypes_[None], axis=2)
    zero, one = (apart[:, model.prototype_labels_ == k].min(axis=1) for k in (0, 1))
    step = max(display.a[1] - display.a[0], display.b[1] - display.b[0])
    assert len(vertices) > 100
    assert np.abs(zero - one).max() < step
    assert np.median(np.abs(zero - one)) < 1e-9  # exact but for corners
    # the sign says who is nearer
    np.testing.assert_array_equal(display.borders[..., 1] > 0, display.winner == 1)


def test_two_of_four_features_with_the_others_at_their_means(ax):
    iris = load_iris(as_frame=True)
    words = iris.target_names[iris.target]
    model = KNeighborsClassifier(5).fit(iris.data, words)
    chosen = "petal length (cm)", "petal width (cm)"
    display = NeighborsDisplay.from_estimator(model, iris.data, words, features=chosen, grid_resolution=12, ax=ax)
    X, mean = iris.data.to_numpy(), iris.data.to_numpy().mean(axis=0)
    rows = np.tile(mean, (144, 1))
    rows[:, 2:] = grid_of(display)
    fresh = KNeighborsClassifier(5).fit(X, words)
    np.testing.assert_array_equal(np.array(model.classes_)[display.winner.ravel()], fresh.predict(rows))
    np.testing.assert_array_equal(display.points, X[:, 2:])
    assert (ax.get_xlabel(), ax.get_ylabel()) == chosen
    assert display.classes == ("setosa", "versicolor", "virginica")
    assert ax.get_title(loc="left").startswith("A section of the space of 4 features")


def test_condensed_model_in_a_section(ax):
    X, y = load_iris(return_X_y=True)
    model = CondensedNearestNeighbors().fit(X, y)
    display = NeighborsDisplay.from_estimator(model, X, y, features=(2, 3), grid_resolution=60, ax=ax)
    clear = np.sort(np.abs(display.borders), axis=-1)[..., 0] > 1e-9  # not on a border
    np.testing.assert_array_equal(display.borders.argmax(axis=-1)[clear], display.winner[clear])


@pytest.mark.parametrize("features", [(0, 2), "principal"])
def test_sparse_rows_are_drawn_like_dense_ones(features):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((80, 4)) < 0.5, rng.normal(size=(80, 4)), 0.0)
    y = (X[:, 0] + X[:, 2] > 0).astype(int)
    displays = []
    for rows in (X, sp.csr_matrix(X)):
        model = CondensedNearestNeighbors().fit(rows, y)
        new = Figure().add_subplot()
        displays.append(NeighborsDisplay.from_estimator(model, rows, y, features=features, grid_resolution=20, ax=new))
    dense, sparse = displays
    np.testing.assert_allclose(sparse.points, dense.points, atol=1e-9)
    np.testing.assert_array_equal(sparse.winner, dense.winner)
    np.testing.assert_allclose(sparse.borders, dense.borders, atol=1e-9)


def test_pipeline_is_drawn_in_the_space_of_its_last_step(moons, ax):
    X, y = moons
    frame = pd.DataFrame(X, columns=["length", "width"])
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(frame, y)
    display = NeighborsDisplay.from_estimator(pipeline, frame, y, grid_resolution=10, ax=ax)
    np.testing.assert_allclose(display.points, pipeline[:-1].transform(frame))
    assert display.axis_names == ("length", "width")  # still the columns of the frame


def test_pipeline_whose_steps_make_other_columns(moons, ax):
    X, y = moons
    frame = pd.DataFrame(X, columns=["length", "width"])
    turned = make_pipeline(PCA(2), KNeighborsClassifier()).fit(frame, y)
    assert NeighborsDisplay.from_estimator(turned, frame, y, grid_resolution=9, ax=ax).axis_names == ("pca0", "pca1")
    nameless = make_pipeline(FunctionTransformer(np.asarray), KNeighborsClassifier()).fit(frame, y)
    display = NeighborsDisplay.from_estimator(nameless, frame, y, grid_resolution=9, ax=ax)
    assert display.axis_names == ("feature 0", "feature 1")
    alone = make_pipeline(KNeighborsClassifier()).fit(frame, y)
    assert NeighborsDisplay.from_estimator(alone, frame, y, grid_resolution=9, ax=ax).axis_names == ("length", "width")


def test_scikit_learn_and_many_classes(ax):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 10
    model = sklearn_neighbors.KNeighborsClassifier(3).fit(X, y)
    display = NeighborsDisplay.from_estimator(model, X, y, grid_resolution=20, ax=ax)
    assert legend_texts(display) == [f"wrong: {(model.predict(X) != y).sum()} of 60"]  # too many to name
    assert len(display.points_) == 10


def test_one_class(ax):
    X = np.random.default_rng(0).normal(size=(9, 2))
    for model in (KNeighborsClassifier(3), CondensedNearestNeighbors()):
        display = NeighborsDisplay.from_estimator(model.fit(X, np.zeros(9)), X, np.zeros(9), grid_resolution=9, ax=ax)
        assert (display.winner == 0).all()


def test_plot_again_and_without_legend(moons, pyplot, assert_laid_out):
    X, y = moons
    display = NeighborsDisplay.from_estimator(KNeighborsClassifier().fit(X, y), X, y, grid_resolution=20)
    assert_laid_out(display, display.ax_)
    first = display.ax_
    assert display.plot(legend=False) is display
    assert display.ax_ is not first and display.legend_ is None
    assert len(pyplot.get_fignums()) == 2


def test_what_cannot_be_drawn_is_refused(moons):
    X, y = moons
    draw, knn = NeighborsDisplay.from_estimator, KNeighborsClassifier(3)
    with pytest.raises(TypeError, match=r"classifiers by nearest neighbours, such as .* got SVC\."):
        draw(SVC().fit(X, y), X, y)
    with pytest.raises(TypeError, match=r"got KNeighborsRegressor\."):
        draw(KNeighborsRegressor(3).fit(X, y), X, y)
    with pytest.raises(TypeError, match="got str"):
        draw("model", X, y)
    with pytest.raises(NotFittedError):
        draw(KNeighborsClassifier(), X, y)
    with pytest.raises(NotFittedError):
        draw(CondensedNearestNeighbors(), X, y)
    with pytest.raises(ValueError, match="two features or more; X has 1"):
        draw(KNeighborsClassifier().fit(X[:, :1], y), X[:, :1], y)
    with pytest.raises(ValueError, match="got 1 dimension"):
        draw(knn.fit(X, y), X[:, 0], y)
    with pytest.raises(ValueError, match="X has 3 features; this KNeighborsClassifier was trained on 2"):
        draw(knn, np.column_stack([X, y]), y)
    with pytest.raises(ValueError, match="training data of this KNeighborsClassifier: expected 120 rows, got 50"):
        draw(knn, X[:50], y[:50])
    with pytest.raises(ValueError, match="its prototypes are not where they were"):
        draw(CondensedNearestNeighbors().fit(X, y), X[::-1], y[::-1])
    with pytest.raises(ValueError, match=r"a label for each of the 120 rows of X; got shape \(5,\)"):
        draw(knn, X, y[:5])
    with pytest.raises(ValueError, match="labels that the model has not seen: 7"):
        draw(knn, X, np.where(y == 1, 7, 0))
    with pytest.raises(ValueError, match="grid_resolution must be 2 or more; got 1"):
        draw(knn, X, y, grid_resolution=1)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        draw(knn, np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match="one output"):
        draw(KNeighborsClassifier(3).fit(X, np.column_stack([y, y])), X, y)
    square = np.abs(X[:, :1] - X[:, 0])
    with pytest.raises(ValueError, match="precomputed distances have none"):
        draw(KNeighborsClassifier(3, metric="precomputed").fit(square, y), square, y)
    wide = np.column_stack([X, X])
    drawn = draw(KNeighborsClassifier(3).fit(wide, y), wide, y)
    assert drawn.figure_.axes[0].get_xlabel().startswith("principal component 1")
    frame = pd.DataFrame(wide, columns=list("abcd"))
    with pytest.raises(ValueError, match="'e', which is no column of X; there are a, b, c, d"):
        draw(KNeighborsClassifier(3).fit(frame, y), frame, y, features=("a", "e"))


def test_missing_matplotlib_is_explained(moons, monkeypatch):
    X, y = moons
    model = KNeighborsClassifier().fit(X, y)
    monkeypatch.setattr("maxmargin.plotting._matplotlib.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"NeighborsDisplay.from_estimator needs .* pip install 'maxmargin\[plot\]'"):
        NeighborsDisplay.from_estimator(model, X, y)
