"""k-means: starts, Lloyd's steps with bounds that spare distances, the proof of rest, and the choice of K."""

from ._centre_path import centre_path
from ._elbow import Elbow, elbow
from ._kmeans import KMeans
from ._lloyd import LloydRun, lloyd
from ._points import Points
from ._seeding import plus_plus

__all__ = ["Elbow", "KMeans", "LloydRun", "Points", "centre_path", "elbow", "lloyd", "plus_plus"]
