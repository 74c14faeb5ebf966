"""No window is opened, and every figure is closed."""

import matplotlib
import pytest
from matplotlib.figure import Figure


@pytest.fixture(autouse=True)
def pyplot():
    import matplotlib.pyplot as plt

    backend = matplotlib.get_backend()
    plt.switch_backend("Agg")
    yield plt
    plt.close("all")
    plt.switch_backend(backend)


@pytest.fixture
def ax():
    """Axes outside of pyplot."""
    return Figure(layout="constrained").add_subplot()


@pytest.fixture
def assert_laid_out():
    """A function: the figure is white, and its legend within it and clear of the axes' labels."""

    def check(display, axes):
        figure = display.figure_
        figure.draw_without_rendering()
        box = display.legend_.get_window_extent()
        assert figure.get_facecolor() == (1.0, 1.0, 1.0, 1.0)
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1
        assert box.y1 <= axes.xaxis.label.get_window_extent().y0
        title = axes.title if not axes.get_title(loc="left") else axes._left_title
        assert title.get_window_extent().x1 <= figure.bbox.x1

    return check
