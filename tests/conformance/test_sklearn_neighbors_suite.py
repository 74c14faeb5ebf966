"""scikit-learn's own installed tests of neighbours and clusters, run against ours in their place."""

import pytest

MODULES = [
    "sklearn.neighbors.tests.test_neighbors",
    "sklearn.neighbors.tests.test_neighbors_pipeline",
    "sklearn.cluster.tests.test_k_means",
    "sklearn.cluster.tests.test_spectral",
]

PRIVATE = "reads a private attribute or calls a private method of scikit-learn's class"
REFUSED = "asks for assign_labels='discretize', which is refused"
WORDING = "demands the words that scikit-learn prints on its way; ours prints the certificate"

# Tests that do not apply, by the name of the function (with the value of a parameter that matters), with the reason.
NOT_APPLICABLE = {
    "test_neighbors.py": {
        "test_unsupervised_inputs[KNeighbors": "fits a tree or a search in the place of rows, which scikit-learn's "
        "manual does not offer for these classes; ours asks for the rows",
        "test_predict_sparse_ball_kd_tree": "expects sparse queries of a tree to be refused; ours answers them",
    },
    "test_k_means.py": {
        "test_kmeans_init_auto_with_initial_centroids[KMeans": PRIVATE,
        "test_n_init_auto[KMeans": PRIVATE,
        "test_sample_weight_init": PRIVATE,
        "test_sample_weight_zero": PRIVATE,
    },
    "test_spectral.py": {
        "test_spectral_clustering[discretize": REFUSED,
        "test_spectral_clustering_sparse[discretize": REFUSED,
        "test_affinities": "expects a warning of a graph in two parts where two clusters are asked for; to ours they "
        "are the perfect cut",
        "test_verbose": WORDING,
    },
    "test_neighbors_pipeline.py": {},
}


def _excludes(entry: str, test: str) -> bool:
    """Whether ``test_x[value`` is about ``test_x`` with that value among others: ``test_x[42-value-csr]``."""
    name, _, value = entry.partition("[")
    function, _, values = test.partition("[")
    return function == name and (not value or any(part.startswith(value) for part in values.rstrip("]").split("-")))


@pytest.fixture(scope="module")
def suite(run_suite):
    """Outcome of each test by its name, and what was printed."""
    return run_suite("sklearn_neighbors_swapped", MODULES)


def _split(outcomes):
    """The tests that apply, and for each exclusion those that it is about."""
    about = {(file, entry): [] for file, entries in NOT_APPLICABLE.items() for entry in entries}
    apply = {}
    for test, outcome in outcomes.items():
        file, name = test.split("::", 1)
        entries = [entry for entry in NOT_APPLICABLE[file] if _excludes(entry, name)]
        for entry in entries:
            about[file, entry].append(outcome)
        if not entries:
            apply[test] = outcome
    return apply, about


def test_every_applicable_test_passes(suite):
    outcomes, output = suite
    apply, _ = _split(outcomes)
    assert sum(outcome == "PASSED" for outcome in apply.values()) > 340, output[-6000:]
    assert not [test for test, outcome in apply.items() if outcome in ("FAILED", "ERROR")], output[-6000:]


def test_every_exclusion_is_needed(suite):
    """A test that is listed as not applicable exists and fails: the list cannot grow stale."""
    for entry, found in _split(suite[0])[1].items():
        assert found, f"{entry} is not in the suite"
        assert set(found) - {"SKIPPED"} == {"FAILED"}, f"{entry} passes: take it off the list"
