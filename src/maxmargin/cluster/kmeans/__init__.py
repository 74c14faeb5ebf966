"""k-means: starts, Lloyd's steps with bounds that spare distances, the proof of rest, and the choice of K."""

from ._assignment import Assignment, Outliers
from ._centre_path import centre_path
from ._elbow import Elbow, elbow
from ._fixed_point import Course, Look, fixed_point_of, look, middle
from ._kmeans import KMeans, same_clusters
from ._lloyd import LloydRun, descend, lloyd
from ._points import Points
from ._seeding import given, plus_plus

__all__ = [
    "Assignment",
    "Course",
    "Elbow",
    "KMeans",
    "LloydRun",
    "Look",
    "Outliers",
    "Points",
    "centre_path",
    "descend",
    "elbow",
    "fixed_point_of",
    "given",
    "lloyd",
    "look",
    "middle",
    "plus_plus",
    "same_clusters",
]
