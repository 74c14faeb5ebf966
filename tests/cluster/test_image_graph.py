"""Pictures as graphs, and their segments."""

import numpy as np
import pytest
from sklearn.datasets import load_sample_image

from maxmargin.cluster import SpectralClustering, image_graph


@pytest.mark.parametrize("shape", [(5, 7), (4, 6, 3), (1, 9), (2, 2)])
@pytest.mark.parametrize("radius", [1.0, 1.5, 3.0])
def test_similarities_are_those_of_the_formula(shape, radius):
    image = np.random.default_rng(0).uniform(size=shape)
    W = image_graph(image, radius=radius, colour_scale=0.5, distance_scale=2.0).toarray()
    colours = image.reshape(shape[0] * shape[1], -1)
    spots = np.array([(i, j) for i in range(shape[0]) for j in range(shape[1])], dtype=float)
    for a in range(len(W)):
        for b in range(len(W)):
            apart = np.sqrt(((spots[a] - spots[b]) ** 2).sum())
            near = 0 < apart <= radius
            expected = np.exp(-((colours[a] - colours[b]) ** 2).sum() / 0.25 - apart**2 / 4) if near else 0.0
            assert W[a, b] == pytest.approx(expected, abs=1e-15)


def test_the_flower_is_parted_from_its_ground():
    picture = load_sample_image("flower.jpg")[::9, ::9]
    model = SpectralClustering(2, affinity="precomputed", assign_labels="best_ncut").fit(
        image_graph(picture, radius=4.0, colour_scale=0.2)
    )
    segments = model.labels_.reshape(picture.shape[:2])
    figures = model.certificate_.figures
    assert 0 <= figures["best ncut at least"] <= model.ncut_ < 0.1
    red = picture[:, :, 0].astype(float) - picture[:, :, 1]
    parts = [red[segments == k].mean() for k in range(2)]
    assert abs(parts[0] - parts[1]) > 40  # petals are red, leaves are not
    assert 0.05 < (segments == 1).mean() < 0.95


@pytest.mark.parametrize("radius", [12, 1e9, 1e300])
def test_a_radius_beyond_the_picture_joins_all_pixels(radius):
    image = np.random.default_rng(0).uniform(size=(5, 7))
    whole = image_graph(image, radius=9.0)
    assert whole.nnz == 35 * 34
    np.testing.assert_array_equal(image_graph(image, radius=radius).toarray(), whole.toarray())


def test_more_pairs_than_memory_holds_are_refused():
    image = np.zeros((3000, 3000), dtype=np.uint8)  # all pairs of its pixels are 3500 TiB
    with pytest.raises(MemoryError, match=r"radius=1000000000.0 joins \d+ pairs of pixels .* Lower radius"):
        image_graph(image, radius=1e9)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_scales_are_those_of_the_values(scale):
    """Differences and their scale in another unit are the same graph: neither squares overflow nor vanish."""
    image = np.random.default_rng(0).uniform(size=(4, 5))
    same = image_graph(image, colour_scale=0.5).toarray()
    found = image_graph(scale * image, colour_scale=0.5 * scale).toarray()
    np.testing.assert_allclose(found, same, rtol=1e-12)
    assert image_graph(image, colour_scale=1e-300).max() == 0  # all pixels differ by much more
    assert image_graph(image, distance_scale=1e-300).max() == 0


def test_what_is_no_picture_is_refused():
    for wrong in (np.zeros(3), np.zeros((0, 3)), np.zeros((2, 2, 2, 2))):
        with pytest.raises(ValueError, match="image must have shape"):
            image_graph(wrong)
    with pytest.raises(ValueError, match="finite values"):
        image_graph(np.full((3, 3), np.nan))
    for name in ("radius", "colour_scale", "distance_scale"):
        for wrong in (0.0, -1.0, np.inf, np.nan, "3", None):
            with pytest.raises(ValueError, match=f"{name} must be a .*finite number"):
                image_graph(np.zeros((3, 3)), **{name: wrong})
    with pytest.raises(ValueError, match="image must have real numbers; got complex128"):
        image_graph(np.zeros((3, 3), dtype=complex))


@pytest.mark.parametrize(("down", "right"), [(2, 3), (3, 3), (1, 5), (2, 5), (1, 1), (1, 3)])
def test_pixels_as_far_apart_as_the_radius_are_joined(down, right):
    """The square of a rounded root may be below the whole number: sqrt(13)^2 is 12.999..."""
    graph = image_graph(np.zeros((4, 6)), radius=np.hypot(down, right)).toarray()
    joined = {(abs(a // 6 - b // 6), abs(a % 6 - b % 6)) for a, b in zip(*np.nonzero(graph), strict=True)}
    assert (down, right) in joined
    assert max(np.square(pair).sum() for pair in joined) == down**2 + right**2
