import subprocess
import sys
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from maxmargin.plotting import SearchDisplay


@pytest.fixture(autouse=True)
def pyplot():
    import matplotlib.pyplot as plt

    backend = matplotlib.get_backend()
    plt.switch_backend("Agg")
    yield plt
    plt.close("all")
    plt.switch_backend(backend)


@pytest.fixture(scope="module")
def moons_search():
    X, y = make_moons(120, noise=0.25, random_state=0)
    grid = {"C": [10.0, 0.1, 1.0], "gamma": [0.01, 0.1, 1.0, 10.0]}  # not in order
    return GridSearchCV(SVC(), grid, scoring="balanced_accuracy").fit(X, y)


def new_ax():
    return Figure(layout="constrained").add_subplot()


def results_of(mean, *, Cs=None, gammas=None, spread=0.01, status=None):
    """A table in the form of cv_results_; scores of the three folds are the mean and one spread to either side."""
    mean = np.asarray(mean, dtype=float)
    rows, columns = mean.shape if mean.ndim == 2 else (len(mean), 1)
    Cs = 10.0 ** np.arange(rows) if Cs is None else Cs
    out = {"param_C": np.ma.MaskedArray(np.repeat(Cs, columns), mask=False)}
    if mean.ndim == 2:
        gammas = 10.0 ** -np.arange(columns, 0, -1) if gammas is None else gammas
        out["param_gamma"] = np.ma.MaskedArray(np.tile(gammas, rows), mask=False)
    for k, shift in enumerate((-spread, 0.0, spread)):
        out[f"split{k}_test_score"] = mean.ravel() + shift
    out["mean_test_score"] = mean.ravel()
    if status is not None:
        out["status"] = np.asarray(status, dtype=object).ravel()
    return out


def draw(results, **options):
    return SearchDisplay.from_results(results, ax=new_ax(), **options)


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def mesh(display):
    return next(c for c in display.ax_.collections if isinstance(c, QuadMesh))


def hatched(display):
    return [p for p in display.ax_.patches if isinstance(p, Rectangle) and p.get_hatch()]


def marks(display):
    """Markers and the places where they stand."""
    return {line.get_marker(): (line.get_xdata()[0], line.get_ydata()[0]) for line in display.ax_.lines}


def outlined_area(display):
    """Length of the line around the near cells, in cells of one decade."""
    lines = [c for c in display.ax_.collections if isinstance(c, LineCollection)]
    return sum(np.abs(np.log10(a[1]) - np.log10(a[0])).sum() for a in lines[-1].get_segments())


# two parameters


def test_scikit_learns_results_in_any_order(moons_search):
    display = SearchDisplay.from_estimator(moons_search)
    table, results = display.table, moons_search.cv_results_
    assert table.names == ("C", "gamma")
    np.testing.assert_array_equal(table.values[0], [0.1, 1, 10])
    for k, params in enumerate(results["params"]):
        cell = table.cell_of(k)
        assert {name: v[i] for name, v, i in zip(table.names, table.values, cell, strict=True)} == params
        assert table.mean[cell] == results["mean_test_score"][k]
        assert table.error[cell] == pytest.approx(results["std_test_score"][k] / np.sqrt(4))
    assert table.candidate[table.best] == moons_search.best_index_
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("gamma", "C")
    assert display.ax_.get_xscale() == display.ax_.get_yscale() == "log"
    assert display.colorbar_.ax.get_ylabel() == "balanced accuracy, mean of 5 folds"
    assert display.figure_ is display.ax_.figure
    np.testing.assert_array_equal(mesh(display).get_array(), table.mean)
    display.figure_.draw_without_rendering()


def test_cells_surround_their_values():
    display = draw(results_of(np.zeros((2, 3)), Cs=[1, 100], gammas=[0.1, 1, 100]))
    np.testing.assert_allclose(display.ax_.get_ylim(), [0.1, 1000])
    np.testing.assert_allclose(display.ax_.get_xlim(), [10**-1.5, 1000])
    x = np.unique(mesh(display).get_coordinates()[..., 0])
    np.testing.assert_allclose(x, [10**-1.5, 10**-0.5, 10, 1000])
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["1", "100"]


