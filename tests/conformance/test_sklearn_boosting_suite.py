"""scikit-learn's own installed tests of AdaBoost, run against ours in its place."""

import pytest

# Tests that do not apply, by the name of the function, with the reason.
NOT_APPLICABLE = {
    "test_iris": "asks the learners for their random states; our stumps draw nothing and have none",
    "test_adaboostclassifier_without_sample_weight": "expects learners that take no weights to be refused; ours are "
    "trained on rows drawn by weight",
}


@pytest.fixture(scope="module")
def outcomes(run_suite):
    """Outcome of each test of the suite by its name, and what was printed."""
    found, output = run_suite("sklearn_boosting_swapped", ["sklearn.ensemble.tests.test_weight_boosting"])
    assert len(found) > 40, output[-3000:]
    return {test.split("::", 1)[1]: outcome for test, outcome in found.items()}, output


def test_every_applicable_test_passes(outcomes):
    found, output = outcomes
    bad = [test for test, outcome in found.items() if outcome in ("FAILED", "ERROR") and test not in NOT_APPLICABLE]
    assert not bad, "\n".join(bad) + output[-6000:]


def test_every_exclusion_is_needed(outcomes):
    """A test that is listed as not applicable exists and fails: the list cannot grow stale."""
    found, _ = outcomes
    for name in NOT_APPLICABLE:
        assert found[name] == "FAILED", f"{name} passes: take it off the list"
