"""Clusters: k-means that has come to rest, its choice of K, and normalised cuts with the distance from the best one."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what pictures are drawn from, and what fits on a Dask cluster are made of.
from ._verify import (
    answers_by_centres as answers_by_centres,
    centres_are_whole as centres_are_whole,
    refuted as refuted,
)
from .kmeans import (
    Assignment as Assignment,
    Course as Course,
    Elbow,
    KMeans,
    LloydRun as LloydRun,
    Look as Look,
    Outliers as Outliers,
    Points as Points,
    centre_path as centre_path,
    descend as descend,
    elbow,
    fixed_point_of as fixed_point_of,
    given as given,
    lloyd as lloyd,
    look as look,
    middle as middle,
    plus_plus as plus_plus,
    same_clusters as same_clusters,
)
from .spectral import SpectralClustering, image_graph, prefix_ncuts as prefix_ncuts

__all__ = ["Elbow", "KMeans", "SpectralClustering", "elbow", "image_graph"]
