import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib.figure import Figure
from sklearn import cluster as sklearn_cluster
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import NotFittedError

from maxmargin.cluster import SpectralClustering
from maxmargin.cluster.spectral._cuts import ncut
from maxmargin.plotting import SpectralDisplay
from maxmargin.plotting.clusters._graph_edges import heaviest_edges, thresholds


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.07, random_state=0)[0]


@pytest.fixture(scope="module")
def cut(moons):
    return SpectralClustering(2, affinity="rbf_nearest_neighbors", gamma="median", assign_labels="best_ncut").fit(moons)


@pytest.fixture
def panels():
    return Figure(layout="constrained").subplots(1, 3)


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


# ------------------------------------------------------------------ edges


def random_graph(n, dense=False, seed=0):
    rng = np.random.default_rng(seed)
    W = np.triu(np.where(rng.random((n, n)) < 0.3, rng.random((n, n)), 0.0), 1)
    W = W + W.T
    return W if dense else sp.csr_array(W)


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("most", [10, 10_000])
@pytest.mark.parametrize("values", [100, 2**22])
def test_edges_are_all_or_the_heaviest(dense, most, values, monkeypatch):
    monkeypatch.setattr("maxmargin.plotting.clusters._graph_edges._VALUES_A_BLOCK", values)  # many blocks, or one
    W = random_graph(30, dense)
    full = W if dense else W.toarray()
    label = np.arange(30) % 2
    edges = heaviest_edges(W, label, most)
    row, column = np.nonzero(np.triu(full))
    everything = np.sort(full[row, column])
    assert edges.total == len(everything)
    np.testing.assert_array_equal(edges.weights, everything[-most:])
    np.testing.assert_array_equal(full[tuple(edges.pairs.T)], edges.weights)
    assert (edges.pairs[:, 0] < edges.pairs[:, 1]).all()
    between = label[row] != label[column]
    assert edges.cut == between.sum()
    assert edges.cut_share == pytest.approx(full[row, column][between].sum() / everything.sum())


def test_thresholds_are_cuts_of_the_graph():
    W = random_graph(25, dense=True)
    W[3] = W[:, 3] = 0.0  # a point without similarities
    W = sp.csr_array(W)
    vector = np.random.default_rng(1).normal(size=25)
    found = thresholds(W, vector, np.zeros(25, int))
    assert len(found.order) == 24 and 3 not in found.order
    np.testing.assert_array_equal(found.values, np.sort(np.delete(vector, 3)))
    for t in (1, 7, 23):
        label = np.zeros(25, int)
        label[found.order[t:]] = 1
        assert found.ncuts[t - 1] == pytest.approx(ncut(W, label, 2))
    assert not found.used and found.ncut == found.smallest == found.ncuts.min()
    assert found.values[found.place - 1] < found.threshold < found.values[found.place]


# ------------------------------------------------------------------ picture


def test_graph_vector_and_cuts(moons, cut, panels):
    display = SpectralDisplay.from_estimator(cut, moons, ax=panels)
    assert display.axes_ == tuple(panels) and display.figure_ is panels[0].figure
    W = cut.affinity_matrix_
    assert len(display.edges_.get_segments()) == W.nnz / 2
    for (i, j), segment in zip(display.edges.pairs, display.edges_.get_segments(), strict=True):
        np.testing.assert_array_equal(segment, moons[[i, j]])
    for k, collection in enumerate(display.points_):
        np.testing.assert_array_equal(collection.get_offsets(), moons[cut.labels_ == k])
    t = display.thresholds
    assert t.used
    np.testing.assert_array_equal(cut.eigenvectors_[:, 1] > t.threshold, cut.labels_ == cut.labels_[t.order[-1]])
    assert t.ncut == pytest.approx(cut.ncut_)
    assert display.threshold_.get_ydata()[0] == t.threshold
    np.testing.assert_array_equal(display.ncut_curve_.get_ydata(), t.ncuts)
    assert display.bound_.get_ydata()[0] == cut.certificate_.figures["best ncut at least"]
    assert panels[2].get_yscale() == "log"
    assert legend_texts(display)[:3] == ["cluster 0: 60", "cluster 1: 60", f"similarities: {W.nnz // 2}"]


def test_heavier_edges_are_wider_and_darker_and_cut_ones_black(moons, cut, ax):
    display = SpectralDisplay.from_estimator(cut, moons, ax=ax)
    widths, colours = display.edges_.get_linewidths(), display.edges_.get_colors()
    assert (np.diff(widths) >= 0).all() and widths[-1] > 2 * widths[0]
    between = np.ptp(cut.labels_[display.edges.pairs], axis=1) > 0
    assert (np.diff(colours[~between, 3]) >= 0).all()
    assert (colours[between, 0] < 0.2).all() and (colours[~between, 0] > 0.4).all()
    assert between.sum() == display.edges.cut
    assert display.axes_ == (ax,) and display.threshold_ is None and display.bound_ is None


def test_thinned_graph_says_so(moons, ax):
    model = SpectralClustering(2, gamma="median", assign_labels="sign").fit(moons)
    display = SpectralDisplay.from_estimator(model, moons, max_edges=300, ax=ax)
    total = 120 * 119 // 2
    assert len(display.edges_.get_segments()) == 300
    assert legend_texts(display)[2] == f"similarities: the 300 heaviest of {total}"
    assert display.thresholds.used


