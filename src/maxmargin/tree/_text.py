"""A tree in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._base import TreeEstimator
from ._weak_nodes import learners_of


def export_text(
    decision_tree: TreeEstimator,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """The rules of a tree, one line a node, as scikit-learn's function of the same name prints them.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted.
    feature_names : array-like of str, optional
        Of the columns; by default those of the data frame that it was fitted on, or ``feature_0``, ...
    class_names : array-like of str, optional
        Of the classes.
    max_depth : int, default=10
        Deeper branches are cut short.
    spacing : int, default=3
        Width of a step to the right.
    decimals : int, default=2
        Of numbers.
    show_weights : bool, default=False
        Whether leaves of classes show the weights of all classes.

    Returns
    -------
    str

    """
    check_is_fitted(decision_tree)
    for name, value, least in (("max_depth", max_depth, 0), ("spacing", spacing, 1), ("decimals", decimals, 0)):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    names = _names(decision_tree, feature_names, class_names)
    printer = _Printer(decision_tree, *names, max_depth, spacing, decimals, show_weights)
    return "".join(line + "\n" for line in printer.lines())


def _names(model: TreeEstimator, feature_names: Any, class_names: Any) -> tuple[list[str], list[str]]:
    d = int(model.n_features_in_)
    if feature_names is None:
        columns = [str(name) for name in getattr(model, "feature_names_in_", [f"feature_{j}" for j in range(d)])]
    else:
        columns = [str(name) for name in feature_names]
    if len(columns) != d:
        raise ValueError(f"feature_names must contain {d} elements, got {len(columns)}")
    learners = learners_of(model)
    columns = columns if learners is None else learners.names(columns)
    known = [str(label) for label in getattr(model, "classes_", [])]
    classes = known if class_names is None else [str(name) for name in class_names]
    if len(classes) != len(known):
        raise ValueError(f"class_names must contain {len(known)} elements, got {len(classes)}")
    return columns, classes


class _Printer:
    def __init__(
        self,
        model: TreeEstimator,
        columns: list[str],
        classes: list[str],
        depth: int,
        space: int,
        digits: int,
        weigh: bool,
    ) -> None:
        self.tree, self.categories = model.tree_, model._categories
        self.columns, self.classes = columns, classes
        self.depth, self.digits, self.weigh = depth, digits, weigh
        self.bar, self.branch = "|" + " " * space, "|" + "-" * space

    def lines(self) -> list[str]:
        """All lines; the stack holds the next line of each open branch (node, its depth, what leads to it)."""
        tree, out = self.tree, []
        todo: list[tuple[int, int, str | None]] = [(0, 0, None)]
        while todo:
            node, depth, rule = todo.pop()
            if rule is not None:
                out.append(f"{self.bar * (depth - 1)}{self.branch} {rule}")
            left = int(tree.children_left[node])
            start = f"{self.bar * depth}{self.branch} "
            if left < 0:
                out.append(start + self._leaf(node))
            elif depth > self.depth:
                out.append(start + self._cut_short(node))
            else:
                here, there = self._rules(node)
                todo += [(left + 1, depth + 1, there), (left, depth + 1, here)]
        return out

    def _leaf(self, node: int) -> str:
        value = self.tree.value[node, 0]
        if not self.classes:
            return f"value: [{value[0]:.{self.digits}f}]"
        weights = ""
        if self.weigh:
            amounts = value * self.tree.weighted_n_node_samples[node]
            weights = "weights: [" + ", ".join(f"{a:.{self.digits}f}" for a in amounts) + "] "
        return f"{weights}class: {self.classes[int(np.argmax(value))]}"

    def _cut_short(self, node: int) -> str:
        tree, deepest, level = self.tree, 0, [node]
        while level := [c for t in level if (c0 := int(tree.children_left[t])) >= 0 for c in (c0, c0 + 1)]:
            deepest += 1
        return f"truncated branch of depth {deepest}" if deepest > 1 else self._leaf(node)

    def _rules(self, node: int) -> tuple[str, str]:
        tree, j = self.tree, int(self.tree.feature[node])
        name = self.columns[j]
        if tree.subset[node] < 0:
            limit = f"{tree.threshold[node]:.{self.digits}f}"
            return f"{name} <= {limit}", f"{name} >  {limit}"
        words = tree.subsets[tree.subset[node]]
        here = [c for c in range(64 * len(words)) if int(words[c // 64]) >> (c % 64) & 1]
        known = self.categories  # a member of a forest knows categories by their numbers alone
        listed = "{" + ", ".join(f"no. {c}" if known is None else str(known.of[j][c]) for c in here) + "}"
        return f"{name} in {listed}", f"{name} not in {listed}"
