"""What scikit-learn's trees consist of, which our AdaBoostRegressor boosts unless told otherwise.

Its compiled code follows the numbers of nodes without asking, so that they are all checked, as those of our trees are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import Tree

from ._arrays import Array, floats
from ._common import CLASSES, TREE_FEATURES
from ._errors import Mismatch, Where, inside
from ._kinds import Int, Kind
from ._schema import Derived, Entries, Schema
from ._scope import Scope
from ._sizes import Size
from ._values import shown

_COLUMNS = {
    "left_child": Array(("int64",), ("nodes",), low=-1),
    "right_child": Array(("int64",), ("nodes",), low=-1),
    "feature": Array(("int64",), ("nodes",), low=-2),
    "threshold": floats("nodes", finite=False),
    "impurity": floats("nodes", finite=False, nan=True),
    "n_node_samples": Array(("int64",), ("nodes",), low=0),
    "weighted_n_node_samples": floats("nodes", low=0),
    "missing_go_to_left": Array(("uint8",), ("nodes",), high=1),
}


class _Nodes(Kind):
    """The compiled tree by its state."""

    def __init__(self, outputs: Size) -> None:
        self._outputs = outputs

    def write(self, value: Any, where: Where) -> Any:
        if type(value) is not Tree:
            raise Mismatch(where, f"must be a Tree to be saved; found {shown(value)}.")
        state = value.__getstate__()
        if set(state["nodes"].dtype.names) != set(_COLUMNS):
            raise Mismatch(where, "is a tree of a scikit-learn that model files do not know yet.")
        nodes = {name: np.ascontiguousarray(state["nodes"][name]) for name in _COLUMNS}
        return {**nodes, "values": state["values"], "max_depth": int(state["max_depth"])}

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, dict) or set(node) != {*_COLUMNS, "values", "max_depth"}:
            raise Mismatch(where, f"must be a tree; found {shown(node)}.")
        own = Scope(sizes={name: size for name, size in scope.sizes.items() if name != "nodes"})
        read = {name: kind.read(node[name], inside(where, name), own) for name, kind in _COLUMNS.items()}
        values = floats("nodes", 1, self._outputs).read(node["values"], inside(where, "values"), own)
        depth = _checked_depth(read, own["d"], where)
        if node["max_depth"] != depth or type(node["max_depth"]) is not int:
            raise Mismatch(where, f"claims a depth of {shown(node['max_depth'])}; it is {depth}.")
        tree = Tree(own["d"], np.array([values.shape[2]], dtype=np.intp), 1)
        nodes = np.zeros(own["nodes"], dtype=tree.__getstate__()["nodes"].dtype)
        for name, column in read.items():
            nodes[name] = column
        tree.__setstate__({"max_depth": depth, "node_count": len(nodes), "nodes": nodes, "values": values})
        return tree


def _checked_depth(read: dict[str, np.ndarray], d: int, where: Where) -> int:
    """The depth of a tree in which children come after their parents, each once."""
    left, right, feature = read["left_child"], read["right_child"], read["feature"]
    m, inner = len(left), np.flatnonzero(left >= 0)
    if m < 1 or m != 2 * len(inner) + 1 or not np.array_equal(left >= 0, right >= 0):
        raise Mismatch(where, f"has {m} nodes, of which {len(inner)} have two children.")
    children = np.concatenate([left[inner], right[inner]])
    if (children <= np.tile(inner, 2)).any() or (children >= m).any() or len(np.unique(children)) != m - 1:
        raise Mismatch(where, "must have children that are later nodes, each once.")
    if (feature[inner] < 0).any() or (feature[inner] >= d).any() or (feature[left < 0] != -2).any():
        raise Mismatch(inside(where, "feature"), f"must be columns from 0 to {d - 1}, and -2 for leaves.")
    depths, level, depth = np.zeros(m, dtype=np.int64), np.zeros(1, dtype=np.int64), 0
    while True:
        parents = level[left[level] >= 0]
        if not len(parents):
            return depth
        depth += 1
        level = np.concatenate([left[parents], right[parents]])
        depths[level] = depth


_START: Entries = (*TREE_FEATURES, ("n_outputs_", Int(1, 1)), ("max_features_", Int(1, "d")))

SCHEMAS = [
    Schema(
        "sklearn.tree.DecisionTreeClassifier",
        DecisionTreeClassifier,
        (
            *_START,
            *CLASSES,
            ("tree_", _Nodes("k")),
            ("n_classes_", Derived(lambda value: np.int64(len(value.classes_)))),
        ),
    ),
    Schema(
        "sklearn.tree.DecisionTreeRegressor",
        DecisionTreeRegressor,
        (*_START, ("tree_", _Nodes(1))),
        forgets=frozenset({"class_weight"}),  # an attribute of its constructor's that is no parameter
    ),
]
