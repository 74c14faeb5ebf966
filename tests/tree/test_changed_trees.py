"""Trees whose nodes were changed: an error, not a crash or a walk without end."""

import copy

import numpy as np
import pytest
from sklearn.datasets import make_moons

from maxmargin.ensemble import RandomForestClassifier
from maxmargin.tree import DecisionTreeClassifier

X, y = make_moons(200, noise=0.3, random_state=0)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("children_left", lambda nodes: np.zeros_like(nodes)),
        ("children_left", lambda nodes: np.where(nodes < 0, nodes, 10**6)),
        ("feature", lambda nodes: np.full_like(nodes, 10**8)),
        ("threshold", lambda nodes: nodes[:3]),
        ("subset", lambda nodes: np.full_like(nodes, 7)),
        ("value", lambda nodes: nodes[:2]),
    ],
)
def test_nodes_that_do_not_fit_together_are_refused(name, change):
    for model in (DecisionTreeClassifier(), RandomForestClassifier(3, random_state=0)):
        model = copy.deepcopy(model.fit(X, y))
        tree = model.tree_ if hasattr(model, "tree_") else model.estimators_[1].tree_
        object.__setattr__(tree, name, change(getattr(tree, name)))
        with pytest.raises(ValueError, match="do not fit together"):
            model.predict(X)
