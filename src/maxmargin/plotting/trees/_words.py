"""What there is to say of a tree: checked, read from it, and written in its boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from .._features import in_column_order, texts_of
from .._look import class_names as names_of_classes, number, shortened


def check_tree(model: Any) -> None:
    """Raise where a model is not a single fitted tree of one output."""
    if not hasattr(model, "criterion") or not hasattr(model, "cost_complexity_pruning_path"):
        hint = "; draw one of its estimators_" if hasattr(model, "estimators_") else ""
        raise TypeError(
            "TreeDisplay draws decision trees, such as maxmargin.tree.DecisionTreeClassifier; got "
            f"{type(model).__name__}{hint}."
        )
    check_is_fitted(model)
    if model.tree_.n_outputs > 1:
        raise ValueError(f"TreeDisplay draws trees of one output; this {type(model).__name__} has several.")


def class_names_for(model: Any, given: Any) -> tuple[str, ...]:
    """Names of the classes, none for a model of values."""
    if not is_classifier(model):
        if given is not None:
            raise ValueError(f"class_names has no meaning for a {type(model).__name__}, which predicts values.")
        return ()
    if given is None:
        return names_of_classes(model.classes_)
    names, count = texts_of("class_names", given), len(model.classes_)
    if len(names) != count:
        raise ValueError(f"class_names must have a name for each of the {count} classes; got {len(names)}.")
    return tuple(names)


def way_of(model: Any, row: Any) -> tuple[int, ...]:
    """The nodes that a row passes."""
    table = row if hasattr(row, "columns") else np.asarray(row)
    if table.ndim == 1:
        table = table[None]
    if table.shape[0] != 1:
        raise ValueError(f"row must be a single row of the table; got {table.shape[0]} rows.")
    with in_column_order():
        return tuple(model.decision_path(table).indices.tolist())


_MOST_CATEGORIES = 3
_MOST_COUNTS = 3  # classes whose counts are written out
_IMPURITY = {"gini": "gini", "entropy": "entropy", "log_loss": "entropy", "squared_error": "variance"}


@dataclass(frozen=True)
class TreeFacts:
    """The nodes of a tree with what there is to say of them; of scikit-learn's trees as well.

    Attributes
    ----------
    left, right : ndarray of int
        Children, -1 for leaves.
    depth, rows : ndarray of int
        Splits above each node, and training rows in it.
    share : ndarray of float
        The part of the weight of all rows that is in the node.
    impurity, gain : ndarray of float
        Impurity of the node, and by how much its split lowers that of the whole tree; 0 for leaves.
    value : ndarray of shape (n_nodes, n_classes) or (n_nodes, 1)
        Shares of the classes, or the mean target.
    rules : list of str
        The question of each split, answered by yes on the left; empty for leaves.
    missing_left : ndarray of bool
        Whether missing values go left.
    measure : str
        What the impurity is called.
    classes : tuple of str
        Names of the classes; none for a tree of values.
    weighted : bool
        Whether rows have weights.

    """

    left: np.ndarray
    right: np.ndarray
    depth: np.ndarray
    rows: np.ndarray
    share: np.ndarray
    impurity: np.ndarray
    gain: np.ndarray
    value: np.ndarray
    rules: list[str]
    missing_left: np.ndarray
    measure: str
    classes: tuple[str, ...]
    weighted: bool

    @property
    def is_leaf(self) -> np.ndarray:
        return self.left < 0


def facts_of(model: Any, columns: list[str], classes: tuple[str, ...]) -> TreeFacts:
    """Read a fitted tree."""
    tree = model.tree_
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    weight, inner = tree.weighted_n_node_samples, left >= 0
    mass, gain = weight * tree.impurity, np.zeros(len(left))
    gain[inner] = (mass[inner] - mass[left[inner]] - mass[right[inner]]) / weight[0]
    value = np.asarray(tree.value)[:, 0, :]
    if classes:
        value = value / value.sum(axis=1, keepdims=True)
    depth = np.zeros(len(left), dtype=np.int64)
    level = np.flatnonzero(inner[:1])
    while len(level):
        children = np.concatenate([left[level], right[level]])
        depth[children] = np.tile(depth[level] + 1, 2)
        level = children[left[children] >= 0]
    missing = getattr(tree, "missing_go_to_left", np.zeros(len(left)))
    return TreeFacts(
        left=left,
        right=right,
        depth=depth,
        rows=np.asarray(tree.n_node_samples),
        share=weight / weight[0],
        impurity=np.asarray(tree.impurity),
        gain=gain,
        value=value,
        rules=[_rule(model, node, columns) if inner[node] else "" for node in range(len(left))],
        missing_left=np.asarray(missing).astype(bool),
        measure=_IMPURITY.get(model.criterion, str(model.criterion).replace("_", " ")),
        classes=classes,
        weighted=not np.array_equal(weight, tree.n_node_samples),
    )


def _rule(model: Any, node: int, columns: list[str]) -> str:
    tree, j = model.tree_, int(model.tree_.feature[node])
    name = shortened(columns[j])
    subset = getattr(tree, "subset", None)
    if subset is not None and subset[node] >= 0:
        words = tree.subsets[subset[node]]
        chosen = [k for k in range(64 * len(words)) if int(words[k // 64]) >> (k % 64) & 1]
        known = getattr(model, "_categories", None)  # a member of a forest knows categories by their numbers alone
        inside = [f"no. {k}" if known is None else str(known.of[j][k]) for k in chosen]
        more = [f"{len(inside) - _MOST_CATEGORIES} more"] if len(inside) > _MOST_CATEGORIES else []
        return f"{name} in {{{', '.join([shortened(c, 12) for c in inside[:_MOST_CATEGORIES]] + more)}}}"
    if np.isinf(tree.threshold[node]):  # only missing values go right
        return f"{name} is known"
    return f"{name} ≤ {number(tree.threshold[node])}"


def lines_of(facts: TreeFacts, node: int) -> list[str]:
    """What is written in a box: question or answer, impurity and gain, rows."""
    impurity = f"{facts.measure} {number(max(0.0, facts.impurity[node]), 3)}"
    answer = _answer(facts, node)
    if facts.is_leaf[node]:
        return [answer, impurity, _rows(facts, node)]
    if not facts.classes:
        impurity = f"mean {answer}"
    return [facts.rules[node], f"{impurity}, gain {number(facts.gain[node], 3)}", _rows(facts, node)]


def _answer(facts: TreeFacts, node: int) -> str:
    if facts.classes:
        return shortened(facts.classes[int(np.argmax(facts.value[node]))])
    return number(facts.value[node, 0])


def _rows(facts: TreeFacts, node: int) -> str:
    count = int(facts.rows[node])
    rows = f"{count} row{'s' if count != 1 else ''}"
    if len(facts.classes) < 2:
        return rows
    shares = facts.value[node]
    if len(facts.classes) > _MOST_COUNTS:
        most = f"{rows}, {100 * shares.max():.0f} %"  # a leaf has the class on top of it
        return most if facts.is_leaf[node] else f"{most} {_answer(facts, node)}"
    if facts.weighted:
        return f"{rows}: {', '.join(f'{100 * share:.0f} %' for share in shares)}"
    return f"{rows}: {', '.join(f'{share * count:.0f}' for share in shares)}"
