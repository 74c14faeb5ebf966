"""Trees and forests as graphs.

The operator TreeEnsembleRegressor finds the leaves: each tree is a target of its own, and the weight of a leaf is its
number. It compares ``x <= threshold`` in float64 as the trees do. Its sums, which are float32, are not used: a loop
adds up what the trees say of their leaves in the order of the trees. The sums are those of the forest to the last bit,
so that ties fall the same way.

The operator knows no splits by category. Trees that have any are walked by a loop over tables of their nodes, which
takes every row one level down at a time: a row at node v goes to ``child[v, right]``, a leaf is its own child. For
10000 rows and 100 trees of depth 25 that took 3.5 s instead of 0.25 on one core, for one row 65 ms instead of 0.5.

scikit-learn's own trees, which AdaBoostRegressor and bags may have, read their rows in single precision; so do theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import TensorProto, numpy_helper
from sklearn import tree as sklearn_tree

from ..ensemble import RandomForestClassifier, RandomForestRegressor
from ..tree import DecisionTreeClassifier, DecisionTreeRegressor, learners_of
from ._onnx_graph import Graph, Prediction, Value, writes

CLASSIFIERS = DecisionTreeClassifier, sklearn_tree.DecisionTreeClassifier
REGRESSORS = DecisionTreeRegressor, sklearn_tree.DecisionTreeRegressor
_CATEGORIES = 256  # the most that a column can have


@dataclass(frozen=True)
class Trees:
    """The nodes of several trees, one after another."""

    root: np.ndarray
    depth: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray  # left and right one of each node in turn
    missing_right: np.ndarray
    subset: np.ndarray
    goes_left: np.ndarray  # a row for each split by category: whether a category goes left

    @classmethod
    def of(cls, learners: Sequence[Any], columns: Sequence[np.ndarray] | None = None, seen: bool = False) -> Trees:
        """The tables of fitted trees; `columns` are those of the table that each was grown from, if not all.

        `seen` says that their rows come as the nodes see them, with the values of half-spaces and boxes.
        """
        if not seen and any(learners_of(learner) is not None for learner in learners):
            raise ValueError(
                "trees whose nodes are half-spaces or boxes can be exported to ONNX by themselves and in forests, not "
                "as learners of other ensembles."
            )
        trees = [learner.tree_ for learner in learners]
        root = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])[:-1]]).astype(np.int64)
        parts: list[list[np.ndarray]] = [[], [], [], [], [], []]
        splits = 0
        for k, tree in enumerate(trees):
            leaf, own = tree.children_left < 0, np.arange(tree.node_count)
            feature = np.where(leaf, 0, tree.feature)
            subset = getattr(tree, "subset", np.full(tree.node_count, -1))
            table = _bits(getattr(tree, "subsets", np.empty((0, 4))))
            children = np.column_stack([tree.children_left, tree.children_right])
            given = (
                feature if columns is None else columns[k][feature],
                np.where(leaf, np.inf, tree.threshold),
                (np.where(leaf[:, None], own[:, None], children) + root[k]).ravel(),
                ~leaf & ~tree.missing_go_to_left.astype(bool),
                np.where(subset < 0, -1, subset + splits),
                table,
            )
            splits += len(table)
            for part, array in zip(parts, given, strict=True):
                part.append(array)
        return cls(root, np.array([tree.max_depth for tree in trees]), *map(np.concatenate, parts))

    def leaves(self, graph: Graph, X: Value) -> Value:
        """Numbers of the leaves, of shape (N, trees), that the rows of X end in."""
        sizes = np.diff(np.append(self.root, len(self.feature)))
        if not len(self.goes_left) and sizes.max() < 2**24:  # beyond, float32 cannot number the leaves of a tree
            return self._found(graph, X, sizes)
        walked = graph.loop(len(self.root), [], lambda k: ([], [self._walked(graph, X, k)]))[0]
        return walked.apply("Transpose", perm=[1, 0])

    def _found(self, graph: Graph, X: Value, sizes: np.ndarray) -> Value:
        """The leaves by TreeEnsembleRegressor, which numbers them tree by tree."""
        tree = np.repeat(np.arange(len(sizes)), sizes)
        number = np.arange(len(tree)) - self.root[tree]
        left, right = self.child.reshape(-1, 2).T - self.root[tree]
        leaf = np.flatnonzero(left == number)
        leaves = number.copy()
        left[leaf] = right[leaf] = 0
        modes = np.full(len(tree), "BRANCH_LEQ", dtype=object)
        modes[leaf] = "LEAF"
        found = graph.op(
            "TreeEnsembleRegressor",
            X,
            kind=float,
            domain="ai.onnx.ml",
            n_targets=len(sizes),
            nodes_treeids=tree.tolist(),
            nodes_nodeids=number.tolist(),
            nodes_featureids=self.feature.tolist(),
            nodes_modes=modes.tolist(),
            nodes_values_as_tensor=numpy_helper.from_array(np.where(left == right, 0.0, self.threshold)),
            nodes_truenodeids=left.tolist(),
            nodes_falsenodeids=right.tolist(),
            nodes_missing_value_tracks_true=(~self.missing_right).astype(int).tolist(),
            target_treeids=tree[leaf].tolist(),
            target_nodeids=number[leaf].tolist(),
            target_ids=tree[leaf].tolist(),
            target_weights_as_tensor=numpy_helper.from_array(leaves[leaf].astype(np.float64)),
        )
        return graph.op("Cast", found, kind=int, to=TensorProto.INT64) + self.root[None, :]

    def _walked(self, graph: Graph, X: Value, k: Value) -> Value:
        """The leaves of tree k, by the loop."""

        def down(_: Value, here: Value) -> tuple[list[Value], list[Value]]:
            x = graph.pick(X, graph.take(self.feature, here))
            right = x > graph.take(self.threshold, here)
            missing = x.is_nan()
            if len(self.goes_left):
                right = self._by_category(graph, here, x, missing, right)
            right = (missing & graph.take(self.missing_right, here)) | (~missing & right)
            return [graph.take(self.child, here * 2 + right.to(int))], []

        start = graph.zeros(X, kind=int) + graph.take(self.root, k)
        return graph.loop(graph.take(self.depth, k), [start], down)[0]

    def _by_category(self, graph: Graph, here: Value, x: Value, missing: Value, right: Value) -> Value:
        """Splits by category among the others: `right` there is what the table of the split says."""
        subset = graph.take(self.subset, here)
        code = graph.where(missing, 0.0, x).apply("Clip", 0.0, float(_CATEGORIES - 1)).to(int)
        place = subset.apply("Max", 0) * _CATEGORIES + code
        by_category = subset >= 0
        return (by_category & ~graph.take(self.goes_left.ravel(), place)) | (~by_category & right)


def _bits(subsets: np.ndarray) -> np.ndarray:
    """Words of 64 bits as a table of truths."""
    words = np.asarray(subsets, dtype=np.uint64).reshape(-1, _CATEGORIES // 64)
    return ((words[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(bool).reshape(-1, _CATEGORIES)


def sum_over_trees(graph: Graph, X: Value, trees: Trees, tables: Sequence[np.ndarray]) -> Value:
    """Sum, in the order of the trees, of the rows of their tables (a row for each node) that belong to the leaves."""
    values, leaves = np.concatenate(tables), trees.leaves(graph, X)

    def add(k: Value, sums: Value) -> tuple[list[Value], list[Value]]:
        return [sums + graph.take(values, leaves.apply("Gather", k, axis=1))], []

    return graph.loop(len(trees.root), [graph.zeros(X, values.shape[1])], add)[0]


def as_read_by(graph: Graph, learner: Any, X: Value) -> Value:
    """The rows as trees of this class read them: scikit-learn's in single precision."""
    if isinstance(learner, CLASSIFIERS[0] | REGRESSORS[0]):
        return X
    return graph.op("Cast", graph.op("Cast", X, kind=float, to=TensorProto.FLOAT), kind=float, to=TensorProto.DOUBLE)


