"""What clusters consist of."""

from __future__ import annotations

from ..cluster import KMeans, SpectralClustering
from ._arrays import dense_or_csr, either_float, floats, places
from ._common import FEATURES, OUTPUT_CONFIG
from ._kinds import Bool, Float, Int, Maybe, OrNone
from ._plain import RandomState
from ._proofs import guarantee
from ._schema import Entries, Let, Schema
from ._sizes import Check

_KMEANS: Entries = (
    *FEATURES,
    *OUTPUT_CONFIG,
    ("cluster_centers_", either_float("k", "d")),
    Check(lambda s: s["k"] >= 1, "has no centres."),
    ("_origin", floats("d")),
    ("_streamed", Bool()),
    ("_masses", floats("k", low=0)),
    ("labels_", places("n", "k")),
    ("inertia_", Float(0.0)),
    ("n_iter_", Maybe(Int())),
    ("inertia_history_", Maybe(floats("steps"))),
    ("n_distances_", Maybe(Int())),
    ("_tolerance", Maybe(Float(0.0))),
    ("n_steps_", Maybe(Int())),
    ("_waiting", Maybe(Int())),
    ("_generator", Maybe(RandomState())),
    Check(
        lambda s: (
            {"n_steps_", "_waiting", "_generator"} <= set(s.values)
            if s.values["_streamed"]
            else {"n_iter_", "inertia_history_", "_tolerance"} <= set(s.values)
        ),
        "lacks attributes of its way of fitting.",
    ),
    ("certificate_", guarantee()),
)

_SPECTRAL: Entries = (
    *FEATURES,
    ("gamma_", Float(0.0)),
    ("affinity_matrix_", dense_or_csr("n", "n", ("float64",))),
    ("n_components_graph_", Int(1)),
    Let("k", lambda s: int(s.params["n_clusters"])),
    Check(lambda s: s["n"] >= s["k"], "has fewer rows than clusters."),
    ("labels_", places("n", "k")),
    ("ncut_", Float()),
    ("eigenvalues_", floats("vectors")),
    ("eigenvectors_", floats("n", "vectors")),
    ("_solved", Bool()),
    ("_proof", OrNone(guarantee())),
)

SCHEMAS = [
    Schema("maxmargin.cluster.KMeans", KMeans, _KMEANS, width=lambda value: len(value.cluster_centers_)),
    Schema("maxmargin.cluster.SpectralClustering", SpectralClustering, _SPECTRAL),
]