@pytest.mark.parametrize("rule", ["sign", "median", "best_ncut", "kmeans", "cluster_qr"])
def test_threshold_of_every_rule(moons, rule, ax):
    model = SpectralClustering(2, affinity="nearest_neighbors", assign_labels=rule, random_state=0).fit(moons)
    t = SpectralDisplay.from_estimator(model, moons, ax=ax).thresholds
    if t.used:
        side = model.eigenvectors_[:, 1] > t.threshold
        assert len({tuple(pair) for pair in zip(side, model.labels_, strict=True)}) == 2
        assert t.ncut == pytest.approx(model.ncut_)
    else:
        assert rule in ("kmeans", "cluster_qr")
    if rule == "median":
        assert t.place == 60


def test_band_ends_at_the_smallest_cut_also_if_another_was_made(panels):
    X = make_blobs([20, 60], centers=[(0, 0), (5, 0)], cluster_std=1.0, random_state=0)[0]
    model = SpectralClustering(2, gamma=0.3, assign_labels="median").fit(X)
    display = SpectralDisplay.from_estimator(model, X, ax=panels)
    t = display.thresholds
    assert t.used and t.place == 40
    assert display.bound <= t.smallest < 0.5 * t.ncut
    (band,) = panels[2].patches
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx((display.bound, t.smallest))


def test_more_than_two_clusters_have_the_best_threshold_in_two(panels):
    X = make_blobs(90, centers=3, random_state=1)[0]
    model = SpectralClustering(3, gamma=0.05, random_state=0).fit(X)
    display = SpectralDisplay.from_estimator(model, X, ax=panels)
    assert not display.thresholds.used
    assert display.bound <= model.eigenvalues_[1] <= display.thresholds.ncut
    assert "best threshold" in panels[1].get_title(loc="left").replace("\n", " ")
    assert len(display.points_) == 3


def test_graph_in_parts_and_isolated_point(panels):
    X = np.concatenate([make_blobs(40, centers=[(0, 0), (50, 50)], cluster_std=0.5, random_state=0)[0], [[500, 500]]])
    with pytest.warns(UserWarning, match="isolated"):
        model = SpectralClustering(2, gamma=1.0).fit(X)
    display = SpectralDisplay.from_estimator(model, X, ax=panels)
    assert display.bound == 0 and display.thresholds.ncut == pytest.approx(0, abs=1e-12)
    assert display.thresholds.used and display.thresholds.place == 20
    assert panels[2].get_yscale() == "linear"
    assert sum(len(c.get_offsets()) for c in display.points_) == 41
    assert legend_texts(display)[-1] == "cut: 0 (nothing)"


def test_given_similarities_are_drawn_where_the_user_says(moons, ax):
    W = SpectralClustering(2, affinity="nearest_neighbors").fit(moons).affinity_matrix_
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(sp.csr_matrix(W))
    display = SpectralDisplay.from_estimator(model, moons, ax=ax)
    np.testing.assert_array_equal(display.points, moons)
    with pytest.raises(ValueError, match="affinity='precomputed' has no points to draw: X must be where to draw them"):
        SpectralDisplay.from_estimator(model, W)


def test_chosen_features_and_names(ax):
    iris = load_iris(as_frame=True)
    model = SpectralClustering(3, affinity="nearest_neighbors", random_state=0).fit(iris.data)
    display = SpectralDisplay.from_estimator(model, iris.data, features=("petal width (cm)", 2), ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("petal width (cm)", "petal length (cm)")
    np.testing.assert_array_equal(display.points, iris.data.to_numpy()[:, [3, 2]])


def test_new_figure_plot_again_and_legend(moons, cut, pyplot, assert_laid_out):
    display = SpectralDisplay.from_estimator(cut, moons)
    assert len(display.axes_) == 3
    assert_laid_out(display, display.axes_[0])
    figure = display.figure_
    for panel in display.axes_:  # no title leaves the figure
        assert panel._left_title.get_window_extent().x1 <= figure.bbox.x1
    assert display.plot(legend=False) is display
    assert display.figure_ is not figure and display.legend_ is None
    assert len(pyplot.get_fignums()) == 2


def test_what_cannot_be_drawn_is_refused(moons, cut):
    draw = SpectralDisplay.from_estimator
    with pytest.raises(NotFittedError):
        draw(SpectralClustering(), moons)
    with pytest.raises(TypeError, match=r"draws maxmargin\.cluster\.SpectralClustering; got SpectralClustering\."):
        draw(sklearn_cluster.SpectralClustering(), moons)
    with pytest.raises(ValueError, match="a row for each of the 120 points of the fit; got 50"):
        draw(cut, moons[:50])
    with pytest.raises(ValueError, match="X has 4 features; this SpectralClustering was trained on 2"):
        draw(cut, np.hstack([moons, moons]))
    with pytest.raises(ValueError, match="max_edges must be 1 or more; got 0"):
        draw(cut, moons, max_edges=0)
    with pytest.raises(ValueError, match="one Axes, for the graph, or three"):
        draw(cut, moons, ax=Figure().subplots(1, 2))
    line = SpectralClustering(2, affinity="nearest_neighbors").fit(moons[:, :1])
    with pytest.raises(ValueError, match=r"SpectralDisplay draws in a plane, .* X has 1\."):
        draw(line, moons[:, :1])
    frame = pd.DataFrame(np.hstack([moons, moons]), columns=list("abcd"))
    wide = SpectralClustering(2, affinity="nearest_neighbors").fit(frame)
    labels = [axes.get_xlabel() for axes in draw(wide, frame).figure_.axes]
    assert any(label.startswith("principal component 1") for label in labels)
    with pytest.raises(ValueError, match="'z', which is no column of X"):
        draw(wide, frame, features=("a", "z"))
