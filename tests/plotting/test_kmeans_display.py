from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import cluster as sklearn_cluster
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.cluster import KMeans, centre_path
from maxmargin.plotting import KMeansDisplay
from maxmargin.plotting.clusters._cells import cells


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, centers=5, random_state=3)[0]


def area(corners):
    x, y = corners.T
    return 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def inside(corners, points):
    """Which points are in a convex polygon with corners in anticlockwise order."""
    sides = np.roll(corners, -1, axis=0) - corners
    towards = points[:, None] - corners[None]
    return (sides[:, 0] * towards[..., 1] - sides[:, 1] * towards[..., 0] >= -1e-9).all(axis=1)


# ------------------------------------------------------------------ cells


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_cells_are_what_is_nearest_and_fill_the_picture(far):
    rng = np.random.default_rng(0)
    centres, heights = rng.normal(size=(30, 2)) + far, rng.uniform(0, 2, size=30)
    ends = (far - 2.0, far + 3.0), (far - 1.5, far + 1.0)
    polygons = cells(centres, heights, ends)
    assert sum(area(corners - far) for corners in polygons if len(corners)) == pytest.approx(5 * 2.5, rel=1e-9)
    points = rng.uniform(*np.transpose(ends), size=(500, 2))
    apart = np.square(points[:, None] - centres[None]).sum(axis=2) + heights
    nearest = apart.argmin(axis=1)
    for k, corners in enumerate(polygons):
        if (nearest == k).any():
            assert inside(corners - far, points[nearest == k] - far).all()


def test_cells_of_centres_on_a_grid_are_squares():
    centres = np.array([[x, y] for y in (0.5, 1.5, 2.5) for x in (0.5, 1.5, 2.5)])
    polygons = cells(centres, np.zeros(9), ((0, 3), (0, 3)))
    for centre, corners in zip(centres, polygons, strict=True):
        assert area(corners) == pytest.approx(1)
        np.testing.assert_allclose(corners.mean(axis=0), centre)


def test_cells_out_of_the_picture_and_equal_centres():
    far, near, again = cells(np.array([[9.0, 9.0], [0.5, 0.5], [0.5, 0.5]]), np.zeros(3), ((0, 1), (0, 1)))
    assert len(far) == 0
    assert area(near) == area(again) == 1
    (only,) = cells(np.zeros((1, 2)), np.zeros(1), ((0, 1), (0, 1)))
    assert area(only) == 1


# ------------------------------------------------------------------ path


@pytest.mark.parametrize("parameters", [{"init": "k-means++"}, {"init": "random"}, {"init": "random", "n_init": 1}])
def test_path_leads_from_the_start_to_the_centres(blobs, parameters):
    model = KMeans(5, random_state=2, **parameters).fit(blobs)
    path = centre_path(model, blobs)
    assert path.shape == (model.n_iter_ + 1, 5, 2)
    np.testing.assert_allclose(path[-1], model.cluster_centers_)
    rows = {tuple(row) for row in blobs.round(9)}
    assert {tuple(centre) for centre in path[0].round(9)} <= rows  # both kinds of start draw rows
    # each step is Lloyd's: means of the nearest points
    for before, after in pairwise(path):
        nearest = np.square(blobs[:, None] - before[None]).sum(axis=2).argmin(axis=1)
        means = [blobs[nearest == k].mean(axis=0) for k in range(5)]
        np.testing.assert_allclose(after, means, atol=1e-9)


def test_path_from_given_centres_weights_float32_and_sparse_rows(blobs):
    weights = np.random.default_rng(0).uniform(0, 2, size=len(blobs))
    for rows in (blobs, blobs.astype(np.float32), sp.csr_matrix(blobs)):
        model = KMeans(5, init=blobs[:5], tol=0).fit(rows, sample_weight=weights)
        path = centre_path(model, rows, weights)
        np.testing.assert_allclose(path[0], blobs[:5], rtol=1e-6)
        np.testing.assert_allclose(path[-1], model.cluster_centers_, rtol=1e-5)


def test_path_does_not_touch_the_random_state_of_others(blobs):
    np.random.seed(0)
    before = np.random.get_state()[1].copy()
    centre_path(KMeans(3, random_state=0).fit(blobs), blobs)
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def test_path_that_cannot_be_had(blobs, ax):
    draw = KMeansDisplay.from_estimator
    drawn = KMeans(3).fit(blobs)
    with pytest.raises(ValueError, match=r"needs an int as random_state, .* has random_state=None"):
        draw(drawn, blobs, path=True)
    given = KMeans(3, random_state=np.random.RandomState(0)).fit(blobs)
    with pytest.raises(ValueError, match="needs an int as random_state"):
        draw(given, blobs, path=True)
    stream = KMeans(3, random_state=0).partial_fit(blobs)
    with pytest.raises(ValueError, match="trained by partial_fit"):
        draw(stream, blobs, path=True)
    changed = KMeans(3, random_state=0, init="random", n_init=1).fit(blobs)
    with pytest.raises(ValueError, match="gave other centres"):
        draw(changed, blobs, path=True, sample_weight=np.arange(len(blobs)))
    for model in (drawn, given, stream):
        display = draw(model, blobs, ax=ax)
        assert display.path is None and display.paths_ is None
        assert not any("path" in text.get_text() for text in display.legend_.get_texts())