def test_winner_best_and_simplest_are_marked():
    mean = np.array([[0.5, 0.80, 0.7], [0.5, 0.805, 0.7], [0.5, 0.7, 0.6]])
    display = draw(results_of(mean, spread=0.02), score_name="accuracy", annotate=False)
    error = 0.02 / np.sqrt(3)
    assert display.table.floor == pytest.approx(0.805 - error)
    assert marks(display) == {"*": (0.01, 10.0), "D": (0.01, 1.0)}
    assert legend_texts(display) == [
        "winner: C = 10, gamma = 0.01; accuracy 0.805 ± 0.012",
        "simplest within one standard error: C = 1, gamma = 0.01; accuracy 0.800 ± 0.012",
        "within one standard error of the best: 2 of 9",
    ]
    assert outlined_area(display) == pytest.approx(6)  # two cells
    picked = draw(results_of(mean, spread=0.02), winner=1, annotate=False)  # by the rule of one standard error
    assert marks(picked) == {"*": (0.01, 1.0), "o": (0.01, 10.0)}
    assert legend_texts(picked)[1].startswith("best: C = 10")


def test_winner_of_the_search_is_marked(moons_search):
    display = SearchDisplay.from_estimator(moons_search, annotate=False, ax=new_ax())
    best = moons_search.best_params_
    assert marks(display)["*"] == (best["gamma"], best["C"])


def test_cells_without_a_score_are_hatched():
    mean = np.array([[0.5, np.nan, np.nan], [0.9, 0.8, 0.99]])
    status = [["converged", "dropped", "failed"], ["converged", "unfinished", "failed"]]
    display = draw(results_of(mean, status=status))
    assert [p.get_hatch()[0] for p in hatched(display)] == ["/", "x", "x", "."]
    assert legend_texts(display)[-3:] == ["dropped by the race: 1", "failed: 2", "not finished: 1"]
    # a number that stands for the score of a failed cell is not a score
    assert display.table.best == (1, 0)
    assert mesh(display).get_array().mask.sum() == 4
    corner = {(p.get_x(), p.get_y()) for p in hatched(display)}
    assert (display.ax_.get_xlim()[0], display.ax_.get_ylim()[0]) not in corner  # the scored one


def test_nan_without_a_status_has_failed():
    display = draw(results_of([[0.5, np.nan], [0.9, 0.8]]))
    assert display.table.state[0, 1] == "failed"
    assert legend_texts(display)[-1] == "failed: 1"


def test_no_score_at_all():
    display = draw(results_of(np.full((2, 2), np.nan), status=[["unfinished"] * 2] * 2))
    assert display.colorbar_ is None and len(hatched(display)) == 4
    assert legend_texts(display) == ["not finished: 4"]
    assert draw(results_of(np.full(3, np.nan))).table.best is None


def test_one_score_for_all():
    display = draw(results_of(np.full((2, 2), 0.7), spread=0.0))
    assert display.colorbar_.vmin < 0.7 < display.colorbar_.vmax
    assert "4 of 4" in legend_texts(display)[-1]


def test_few_awful_cells_do_not_ruin_the_scale():
    mean = np.linspace(0.1, 0.8, 36).reshape(6, 6)
    mean[0, :3] = [-50, -1e6, -3e3]
    display = draw(results_of(mean))
    lowest = np.sort(mean.ravel())[3]
    assert (display.colorbar_.vmin, display.colorbar_.vmax) == (lowest, 0.8)
    assert display.colorbar_.extend == "min"
    assert "below the scale: 3" in legend_texts(display)
    assert to_rgba(mesh(display).cmap.get_under()) != to_rgba(mesh(display).cmap(0.0))


def test_mostly_awful_cells_do_not_ruin_the_scale_either():
    mean = np.concatenate([np.linspace(0.4, 0.8, 12), -np.logspace(2, 6, 24)]).reshape(6, 6)
    assert draw(results_of(mean)).colorbar_.vmin == 0.4


@pytest.mark.parametrize(
    "mean",
    [np.linspace(0.5, 0.9, 20), [0.5, 0.6, 0.7, 0.9, 0.9, 0.9, 0.9, 0.9], [0.5, 0.5, 0.5, 0.5, 0.9], [0.1, 0.9]],
)
def test_ordinary_scores_are_all_shown(mean):
    mean = np.asarray(mean)
    assert draw(results_of(mean)).table.lowest_shown() == mean.min()


def test_scores_are_written_where_there_is_room():
    small, large = results_of(np.full((3, 3), 0.625)), results_of(np.full((30, 30), 0.5))
    assert [t.get_text() for t in draw(small).ax_.texts] == ["0.625"] * 9
    assert not draw(large).ax_.texts
    assert not draw(small, annotate=False).ax_.texts
    assert len(draw(large, annotate=True).ax_.texts) == 900
    assert not SearchDisplay.from_results(large).ax_.texts
    ten = SearchDisplay.from_results(results_of(np.random.default_rng(0).random((10, 10))))
    assert len(ten.ax_.texts) == 100


