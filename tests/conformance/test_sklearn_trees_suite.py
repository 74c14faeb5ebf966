"""scikit-learn's own installed tests of trees and forests, run against ours in their place."""

import re

import pytest

CRITERION = "asks for a criterion that is refused"
OUTPUTS = "has several targets, which are refused"
RANDOM = 'asks for splitter="random", which is refused'
PRIVATE = "reads or replaces a private attribute of scikit-learn's classes"
TIES = "expects the very split that scikit-learn takes of several that gain the same"

# Tests that do not apply, by a pattern that their names begin with, with the reason.
NOT_APPLICABLE = {
    r"test_\w+\[.*(poisson|absolute_error|friedman_mse)": CRITERION,
    r"test_poisson_\w+": CRITERION,
    r"test_(mae|error|missing_values_poisson|friedman_mse_deprecation)": CRITERION,
    r"test_absolute_error_accurately": CRITERION,
    r"test_mse_criterion_object_segfault": "gives a criterion object of scikit-learn's",
    r"test_min_weight_fraction_leaf_\w*on_sparse_input\[": OUTPUTS,
    r"test_sparse_input\[(multilabel|\w+-RandomForest)": OUTPUTS,
    r"test_(multioutput|classes_shape|class_weights|class_weight_errors|class_weights_forest)": OUTPUTS,
    r"test_(class_weight_balanced_and_bootstrap|forest_multioutput|classifier_error_oob)": OUTPUTS,
    r"test_forest_(classifier|regressor)_oob\[.*(X3-y3|X1-y1)": OUTPUTS,
    r"test_forest_y_sparse": OUTPUTS,
    r"test_prune_tree_\w+\[.*multilabel": OUTPUTS,
    r"test_apply_path_readonly_all_trees\[.*random": RANDOM,
    r"test_(validate_y_class_weight|oob_not_computed_twice|max_samples_geq_one)": PRIVATE,
    r"test_(build_pruned_tree|pickle)": PRIVATE,
    r"test_memory_layout\[.*RandomForest": PRIVATE,
    r"test_backend_respected": "asks for joblib; ours has a pool of its own",
    r"test_max_samples_bootstrap": "demands scikit-learn's words",
    r"test_(big_input|huge_allocations)": "expects what is too large to be refused; ours has no such limit",
    r"test_almost_constant_feature": "expects values to be one that differ by 1e-7; ours tells them apart",
    r"test_missing_value_errors\[tree0": "expects missing values in sparse rows to be refused; ours takes them",
    r"test_deterministic_pickle": "expects equal bytes; ours holds the seconds that the fit took",
    r"test_importances(_gini_equal_squared_error)?$": TIES,
}


@pytest.fixture(scope="module")
def outcomes(run_suite):
    """Outcome of each test of the two files by its name, and what was printed."""
    modules = ["sklearn.tree.tests.test_tree", "sklearn.ensemble.tests.test_forest"]
    found, output = run_suite("sklearn_trees_swapped", modules)
    assert len(found) > 450, output[-3000:]
    return [(test.split("::", 1)[1], outcome) for test, outcome in found.items()], output


def test_every_applicable_test_passes(outcomes, failures_that_apply):
    found, output = outcomes
    bad = failures_that_apply(found, NOT_APPLICABLE)
    assert not bad, "\n".join(bad) + output[-6000:]
    assert sum(outcome == "PASSED" for _, outcome in found) > 300


def test_every_exclusion_is_needed(outcomes):
    """A pattern that is listed as not applicable fits a test that fails: the list cannot grow stale."""
    for pattern in NOT_APPLICABLE:
        results = [outcome for name, outcome in outcomes[0] if re.match(pattern, name)]
        assert "FAILED" in results, f"{pattern} fits no test that fails: take it off the list"
