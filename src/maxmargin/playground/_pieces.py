"""What a model consists of, where it can be drawn: prototypes, centres, weak learners, trees."""

from __future__ import annotations

from typing import Any

import numpy as np

_MOST_NODES, _MOST_TREES = 255, 3


def pieces_of(model: Any, view: tuple[float, float, float, float]) -> dict[str, Any]:
    """The pieces by name; none for a model that has none."""
    found: dict[str, Any] = {}
    if hasattr(model, "prototype_indices_"):
        found["prototypes"] = np.asarray(model.prototype_indices_).tolist()
    if hasattr(model, "cluster_centers_"):
        found["centres"] = np.asarray(model.cluster_centers_, dtype=np.float64).tolist()
        found["inertia"] = float(model.inertia_)
    if hasattr(model, "ncut_"):
        found["ncut"] = float(model.ncut_)
    if hasattr(model, "tree_"):
        found["trees"] = [_tree(model.tree_, view)]
    elif hasattr(model, "estimator_weights_"):
        pairs = zip(model.estimators_, model.estimator_weights_, model.estimator_errors_, strict=False)
        found["learners"] = [{**_learner(it), "vote": float(vote), "error": float(error)} for it, vote, error in pairs]
    elif hasattr(model, "estimators_"):
        found["tree_count"] = len(model.estimators_)
        found["trees"] = [_tree(it.tree_, view) for it in model.estimators_[:_MOST_TREES] if hasattr(it, "tree_")]
    if hasattr(model, "n_mistakes_"):
        found["mistakes"] = int(np.sum(model.n_mistakes_))
    return found


def _tree(tree: Any, view: tuple[float, float, float, float]) -> dict[str, Any]:
    """Nodes of a tree, and the lines by which it divides the plane."""
    left, right, bottom, top = view
    lines: list[list[float]] = []
    waiting = [(0, np.array([left, bottom]), np.array([right, top]), 0)]
    while waiting:
        node, low, high, depth = waiting.pop()
        if tree.children_left[node] < 0:
            continue
        axis, cut = int(tree.feature[node]), float(tree.threshold[node])
        if axis < 2 and low[axis] < cut < high[axis]:
            ends = [cut, low[1], cut, high[1]] if axis == 0 else [low[0], cut, high[0], cut]
            lines.append([*(float(v) for v in ends), depth])
        below, above = high.copy(), low.copy()
        below[axis], above[axis] = min(cut, high[axis]), max(cut, low[axis])
        waiting.append((int(tree.children_left[node]), low, below, depth + 1))
        waiting.append((int(tree.children_right[node]), above, high, depth + 1))
    found = {"lines": lines, "nodes": int(tree.node_count), "leaves": int(tree.n_leaves), "depth": int(tree.max_depth)}
    if tree.node_count <= _MOST_NODES:
        found["left"] = tree.children_left.tolist()
        found["right"] = tree.children_right.tolist()
        found["feature"] = tree.feature.tolist()
        found["threshold"] = tree.threshold.tolist()
        found["samples"] = tree.n_node_samples.tolist()
        found["value"] = tree.value[:, 0].tolist()
    return found


def _learner(learner: Any) -> dict[str, Any]:
    if hasattr(learner, "feature_"):
        return {"kind": "stump", "feature": int(learner.feature_), "threshold": float(learner.threshold_)}
    if hasattr(learner, "coef_"):
        weights = np.ravel(learner.coef_).tolist()
        return {"kind": "line", "weights": weights, "intercept": float(np.ravel(learner.intercept_)[0])}
    return {"kind": "box", "box": box_of(learner)}


def box_of(learner: Any) -> dict[str, list[float]]:
    """Both corners of a box."""
    return {"low": np.ravel(learner.lower_).tolist(), "high": np.ravel(learner.upper_).tolist()}