def test_written_scores_can_be_read():
    mean = np.array([[0.2, 0.9], [-12345.0, -70.0]])
    display = draw(results_of(mean))
    assert sorted(t.get_text() for t in display.ax_.texts) == sorted(["0.200", "0.900", "−1e4", "−70.0"])
    for text in display.ax_.texts:
        score = float(text.get_text().replace("−", "-"))
        back = np.array(mesh(display).cmap(mesh(display).norm(score))[:3])
        difference = np.abs(back - to_rgba(text.get_color())[:3]) @ [0.2126, 0.7152, 0.0722]
        assert difference > 0.3


def test_figure_holds_ticks_legend_and_colour_bar():
    display = SearchDisplay.from_results(results_of(np.random.default_rng(0).random((10, 10))))
    display.figure_.draw_without_rendering()
    box, figure = display.legend_.get_window_extent(), display.figure_.bbox
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.x1
    assert box.y1 <= display.ax_.xaxis.label.get_window_extent().y0
    ticks = [t.get_window_extent() for t in display.ax_.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in pairwise(ticks))


@pytest.mark.parametrize("shape", [(2, 2), (6, 5), (3, 9)])
def test_a_figure_of_few_cells_holds_its_legend_and_gives_its_width_to_the_cells(shape):
    with matplotlib.rc_context({"font.size": 12}):
        scores = 0.9 + 0.002 * np.random.default_rng(0).random(shape)
        display = SearchDisplay.from_results(results_of(scores), score_name="balanced accuracy, a long name")
        display.figure_.draw_without_rendering()
    box, figure = display.legend_.get_window_extent(), display.figure_.bbox
    assert box.x0 >= 0 and box.x1 <= figure.x1 and box.y0 >= 0
    assert display.ax_.get_window_extent().width > 0.55 * figure.width


def test_ticks_do_not_touch_in_a_narrow_panel():
    left = Figure(figsize=(8, 3), layout="constrained").subplots(1, 2)[0]
    display = SearchDisplay.from_results(results_of(np.linspace(0, 1, 9), Cs=np.geomspace(1e-4, 10, 9)), ax=left)
    display.figure_.draw_without_rendering()
    ticks = [t.get_window_extent() for t in display.ax_.get_xticklabels()]
    assert len(ticks) > 1 and all(a.x1 < b.x0 for a, b in pairwise(ticks))


def test_ticks_of_automatic_values_do_not_touch():
    display = SearchDisplay.from_results(results_of(np.linspace(0, 1, 12), Cs=np.logspace(-5.2, 6, 12)))
    display.figure_.draw_without_rendering()
    ticks = [t.get_window_extent() for t in display.ax_.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in pairwise(ticks))
    assert display.ax_.get_xticklabels()[0].get_text() == "6.3e−6"


def test_many_values_have_fewer_ticks():
    assert len(draw(results_of(np.zeros((40, 40)))).ax_.get_xticks()) <= 14


# one parameter


def test_one_parameter_is_a_curve():
    mean = np.array([0.5, 0.795, 0.8, 0.7])
    display = draw(results_of(mean, spread=0.02), score_name="R²")
    assert display.colorbar_ is None
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("C", "R², mean of 3 folds")
    assert display.ax_.get_xscale() == "log"
    curve = display.ax_.lines[0]
    np.testing.assert_array_equal(curve.get_ydata(), mean)
    stars = {line.get_marker(): line.get_xdata()[0] for line in display.ax_.lines if line.get_marker() in "*D"}
    assert stars == {"*": 100.0, "D": 10.0}
    band = display.ax_.collections[0].get_paths()[0].vertices
    error = 0.02 / np.sqrt(3)
    assert band[:, 1].max() == pytest.approx(0.8 + error) and band[:, 1].min() == pytest.approx(0.5 - error)
    assert legend_texts(display)[2:] == ["best less one standard error", "one standard error on either side"]
    low, high = display.ax_.get_ylim()
    assert low < 0.5 - error and high > 0.8 + error


@pytest.mark.parametrize(("shape", "label", "title"), [((4, 1), "C", "gamma = 0.1"), ((1, 4), "gamma", "C = 1")])
def test_parameter_of_one_value_goes_to_the_title(shape, label, title):
    display = draw(results_of(np.linspace(0.1, 0.9, 4).reshape(shape)))
    assert display.ax_.get_xlabel() == label
    assert display.ax_.get_title(loc="left") == title
    assert len(display.table.values) == 1


