"""Everything that clusterings answer with is checked by `verify`."""

import copy

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin.certificates import Status
from maxmargin.cluster import KMeans, SpectralClustering

X, _ = load_iris(return_X_y=True)

KMEANS = {
    "a centre moved": ("cluster_centers_", lambda v: np.where(np.arange(len(v))[:, None] == 1, v + 0.5, v)),
    "centres reversed": ("cluster_centers_", lambda v: v[::-1].copy()),
    "a centre is NaN": ("cluster_centers_", lambda v: np.where(v == v[0, 0], np.nan, v)),
    "a centre less": ("cluster_centers_", lambda v: v[:-1]),
    "origin is NaN": ("_origin", lambda v: v * np.nan),
    "origin far away": ("_origin", lambda v: v + 1e12),
    "labels": ("labels_", lambda v: np.roll(v, 1)),
    "labels of text": ("labels_", lambda v: v.astype(str)),
    "inertia": ("inertia_", lambda v: v / 2),
    "called streamed": ("_streamed", lambda v: True),
    "columns": ("n_features_in_", lambda v: v + 1),
}


@pytest.mark.parametrize("tamper", KMEANS)
def test_kmeans(tamper):
    model = KMeans(3, random_state=0).fit(X)
    assert model.certificate_.verify(X).holds
    name, change = KMEANS[tamper]
    other = copy.deepcopy(model)
    setattr(other, name, change(getattr(model, name)))
    found = other.certificate_.verify(X)
    assert found.status is Status.REFUTED and not found.holds


def test_a_tolerance_of_its_own_does_not_help():
    model = KMeans(3, random_state=0).fit(X)
    model.cluster_centers_ = model.cluster_centers_ + 0.05
    model._tolerance = 1e9
    assert model.certificate_.verify(X).status is Status.REFUTED


SPECTRAL = {
    "labels rolled": ("labels_", lambda v: np.roll(v, 1)),
    "labels renumbered": ("labels_", lambda v: 1 - v),
    "ncut": ("ncut_", lambda v: v / 2),
    "graph": ("affinity_matrix_", lambda v: v * 2),
    "bandwidth": ("gamma_", lambda v: v * 2),
    "eigenvectors": ("eigenvectors_", lambda v: v * np.nan),
    "eigenvalues": ("eigenvalues_", lambda v: v * 0.5),
}


@pytest.mark.parametrize("tamper", SPECTRAL)
def test_spectral(tamper):
    model = SpectralClustering(2, random_state=0).fit(X)
    assert model.certificate_.verify(X).holds
    name, change = SPECTRAL[tamper]
    other = copy.deepcopy(model)
    setattr(other, name, change(getattr(model, name)))
    found = other.certificate_.verify(X)
    assert found.status is Status.REFUTED and not found.holds
