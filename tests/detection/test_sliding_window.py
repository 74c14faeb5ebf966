"""Objects found by sliding windows, and boxes that overlap."""

import numpy as np
import pytest
from scipy.ndimage import zoom
from sklearn.base import clone
from sklearn.datasets import load_digits, load_sample_image

from maxmargin.detection import SlidingWindow, box_overlaps, non_maximum_suppression
from maxmargin.linear_model import LinearClassifier


def test_overlaps_by_counting_pixels():
    rng = np.random.default_rng(0)
    corners = rng.integers(0, 12, (20, 2, 2))
    boxes = np.hstack([corners.min(axis=1), corners.max(axis=1) + 1])
    found = box_overlaps(boxes[:10], boxes[10:])

    def pixels(box):
        mask = np.zeros((14, 14), dtype=bool)
        mask[box[0] : box[2], box[1] : box[3]] = True
        return mask

    for i in range(10):
        for j in range(10):
            a, b = pixels(boxes[i]), pixels(boxes[10 + j])
            assert found[i, j] == pytest.approx((a & b).sum() / (a | b).sum())


@pytest.mark.parametrize("exponent", [-1060, -600, 520, 1000, 1019])
def test_overlaps_do_not_depend_on_the_unit_of_length(exponent):
    boxes = np.array([[0, 0, 4, 4], [2, 2, 6, 6], [0, 0, 4, 4], [-7, -7, 8, 8], [3, 3, 4, 4]])
    expected = box_overlaps(boxes, boxes)
    assert np.array_equal(np.diag(expected), np.ones(5))
    unit = 2.0**exponent
    np.testing.assert_array_equal(box_overlaps(unit * boxes, unit * boxes), expected)
    np.testing.assert_array_equal(non_maximum_suppression(unit * boxes, np.arange(5)), [4, 3, 2, 1])


def test_overlaps_of_boxes_whose_sizes_are_far_apart():
    small, large = [[0, 0, 1e-300, 1e-300]], [[-1e308, -1e308, 1e308, 1e308]]
    np.testing.assert_array_equal(box_overlaps(small, large), [[0.0]])
    np.testing.assert_array_equal(box_overlaps(large, large), [[1.0]])
    np.testing.assert_array_equal(box_overlaps([[0, 0, 1e-300, 1e300]], [[0, 0, 1e300, 1e-300]]), [[0.0]])


@pytest.mark.parametrize("limit", [0.0, 0.3, 0.7])
def test_what_is_kept_does_not_overlap_and_what_is_left_out_does(limit):
    rng = np.random.default_rng(1)
    top = rng.uniform(0, 50, (200, 2))
    boxes, scores = np.hstack([top, top + rng.uniform(5, 20, (200, 2))]), rng.normal(size=200)
    kept = non_maximum_suppression(boxes, scores, limit)
    overlaps = box_overlaps(boxes, boxes)
    assert (np.diff(scores[kept]) <= 0).all()
    assert (overlaps[np.ix_(kept, kept)] - np.eye(len(kept))).max() <= limit
    for i in np.setdiff1d(np.arange(200), kept):
        better = [k for k in kept if scores[k] >= scores[i] and overlaps[i, k] > limit]
        assert better
    assert len(non_maximum_suppression(np.empty((0, 4)), [])) == 0


@pytest.fixture(scope="module")
def pictures():
    """Zeros of scikit-learn's digits, in several sizes, on parts of its photograph of a Chinese palace."""
    palace = load_sample_image("china.jpg").astype(float) / 255
    digits = load_digits()
    zeros = digits.images[digits.target == 0] / 16

    def scene(left, seed, count=3):
        rng, image, boxes = np.random.default_rng(seed), palace[:200, left : left + 160].copy(), []
        while len(boxes) < count:
            size = int(rng.integers(20, 40))
            y, x = rng.integers(200 - size), rng.integers(160 - size)
            if boxes and box_overlaps([[y, x, y + size, x + size]], boxes).max() > 0:
                continue
            zero = zoom(zeros[rng.integers(len(zeros))], size / 8, order=1, grid_mode=True, mode="nearest")
            image[y : y + size, x : x + size] = zero[:size, :size, None]
            boxes.append([y, x, y + size, x + size])
        return image, boxes

    return [scene(320 * (k % 2), k) for k in range(12)], [scene(160 + 320 * (k % 2), 100 + k) for k in range(4)]


def test_zeros_in_a_photograph(pictures):
    train, new = pictures
    model = SlidingWindow(n_negatives=2000, random_state=0).fit(*zip(*train, strict=True))
    assert model.certificate_.verify(model.windows_, model.labels_).figures == model.certificate_.figures
    assert model.labels_.sum() <= 5 * 36 and set(np.unique(model.labels_)) == {0, 1}
    hits = alarms = windows = 0
    for image, boxes in new:
        found = model.detect(image)
        windows += found.windows
        overlaps = box_overlaps(boxes, found.boxes)
        hits += int((overlaps.max(axis=1) > 0.4).sum())
        alarms += int((overlaps.max(axis=0) <= 0.4).sum())
        assert (found.scores > 0).all() and (np.diff(found.scores) <= 0).all() and len(found) <= found.passed
        assert (box_overlaps(found.boxes, found.boxes) - np.eye(len(found))).max() <= 0.3
    assert hits >= 11  # of 12, at places and in sizes that were never seen
    assert alarms / windows < 0.001


