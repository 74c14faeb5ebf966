"""A classifier of windows slid over pictures: at every place, in every size, and the best of what overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.base import clone
from sklearn.utils import Tags, TargetTags, check_random_state

from ..engine import memory_size
from ..ensemble import CascadeClassifier
from ._suppression import box_overlaps, checked_boxes, non_maximum_suppression
from ._windows import cropped, described, grey_values, places, pyramid

# Shifts of a box, as parts of its size, that are positives as well: a window need not sit exactly on an object.
_SHIFTS = ((0.0, 0.0), (0.06, 0.0), (-0.06, 0.0), (0.0, 0.06), (0.0, -0.06))
_APART = 0.3  # overlap with an object up to which a window is a negative
_MOST_VALUES = 2**23  # of the windows that are judged at a time
_LEAST_SCALE = 1.01  # sizes that differ by less show the same, and take the longer
_COPIES = 4  # of the windows of the training that there are at a time


@dataclass(frozen=True)
class Detections:
    """What was found in a picture.

    Attributes
    ----------
    boxes : ndarray of shape (n, 4)
        (top, left, bottom, right) in pixels of the picture, the best first.
    scores : ndarray of shape (n,)
        Decision values of the classifier, above 0.
    windows : int
        Windows that were looked at.
    passed : int
        Windows that the classifier took for an object, before those that overlap a better one were left out.

    """

    boxes: np.ndarray
    scores: np.ndarray
    windows: int
    passed: int

    def __len__(self) -> int:
        return len(self.boxes)


@dataclass(kw_only=True)
class SlidingWindow:
    """A detector: a classifier of windows, trained on pictures with boxes, and slid over new ones.

    Nearly all windows of a picture show no object, so that the classifier is a cascade by default, which rejects most
    of them after a few learners. A window is seen as its grey values, less their mean and over their spread.

    Parameters
    ----------
    classifier : classifier or None, default=None
        Of windows, with a `decision_function`; None: :class:`maxmargin.ensemble.CascadeClassifier` with votes that add
        up from stage to stage.
    window : tuple of two int, default=(16, 16)
        Height and width that windows have for the classifier. It finds no smaller object.
    step : int, default=2
        Pixels of the window from one place to the next.
    scale : float, default=1.25
        How much larger windows are from one size to the next, from 1.01 to 4.
    max_overlap : float, default=0.3
        Largest overlap of two boxes that are found.
    n_negatives : int, default=3000
        Windows without object that are drawn for training, from all pictures.
    hard_negatives : int, default=3
        How many times the classifier is trained again with the windows that it has wrongly taken for objects.
    random_state : int, RandomState or None, default=None
        Of the windows that are drawn, and of the default classifier.

    Attributes
    ----------
    classifier_ : classifier
        Fitted; its classes are 0, nothing, and 1, an object.
    certificate_ : Guarantee
        That of the classifier, about the windows of the training, which `windows_` and `labels_` are: what is proven
        is proven of them, and ``certificate_.verify(model.windows_, model.labels_)`` recomputes it.
    windows_, labels_ : ndarray of shape (n_windows, height * width) and (n_windows,)
        The windows of the training.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.detection import SlidingWindow, box_overlaps
    >>> rng = np.random.default_rng(0)
    >>> def picture(top, left):
    ...     image = rng.uniform(0, 0.3, (60, 80))
    ...     image[top : top + 16, left : left + 16] += np.tri(16)
    ...     return image
    >>> places = [(5, 5), (30, 50), (40, 10), (20, 30), (2, 60), (44, 44)]
    >>> boxes = [[[t, l, t + 16, l + 16]] for t, l in places]
    >>> model = SlidingWindow(random_state=0).fit([picture(*place) for place in places], boxes)
    >>> found = model.detect(picture(33, 21))
    >>> bool(box_overlaps(found.boxes[:1], [[33, 21, 49, 37]])[0, 0] > 0.5)
    True

    """

    classifier: Any = None
    window: tuple[int, int] = (16, 16)
    step: int = 2
    scale: float = 1.25
    max_overlap: float = 0.3
    n_negatives: int = 3000
    hard_negatives: int = 3
    random_state: Any = None
    classifier_: Any = field(init=False, repr=False)
    windows_: np.ndarray = field(init=False, repr=False)
    labels_: np.ndarray = field(init=False, repr=False)

    @property
    def certificate_(self) -> Any:
        """That of the classifier of windows."""
        return self.classifier_.certificate_

    # ---------------------------------------------------------------- parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, those of the classifier as ``classifier__name``.

        Parameters
        ----------
        deep : bool, default=True
            Whether those of the classifier are wanted.

        Returns
        -------
        dict

        """
        own = {part.name: getattr(self, part.name) for part in fields(self) if part.init}
        if deep and hasattr(self.classifier, "get_params"):
            own |= {f"classifier__{name}": value for name, value in self.classifier.get_params().items()}
        return own

    def set_params(self, **params: Any) -> SlidingWindow:
        """Set parameters by the names that `get_params` has.

        Parameters
        ----------
        **params
            Names and values.

        Returns
        -------
        SlidingWindow
            The detector itself.

        """
        own = self.get_params(deep=False)
        if "classifier" in params:
            self.classifier = params["classifier"]
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if name in own:
                setattr(self, name, value)
            elif first == "classifier" and rest and hasattr(self.classifier, "set_params"):
                self.classifier.set_params(**{rest: value})
            else:
                raise ValueError(f"{name} is not a parameter of SlidingWindow; it has {', '.join(sorted(own))}.")
        return self

    def __sklearn_tags__(self) -> Tags:
        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    # ---------------------------------------------------------------- training

    def fit(self, images: Sequence[Any], boxes: Sequence[Any]) -> SlidingWindow:
        """Train the classifier on windows of pictures.

        Parameters
        ----------
        images : sequence of arrays of shape (height, width) or (height, width, 3)
            Pictures; whole numbers of 8 bits, or numbers between 0 and 1. A window that varies by less than
            0.001 counts as flat.
        boxes : sequence of array-like of shape (n_objects, 4)
            For each picture the objects in it, (top, left, bottom, right); an empty list if there are none.

        Returns
        -------
        SlidingWindow
            The detector itself.

        """
        self._check()
        if len(images) != len(boxes) or not len(images):
            raise ValueError(f"there must be a list of boxes for each image; got {len(images)} and {len(boxes)}.")
        pictures, known = [grey_values(image) for image in images], [checked_boxes(part) for part in boxes]
        self._check_against(pictures, sum(map(len, known)))
        generator = check_random_state(self.random_state)
        positives = self._positives(pictures, known)
        negatives = self._negatives(pictures, known, generator)
        seed = int(generator.randint(np.iinfo(np.int32).max))
        for k in range(self.hard_negatives + 1):
            if k:
                wrong = self._mistakes(pictures, known)
                if not len(wrong):
                    break
                negatives = np.vstack([negatives, wrong])
            self.windows_ = np.vstack([positives, negatives])
            self.labels_ = np.repeat([1, 0], [len(positives), len(negatives)])
            self.classifier_ = self._new_classifier(seed).fit(self.windows_, self.labels_)
        return self

    def _check(self) -> None:
        sizes = self.window if isinstance(self.window, Sequence) else ()
        if len(sizes) != 2 or not all(isinstance(size, Integral) and size >= 4 for size in sizes):
            raise ValueError(f"window must be two whole numbers of at least 4; got {self.window!r}.")
        for name, least in (("step", 1), ("n_negatives", 1), ("hard_negatives", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
        if not isinstance(self.scale, Real) or not _LEAST_SCALE <= self.scale <= 4:
            raise ValueError(f"scale must be from {_LEAST_SCALE} to 4; got {self.scale!r}.")
        if not isinstance(self.max_overlap, Real) or not 0 <= self.max_overlap < 1:
            raise ValueError(f"max_overlap must be from 0 to below 1; got {self.max_overlap!r}.")

    def _check_against(self, pictures: list[np.ndarray], objects: int) -> None:
        """Refuse windows that no picture holds, and more of them than memory does."""
        height, width = self.window
        if not any(height <= picture.shape[0] and width <= picture.shape[1] for picture in pictures):
            largest = max((picture.shape for picture in pictures), key=min)
            raise ValueError(f"window={self.window!r} fits into none of the images; one of them has shape {largest}.")
        count = len(_SHIFTS) * objects + self.n_negatives
        needed, there = _COPIES * 8 * count * height * width, memory_size()
        if needed > there:
            raise MemoryError(
                f"window={self.window!r} and n_negatives={self.n_negatives} ask for {count} windows of {height} x "
                f"{width} values: {needed / 2**30:.1f} GiB with copies, and there are {there / 2**30:.1f} GiB of "
                f"memory. Lower one of them."
            )

    def _new_classifier(self, seed: int) -> Any:
        if self.classifier is not None:
            return clone(self.classifier)
        # votes add up from stage to stage: no single pixel says much
        rates: dict[str, Any] = {"max_false_positive_rate": 0.1, "max_stages": 10, "carry_votes": True}
        return CascadeClassifier(n_estimators=200, pos_label=1, random_state=seed, **rates)

    def _positives(self, pictures: list[np.ndarray], boxes: list[np.ndarray]) -> np.ndarray:
        found = []
        for picture, known in zip(pictures, boxes, strict=True):
            for box in known:
                if cropped(picture, box, self.window) is None:
                    raise ValueError(f"the box {box.tolist()} is not inside its image of shape {picture.shape}.")
                size = np.tile(box[2:] - box[:2], 2)
                moved = [cropped(picture, box + size * np.tile(shift, 2), self.window) for shift in _SHIFTS]
                found += [part for part in moved if part is not None]
        if not found:
            raise ValueError("boxes must have at least one object; all of them are empty.")
        return described(np.array(found))

    def _negatives(
        self, pictures: list[np.ndarray], boxes: list[np.ndarray], generator: np.random.RandomState
    ) -> np.ndarray:
        parts, share = [], -(-self.n_negatives // len(pictures))
        for picture, known in zip(pictures, boxes, strict=True):
            rows = [(level, size) for size, level in pyramid(picture, self.window, self.scale)]
            if not rows:
                continue
            drawn = [rows[k] for k in generator.randint(len(rows), size=share)]
            for level, size in drawn:
                top, left = (generator.randint(level.shape[k] - self.window[k] + 1) for k in range(2))
                box = size * np.array([[top, left, top + self.window[0], left + self.window[1]]], dtype=np.float64)
                if not len(known) or box_overlaps(box, known).max() <= _APART:
                    parts.append(level[top : top + self.window[0], left : left + self.window[1]])
        if not parts:
            raise ValueError(f"no window of {self.window} without an object was found in the images.")
        return described(np.array(parts))

    def _mistakes(self, pictures: list[np.ndarray], boxes: list[np.ndarray]) -> np.ndarray:
        """The windows without object that pass, those that overlap better ones left out."""
        rows = []
        for picture, known in zip(pictures, boxes, strict=True):
            candidates, scores, windows = self._judged(picture, keep=True)
            if not len(candidates):
                continue
            wrong = np.ones(len(candidates), dtype=bool)
            if len(known):
                wrong = box_overlaps(candidates, known).max(axis=1) <= _APART
            best = non_maximum_suppression(candidates[wrong], scores[wrong], 0.5)
            rows.append(windows[wrong][best])
        return np.vstack(rows) if rows else np.empty((0, self.window[0] * self.window[1]))

    # ---------------------------------------------------------------- use

    def detect(self, image: Any) -> Detections:
        """The objects in a picture.

        Parameters
        ----------
        image : array of shape (height, width) or (height, width, 3)
            The picture, of the range of values of those of the training.

        Returns
        -------
        Detections

        """
        if not hasattr(self, "classifier_"):
            raise ValueError("this SlidingWindow is not fitted yet; call fit with images and boxes first.")
        picture = grey_values(image)
        boxes, scores, _ = self._judged(picture, keep=False)
        count = sum(
            np.prod([len(part) for part in places(level.shape, self.window, self.step)])
            for _, level in pyramid(picture, self.window, self.scale)
        )
        order = _central_first(boxes, scores)
        kept = order[non_maximum_suppression(boxes[order], scores[order], self.max_overlap)]
        return Detections(boxes[kept], scores[kept], int(count), len(boxes))

    def _judged(self, picture: np.ndarray, keep: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Boxes, scores and, where asked for, rows of the windows that the classifier takes for objects."""
        height, width = self.window
        boxes, scores, windows = [np.empty((0, 4))], [np.empty(0)], [np.empty((0, height * width))]
        limit = np.array([*picture.shape, *picture.shape], dtype=np.float64)
        for size, level in pyramid(picture, self.window, self.scale):
            tops, lefts = places(level.shape, self.window, self.step)
            views = sliding_window_view(level, self.window)
            corners = np.array(np.meshgrid(tops, lefts, indexing="ij")).reshape(2, -1).T
            block = max(1, _MOST_VALUES // (height * width))
            for start in range(0, len(corners), block):
                part = corners[start : start + block]
                rows = described(views[part[:, 0], part[:, 1]])
                values = np.asarray(self.classifier_.decision_function(rows), dtype=np.float64)
                passed = np.flatnonzero(values > 0)
                ends = np.hstack([part[passed], part[passed] + [height, width]]) * size
                boxes.append(np.minimum(ends, limit))
                scores.append(values[passed])
                windows.append(rows[passed] if keep else windows[0])
        return np.vstack(boxes), np.concatenate(scores), np.vstack(windows)


def _central_first(boxes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The order of the scores, and of equal ones the box that overlaps the others most: the centre of a plateau."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.diff(scores[order])) + 1
    for group in np.split(order, ends):  # views of the order
        if len(group) > 2:
            share = max(1, _MOST_VALUES // len(group))
            parts = [group[start : start + share] for start in range(0, len(group), share)]
            total = np.concatenate([box_overlaps(boxes[part], boxes[group]).sum(axis=1) for part in parts])
            group[:] = group[np.argsort(-total.round(9), kind="stable")]
    return order