def test_curve_with_gaps_and_awful_scores():
    mean = [0.5, np.nan, 0.6, 0.7, 0.72, 0.74, np.nan, -1e5]
    status = ["converged", "dropped", *["converged"] * 4, "failed", "converged"]
    display = draw(results_of(mean, status=status))
    assert legend_texts(display)[-3:] == ["below the picture: 1", "dropped by the race: 1", "failed: 1"]
    assert 0.4 < display.ax_.get_ylim()[0] < 0.5
    assert len(hatched(display)) == 2


def test_single_candidate():
    display = draw(results_of([[0.8]]))
    low, high = display.ax_.get_ylim()
    assert low < display.table.floor < 0.8 < high
    assert draw(results_of([0.0], spread=0.0)).table.best == (0,)


# other searches


def test_pipeline_and_other_parameters():
    X, y = load_iris(return_X_y=True)
    grid = {"svc__kernel": ["linear", "rbf"], "svc__C": [0.1, 1.0]}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=3).fit(X, y)
    display = SearchDisplay.from_estimator(search, ax=new_ax())
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("kernel", "C")
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["linear", "rbf"]
    assert display.ax_.get_xscale() == "linear"
    assert display.colorbar_.ax.get_ylabel() == "score, mean of 3 folds"


def test_candidates_need_not_fill_the_table():
    X, y = load_iris(return_X_y=True)
    grid = [{"C": [1.0], "gamma": [0.1, 1.0]}, {"C": [10.0], "gamma": ["scale"]}]
    display = SearchDisplay.from_estimator(GridSearchCV(SVC(), grid, cv=3).fit(X, y), ax=new_ax())
    assert display.table.state.tolist() == [["scored", "scored", "absent"], ["absent", "absent", "scored"]]


def test_several_metrics():
    X, y = load_iris(return_X_y=True)
    scoring = ["accuracy", "f1_macro"]
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0]}, scoring=scoring, refit="accuracy", cv=3).fit(X, y)
    display = SearchDisplay.from_estimator(search, metric="f1_macro", ax=new_ax())
    np.testing.assert_array_equal(display.table.mean, search.cv_results_["mean_test_f1_macro"])
    assert display.ax_.get_ylabel().startswith("f1 macro")
    with pytest.raises(ValueError, match="no mean_test_score; the metrics are accuracy, f1_macro"):
        SearchDisplay.from_estimator(search)


def test_plot_again_on_other_axes(moons_search, pyplot):
    display = SearchDisplay.from_estimator(moons_search)
    first = display.ax_
    assert display.plot(cmap="cividis", legend=False) is display
    assert display.ax_ is not first and display.legend_ is None
    assert mesh(display).cmap.name == "cividis"
    ax = new_ax()
    assert display.plot(ax=ax).ax_ is ax
    assert len(pyplot.get_fignums()) == 2


def test_what_cannot_be_drawn_is_refused(moons_search):
    with pytest.raises(NotFittedError):
        SearchDisplay.from_estimator(GridSearchCV(SVC(), {"C": [1]}))
    with pytest.raises(TypeError, match=r"draws searches, such as maxmargin\.svm\.SVCCV"):
        SearchDisplay.from_estimator("search")
    results = results_of(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="over 3 parameters has no surface: C, gamma, degree"):
        SearchDisplay.from_results({**results, "param_degree": [1, 2, 3, 4]})
    with pytest.raises(ValueError, match="no parameters"):
        SearchDisplay.from_results({"mean_test_score": [1.0]})
    with pytest.raises(ValueError, match="Candidates 0 and 1 have the same C"):
        SearchDisplay.from_results({**results_of([0.1, 0.2, 0.3]), "param_C": [1.0, 1.0, 2.0]})
    with pytest.raises(ValueError, match=r"no scores of the folds \(split0_test_score"):
        SearchDisplay.from_results({"param_C": [1.0], "mean_test_score": [1.0]})


def test_missing_matplotlib_is_explained(moons_search, monkeypatch):
    monkeypatch.setattr("maxmargin.plotting._matplotlib.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'maxmargin\[plot\]'"):
        SearchDisplay.from_estimator(moons_search)


def test_importing_the_display_does_not_import_matplotlib():
    code = "import sys; from maxmargin.plotting import SearchDisplay; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