def test_any_classifier_and_grey_pictures(pictures):
    train, _ = pictures
    images, boxes = zip(*train[:4], strict=True)
    grey = [(image.mean(axis=2) * 255).astype(np.uint8) for image in images]
    model = SlidingWindow(classifier=LinearClassifier(C=0.01), n_negatives=500, hard_negatives=0, random_state=0)
    found = model.fit(grey, boxes).detect(grey[0])
    assert found.windows > 1000
    assert (box_overlaps(boxes[0], found.boxes).max(axis=1) > 0.3).any()


def test_places_one_by_one_are_places_at_once(pictures, monkeypatch):
    image, boxes = pictures[0][0]
    model = SlidingWindow(
        classifier=LinearClassifier(C=0.01), n_negatives=300, hard_negatives=0, step=7, random_state=0
    )
    once = model.fit([image], [boxes]).detect(image)
    monkeypatch.setattr("maxmargin.detection._sliding_window._MOST_VALUES", 5 * 256)
    again = model.detect(image)
    np.testing.assert_array_equal(again.boxes, once.boxes)
    np.testing.assert_allclose(again.scores, once.scores, rtol=1e-9)
    assert (again.windows, again.passed) == (once.windows, once.passed)
    model.step = 10**30  # the two ends of each level
    assert 0 < model.detect(image).windows < once.windows


def test_what_cannot_be_used_is_refused():
    image, box = np.zeros((40, 40)), [[0, 0, 20, 20]]
    with pytest.raises(ValueError, match="not fitted"):
        SlidingWindow().detect(image)
    for wrong, words in (({"window": (2, 2)}, "window"), ({"scale": 1.0}, "scale"), ({"step": 0}, "step")):
        with pytest.raises(ValueError, match=words):
            SlidingWindow(**wrong).fit([image], [box])
    for images, boxes, words in (
        ([image], [], "a list of boxes for each image"),
        ([image], [[]], "all of them are empty"),
        ([image], [[[0, 0, 50, 50]]], "not inside its image"),
        ([image], [[[5, 5, 5, 9]]], "bottom below their top"),
        ([np.zeros(3)], [box], "an image must have shape"),
    ):
        with pytest.raises(ValueError, match=words):
            SlidingWindow().fit(images, boxes)
    for wrong, words in (
        ({"scale": 1 + 1e-12}, r"scale must be from 1\.01 to 4; got 1\.0"),
        ({"window": (41, 4)}, r"window=\(41, 4\) fits into none of the images; one of them has shape \(40, 40\)"),
        ({"window": (10**9, 10**9)}, "fits into none of the images"),
    ):
        with pytest.raises(ValueError, match=words):
            SlidingWindow(**wrong).fit([image], [box])
    with pytest.raises(MemoryError, match=r"window=\(16, 16\) and n_negatives=1000000000000 ask for .* GiB"):
        SlidingWindow(n_negatives=10**12).fit([image], [box])
    for images, boxes, words in (
        ([image], [[[0, 0, 1e300, 1e300]]], "not inside its image"),
        ([image + 1e200], [box], r"values of at most 1e\+100 in size; got 1e\+200"),
        ([image + 1j], [box], "an image must have real numbers; got complex128"),
        ([image], [[["0", "0", "9", "9"]]], "boxes must be finite numbers .* got str"),
        ([image], [[[0, 0], [9, 9, 9]]], "boxes must be finite numbers .* got object"),
    ):
        with pytest.raises(ValueError, match=words):
            SlidingWindow().fit(images, boxes)
    with pytest.raises(ValueError, match="scores must be a number for each"):
        non_maximum_suppression([[0, 0, 1, 1]], [])


def test_parameters_by_name():
    model = SlidingWindow(classifier=LinearClassifier(C=2.0))
    assert model.get_params()["classifier__C"] == 2.0 and "classifier__C" not in model.get_params(deep=False)
    copy = clone(model).set_params(step=3, classifier__C=5.0)
    assert (copy.step, copy.classifier.C) == (3, 5.0) and (model.step, model.classifier.C) == (2, 2.0)
    for name in ("steps", "classifier_", "classifier__"):
        with pytest.raises(ValueError, match=f"{name} is not a parameter of SlidingWindow"):
            model.set_params(**{name: 1})
    with pytest.raises(ValueError, match="classifier__C is not a parameter"):
        SlidingWindow().set_params(classifier__C=1.0)


def test_of_windows_with_equal_scores_the_centre_is_found(monkeypatch):
    """Two plateaus, of 5 x 5 and of 5 x 3 windows two pixels apart, and a lone better one."""
    corners = [(20 + 2 * i, 30 + 2 * j) for i in range(5) for j in range(5)]
    corners += [(100 + 2 * i, 40 + 2 * j) for i in range(5) for j in range(3)] + [(60, 60)]
    boxes = np.array([[top, left, top + 16, left + 16] for top, left in corners], dtype=float)
    scores = np.r_[np.ones(25), np.ones(15), 2.0]
    model = SlidingWindow()
    model.classifier_ = None
    monkeypatch.setattr(SlidingWindow, "_judged", lambda self, picture, keep: (boxes, scores, None))
    found = model.detect(np.zeros((130, 130)))
    assert found.boxes[0, :2].tolist() == [60, 60]
    assert {tuple(box) for box in found.boxes[1:3, :2].tolist()} == {(24, 34), (104, 42)}