# ------------------------------------------------------------------ picture


def test_picture_has_all_rows_centres_cells_and_paths(blobs, ax):
    model = KMeans(5, init="random", random_state=0).fit(blobs)
    display = KMeansDisplay.from_estimator(model, blobs, ax=ax)
    assert display.ax_ is ax and display.figure_ is ax.figure
    for k, collection in enumerate(display.points_):
        np.testing.assert_array_equal(collection.get_offsets(), blobs[model.labels_ == k])
        assert inside(display.cells[k], blobs[model.labels_ == k]).all()
    np.testing.assert_allclose(display.centres_.get_offsets(), model.cluster_centers_)
    assert len(display.cells_.get_paths()) == 5
    for k, way in enumerate(display.paths_.get_paths()):
        np.testing.assert_allclose(way.vertices, display.path[:, k])
    (left, right), (bottom, top) = display.ends
    everything = np.concatenate([blobs, display.path.reshape(-1, 2)])
    assert left < everything[:, 0].min() and right > everything[:, 0].max()
    assert bottom < everything[:, 1].min() and top > everything[:, 1].max()
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts[:5] == [f"cluster {k}: {count}" for k, count in enumerate(np.bincount(model.labels_))]
    assert texts[5:] == ["centres: 5", "where they started", f"their path: {model.n_iter_} steps"]


def test_cells_of_a_section_are_the_predictions_on_it(ax):
    X = load_iris().data
    model = KMeans(4, random_state=0).fit(X)
    display = KMeansDisplay.from_estimator(model, X, features=(2, 0), ax=ax)
    rng = np.random.default_rng(0)
    points = rng.uniform(*np.transpose(display.ends), size=(300, 2))
    rows = np.tile(X.mean(axis=0), (300, 1))
    rows[:, [2, 0]] = points
    predicted = model.predict(rows)
    for k, corners in enumerate(display.cells):
        if (predicted == k).any():
            assert inside(corners, points[predicted == k]).all()
    assert len(np.unique(predicted)) > 1
    assert ax.get_title(loc="left").startswith("A section of the space of 4 features")
    np.testing.assert_allclose(display.path[-1], model.cluster_centers_[:, [2, 0]])


def test_principal_plane_names_and_other_rows(ax):
    iris = load_iris(as_frame=True)
    model = KMeans(3, random_state=0).fit(iris.data)
    display = KMeansDisplay.from_estimator(model, iris.data, features="principal", ax=ax)
    assert display.axis_names[0] == "principal component 1 (92 % of the variance)"
    named = KMeansDisplay.from_estimator(model, iris.data, features=("petal width (cm)", 0), ax=ax)
    assert named.axis_names == ("petal width (cm)", "sepal length (cm)")
    # rows that it was not trained on have clusters, but there is no path
    other = KMeansDisplay.from_estimator(model, iris.data.iloc[:20], features=(0, 1), ax=ax)
    assert other.path is None and len(other.points) == 20


def test_pipeline_sparse_rows_and_many_clusters(blobs, ax):
    pipeline = make_pipeline(StandardScaler(), KMeans(12, random_state=0)).fit(blobs)
    display = KMeansDisplay.from_estimator(pipeline, blobs, ax=ax)
    np.testing.assert_allclose(display.points, StandardScaler().fit_transform(blobs))
    assert display.legend_.get_texts()[0].get_text() == "centres: 12"  # too many to name
    rows = sp.csr_matrix(np.maximum(blobs, 0))
    sparse = KMeansDisplay.from_estimator(KMeans(3, random_state=0).fit(rows), rows, ax=ax)
    np.testing.assert_array_equal(sparse.points, rows.toarray())
    assert sparse.path is not None


def test_plot_again_and_without_legend(blobs, pyplot, assert_laid_out):
    display = KMeansDisplay.from_estimator(KMeans(5, random_state=0).fit(blobs), blobs)
    assert_laid_out(display, display.ax_)
    first = display.ax_
    assert display.plot(legend=False) is display
    assert display.ax_ is not first and display.legend_ is None
    assert len(pyplot.get_fignums()) == 2


def test_what_cannot_be_drawn_is_refused(blobs):
    draw = KMeansDisplay.from_estimator
    with pytest.raises(NotFittedError):
        draw(KMeans(), blobs)
    with pytest.raises(TypeError, match=r"draws maxmargin\.cluster\.KMeans; got MiniBatchKMeans\."):
        draw(sklearn_cluster.MiniBatchKMeans(3), blobs)
    with pytest.raises(ValueError, match=r"KMeansDisplay draws in a plane, .* X has 1\."):
        draw(KMeans(3).fit(blobs[:, :1]), blobs[:, :1])
    with pytest.raises(ValueError, match="got 1 dimension"):
        draw(KMeans(3).fit(blobs), blobs[0])
    with pytest.raises(ValueError, match="X has 4 features; this KMeans was trained on 2"):
        draw(KMeans(3).fit(blobs), np.hstack([blobs, blobs]))
    wide = np.hstack([blobs, blobs])
    assert draw(KMeans(3).fit(wide), wide).section_of == 4  # of more features: two components
    with pytest.raises(ValueError, match="features has the name 'length', but X has no names"):
        draw(KMeans(3).fit(wide), wide, features=("length", "width"))
