"""Objects in pictures: a classifier of windows, slid over the picture in several sizes."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._sliding_window import Detections, SlidingWindow
from ._suppression import box_overlaps, non_maximum_suppression

__all__ = ["Detections", "SlidingWindow", "box_overlaps", "non_maximum_suppression"]
