"""scikit-learn's own installed tests of bagging, run against ours in its place."""

import re

import pytest

# Tests that do not apply, by a pattern that their names begin with, with the reason.
NOT_APPLICABLE = {
    r"test_estimator$": "asks for scikit-learn's tree as the default learner; ours is our own",
    r"test_warm_start_with_oob_score_fails": "expects the two together to be refused; ours does both",
    r"test_invalid_sample_weight_max_samples": "expects the sum of small weights to be the number of draws; ours takes "
    "weights that are not whole numbers for odds",
    r"test_draw_indices_using_sample_weight\[.*True-BaggingClassifier": "expects a bag to be given as weights of all "
    "rows; ours gives the rows",
    r"test_draw_indices_using_sample_weight\[.*BaggingRegressor": "has learners that predict None; ours asks them of "
    "the rows outside their bags",
    r"test_bagging_get_estimators_indices": "has a learner that cannot predict, as above",
    r"test_max_samples_consistency": "reads a private attribute",
    r"test_metadata_routing_with_dynamic_method_selection": "passes metadata to the learners' predictions, which ours "
    "refuses",
}


@pytest.fixture(scope="module")
def outcomes(run_suite):
    """Outcome of each test of the suite by its name, and what was printed."""
    found, output = run_suite("sklearn_bagging_swapped", ["sklearn.ensemble.tests.test_bagging"])
    assert len(found) > 70, output[-3000:]
    return [(test.split("::", 1)[1], outcome) for test, outcome in found.items()], output


def test_every_applicable_test_passes(outcomes, failures_that_apply):
    found, output = outcomes
    bad = failures_that_apply(found, NOT_APPLICABLE)
    assert not bad, "\n".join(bad) + output[-6000:]
    assert sum(outcome == "PASSED" for _, outcome in found) > 50


def test_every_exclusion_is_needed(outcomes):
    """All tests that are listed as not applicable fail: the list cannot grow stale."""
    for pattern in NOT_APPLICABLE:
        results = {outcome for name, outcome in outcomes[0] if re.match(pattern, name)}
        assert results == {"FAILED"}, f"{pattern}: {results}"