def _leaves_of_one(graph: Graph, model: Any, X: Value) -> Value:
    if model.n_outputs_ > 1:
        raise ValueError(f"a {type(model).__name__} of {model.n_outputs_} targets cannot be exported to ONNX.")
    return Trees.of([model], seen=True).leaves(graph, _seen(graph, model, as_read_by(graph, model, X))).columns(0)


def _seen(graph: Graph, model: Any, X: Value) -> Value:
    """The rows as the nodes of a model see them, added up in the order of `WeakLearners.columns`."""
    learners = learners_of(model)
    if learners is None:
        return X
    values = graph.zeros(X, len(learners.normals) or len(learners.centres))
    for j in range(len(learners.scale)):
        x = X.columns([j])
        if len(learners.normals):
            values = values + x * learners.normals[None, :, j]
        else:
            away = (x - learners.centres[None, :, j]).apply("Abs")
            values = values.apply("Max", away / learners.widths[None, :, j])
    return graph.concat([X, values])


@writes(*CLASSIFIERS)
def _write_tree_classifier(graph: Graph, model: Any, X: Value) -> Prediction:
    shares, leaves = model.tree_.value[:, 0], _leaves_of_one(graph, model, X)
    index = graph.take(np.argmax(shares, axis=1), leaves)
    return Prediction(model.classes_, index, probabilities=graph.take(shares, leaves))


@writes(*REGRESSORS)
def _write_tree_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    return Prediction(value=graph.take(model.tree_.value[:, 0, 0], _leaves_of_one(graph, model, X)))


def _forest_sums(graph: Graph, model: Any, X: Value) -> Value:
    trees = [member.tree_ for member in model.estimators_]
    X, tables = _seen(graph, model, X), model._leaf_values(trees)[0]
    return sum_over_trees(graph, X, Trees.of(model.estimators_, seen=True), tables)


@writes(RandomForestClassifier)
def _write_forest_classifier(graph: Graph, model: Any, X: Value) -> Prediction:
    sums = _forest_sums(graph, model, X)
    shares = sums / float(len(model.estimators_))
    if model.combine == "product":
        shares = shares.apply("Softmax", axis=1)
    return Prediction(model.classes_, sums.argmax(), probabilities=shares)


@writes(RandomForestRegressor)
def _write_forest_regressor(graph: Graph, model: Any, X: Value) -> Prediction:
    return Prediction(value=(_forest_sums(graph, model, X) / float(len(model.estimators_))).flat())
