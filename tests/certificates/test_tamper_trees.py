"""Trees and ensembles that were changed after the fit are refuted, those that were not are not."""

import copy
from itertools import islice

import numpy as np
from sklearn.datasets import make_moons

from maxmargin.certificates import Status
from maxmargin.tree import DecisionTreeClassifier

from .tamper_trees import cases, mutations


def test_every_change_is_refuted_and_no_honest_model():
    rng = np.random.default_rng(0)
    tried = 0
    for label, model, verify in islice(cases(rng), 17):
        assert verify(model).status is not Status.REFUTED, label
        changes = list(mutations(model, rng))
        for k in rng.permutation(len(changes))[:15]:
            what, changed = changes[k]
            found = verify(changed)
            assert found.status is Status.REFUTED and not found.holds, f"{label}: {what}"
            tried += 1
    assert tried >= 200


def test_a_threshold_moved_between_two_training_values_is_refuted():
    X, y = make_moons(80, noise=0.25, random_state=0)
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    threshold, before = model.tree_.threshold, model.predict_proba(X)
    column = np.sort(X[:, model.tree_.feature[0]])
    below, above = column[column <= threshold[0]].max(), column[column > threshold[0]].min()
    threshold[0] = 0.9 * below + 0.1 * above
    model.tree_.__dict__.pop("paths", None)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_parts_of_a_tree_that_no_longer_fit_together_are_refuted():
    X, y = make_moons(60, noise=0.3, random_state=0)
    model = copy.deepcopy(DecisionTreeClassifier(random_state=0).fit(X, y))  # a copy computes its paths when asked
    object.__setattr__(model.tree_, "threshold", np.tile(model.tree_.threshold, 2))
    assert model.certificate_.verify(X, y).status is Status.REFUTED
