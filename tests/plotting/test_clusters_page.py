"""The picture of the page on clusters: what it shows is so, and the code of the page makes it."""

import re
import textwrap
from pathlib import Path

import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.plotting import KMeansDisplay, SpectralDisplay

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "clusters.rst").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """What the block of the picture leaves behind, and the folder with it; earlier blocks import for it."""
    import matplotlib.pyplot as plt

    folder = tmp_path_factory.mktemp("page")
    blocks = re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", TEXT, re.MULTILINE)
    (block,) = (block for block in blocks if "clusters.png" in block)
    earlier = [plt, make_moons, KMeans, SpectralClustering, KMeansDisplay, SpectralDisplay]
    namespace = {getattr(one, "__name__", "").replace("matplotlib.pyplot", "plt"): one for one in earlier}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plt.switch_backend("Agg")
        exec(compile(textwrap.dedent(block), "clusters.rst", "exec"), namespace)
    yield namespace, folder
    plt.close("all")


@pytest.mark.parametrize("shape", ["two circles", "two moons"])
def test_cut_is_perfect_where_means_fail(page, shape):
    truth, by_means, by_cut = page[0]["found"][shape]
    assert adjusted_rand_score(truth, by_cut) == 1.0
    assert adjusted_rand_score(truth, by_means) < 0.3


def test_titles_of_the_picture_have_the_numbers(page):
    titles = [ax.get_title(loc="left") for ax in page[0]["panels"].flat]
    shares = [int(re.search(r"(\d+) % right", title)[1]) for title in titles]
    assert shares[1::2] == [100, 100]
    assert max(shares[::2]) < 80
    for title in titles[1::2]:
        value, bound = (float(number) for number in re.search(r"Ncut (\S+), no cut is below (\S+)$", title).groups())
        assert 0 < bound <= value < 0.01


def test_picture_of_the_manual_has_the_size_of_the_code(page):
    image = pytest.importorskip("PIL.Image")
    with image.open(DOCS / "_static" / "clusters.png") as kept, image.open(page[1] / "clusters.png") as made:
        assert kept.size == made.size


def test_pictures_are_light_and_made_by_the_page():
    shown = re.findall(r"^\.\. image:: _static/(\S+)$", TEXT, re.MULTILINE)
    assert shown == ["kmeans.png", "elbow.png", "spectral.png", "clusters.png"]
    for name in shown:
        assert f'savefig("{name}"' in TEXT
        assert (DOCS / "_static" / name).stat().st_size < 150_000
