import subprocess
import sys

import numpy as np
import pytest

from maxmargin.cluster import elbow
from maxmargin.plotting import ElbowDisplay


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 0.3, size=(40, 2)) for centre in ((0, 0), (4, 0), (0, 4), (4, 4))])
    return elbow(X, range(1, 9), random_state=0)


def test_both_curves_the_gap_and_the_chosen_number(found, ax):
    display = ElbowDisplay.from_elbow(found, ax=ax)
    np.testing.assert_array_equal(display.curve_.get_xydata(), np.column_stack([found.n_clusters, found.inertias]))
    np.testing.assert_array_equal(display.reference_.get_ydata(), found.reference)
    assert display.chosen_.get_xydata().tolist() == [[4, found.inertias[3]]]
    assert display.gap_.get_xydata().tolist() == [[4, found.inertias[3]], [4, found.reference[3]]]
    assert ax.get_yscale() == "log"


def test_the_reason_is_the_title(found, ax):
    display = ElbowDisplay.from_elbow(found, ax=ax)
    assert ax.get_title(loc="left").replace("\n", " ") == found.reason
    assert [text.get_text() for text in display.legend_.get_texts()][2] == "chosen: K = 4"
    assert ax.get_xticks().tolist() == list(range(1, 9))


def test_what_elbow_returns_draws_itself(found, ax, pyplot, assert_laid_out):
    assert isinstance(found.plot(ax=ax), ElbowDisplay)
    assert found.plot(ax=ax, legend=False).legend_ is None
    display = found.plot()
    assert_laid_out(display, display.ax_)
    first = display.ax_
    assert display.plot() is display and display.ax_ is not first
    assert len(pyplot.get_fignums()) == 2


def test_rows_without_clusters_and_uneven_numbers(ax):
    with pytest.warns(match="fewer distinct rows than clusters"):
        flat = elbow(np.ones((10, 2)), range(1, 5))
    display = flat.plot(ax=ax)
    assert "no sign of clusters" in ax.get_title(loc="left") and display.chosen == 1
    X = np.random.default_rng(0).normal(size=(60, 2))
    uneven = elbow(X, [2, 3, 5, 9, 20], random_state=0)
    assert uneven.plot().curve_.get_xdata().tolist() == [2, 3, 5, 9, 20]


def test_other_things_are_refused(found):
    with pytest.raises(TypeError, match=r"the result of maxmargin\.cluster\.elbow\(X, range\); got KMeans\."):
        ElbowDisplay.from_elbow(found.model)


def test_missing_matplotlib_is_explained(found, monkeypatch):
    monkeypatch.setattr("maxmargin.plotting._matplotlib.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'maxmargin\[plot\]'"):
        found.plot()


def test_clusters_do_not_import_pictures():
    code = "import sys, maxmargin.cluster; sys.exit('maxmargin.plotting' in sys.modules or 'matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
