"""The nodes of a tree, whose numbers compiled code follows without asking: all of them are checked.

Node 0 is the root; the children of node i are left[i] > i and left[i] + 1; every other node is the child of exactly
one. So a walk goes down in each step and ends, whatever the values of a row are.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import fields
from typing import Any

import numpy as np

from ..tree import MAX_BINS, Categories, Tree
from ._arrays import Array, bools, floats
from ._errors import Mismatch, Where, at, inside
from ._kinds import Int, Kind, Scope, Size, checked_text, shown
from ._labels import label_node, labels_of
from ._schema import Check

_WORDS_OF_A_SUBSET = 4
NOT_MONOTONE = Check(lambda s: s.params["monotonic_cst"] is None, "monotonic_cst must be null.")


class Nodes(Kind):
    """A tree over "d" columns whose nodes hold `outputs` values; splits by category only where those are known."""

    def __init__(self, outputs: Size, shares: bool) -> None:
        self._outputs, self._shares = outputs, shares

    def _parts(self) -> dict[str, Kind]:
        high = 1.0 + 1e-9 if self._shares else None
        return {
            "children_left": Array(("int64",), ("nodes",), low=-1),
            "feature": Array(("int64",), ("nodes",), low=-2),
            "threshold": floats("nodes", finite=False, nan=True),
            "missing_go_to_left": bools("nodes"),
            "impurity": floats("nodes"),
            "n_node_samples": Array(("int64",), ("nodes",), low=0),
            "weighted_n_node_samples": floats("nodes", low=0),
            "value": floats("nodes", 1, self._outputs, low=0 if self._shares else None, high=high),
            "subset": Array(("int64",), ("nodes",), low=-1),
            "subsets": Array(("uint64",), ("subsets", _WORDS_OF_A_SUBSET)),
            "cut": Array(("int16",), ("nodes",), low=-1),
            "max_depth": Int(0, 2**31),
        }

    def write(self, value: Any, where: Where) -> Any:
        if type(value) is not Tree:
            raise Mismatch(where, f"must be a Tree to be saved; found {shown(value)}.")
        parts = self._parts()
        for name in {field.name for field in fields(value)} - {*parts, "n_features", "n_outputs"}:
            raise Mismatch(inside(where, name), "is a part of a tree that model files have no place for.")
        return {name: kind.write(getattr(value, name), inside(where, name)) for name, kind in parts.items()}

    def read(self, node: Any, where: Where, scope: Scope) -> Tree:
        parts = self._parts()
        if not isinstance(node, dict) or set(node) != set(parts):
            raise Mismatch(where, f"must be a tree; found {shown(node)}.")
        own = Scope(sizes={name: size for name, size in scope.sizes.items() if name not in ("nodes", "subsets")})
        read = {name: kind.read(node[name], inside(where, name), own) for name, kind in parts.items()}
        _check_children(read["children_left"], where)
        _check_splits(read, own, _category_columns(scope), where)
        tree = Tree(**read, n_features=own["d"])
        if int(tree.depths.max()) != tree.max_depth:
            raise Mismatch(where, f"claims a depth of {tree.max_depth}; it is {int(tree.depths.max())}.")
        return tree


def _check_children(left: np.ndarray, where: Where) -> None:
    m = len(left)
    inner = np.flatnonzero(left >= 0)
    if not 1 <= m < 2**31 - 1 or m != 2 * len(inner) + 1:
        raise Mismatch(where, f"has {m} nodes, of which {len(inner)} have two children.")
    if (left[inner] <= inner).any() or (left[inner] + 1 >= m).any():
        raise Mismatch(inside(where, "children_left"), "must be numbers of later nodes.")
    parents = np.bincount(np.concatenate([left[inner], left[inner] + 1]), minlength=m)
    if (parents[1:] != 1).any():
        raise Mismatch(inside(where, "children_left"), "must name every node but the root once.")


def _check_splits(read: dict[str, Any], scope: Scope, categories: Set[int], where: Where) -> None:
    leaf, feature, subset = read["children_left"] < 0, read["feature"], read["subset"]
    if (feature[leaf] != -2).any() or (feature[~leaf] < 0).any() or (feature[~leaf] >= scope["d"]).any():
        raise Mismatch(inside(where, "feature"), f"must be columns from 0 to {scope['d'] - 1}, and -2 for leaves.")
    by_category = subset >= 0
    if (by_category & leaf).any() or (subset >= scope["subsets"]).any():
        raise Mismatch(inside(where, "subset"), "must be rows of subsets, and -1 for leaves.")
    if not set(np.unique(feature[by_category]).tolist()) <= categories:
        raise Mismatch(inside(where, "subset"), "has a split by category on a column that has none.")
    if np.isnan(read["threshold"][~by_category]).any():
        raise Mismatch(inside(where, "threshold"), "must not be NaN but for splits by category.")


def _category_columns(scope: Scope) -> Set[int]:
    found = scope.values.get("_categories")
    return set() if found is None else set(found.of)


class CategoryColumns(Kind):
    """Columns of a data frame with categories, and which; codes above the last bit of a subset there are none."""

    def write(self, value: Any, where: Where) -> Any:
        if value is None:
            return None
        return {
            "names": [checked_text(name, where) for name in value.names],
            "of": [[int(j), label_node(known, at(where, j))] for j, known in value.of.items()],
        }

    def read(self, node: Any, where: Where, scope: Scope) -> Categories | None:
        if node is None:
            return None
        if not isinstance(node, dict) or set(node) != {"names", "of"} or not isinstance(node["of"], list):
            raise Mismatch(where, f"must be columns with categories; found {shown(node)}.")
        names = node["names"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise Mismatch(where, f"must have names of columns; found {shown(names)}.")
        scope.agree("d", len(names), where, "the number of its columns")
        of: dict[int, np.ndarray] = {}
        for pair in node["of"]:
            if not isinstance(pair, list) or len(pair) != 2 or type(pair[0]) is not int:
                raise Mismatch(where, f"must have categories by column; found {shown(pair)}.")
            known = labels_of(pair[1], where)
            if not 0 <= pair[0] < len(names) or pair[0] in of or known.ndim != 1 or known.dtype != object:
                raise Mismatch(where, f"must have categories by column; found {shown(pair)}.")
            if len(known) > MAX_BINS or len(set(known.tolist())) != len(known):
                raise Mismatch(where, f"must have at most {MAX_BINS} categories a column, each once.")
            of[pair[0]] = known
        if not of:
            raise Mismatch(where, "has no column with categories.")
        return Categories(tuple(checked_text(name, where) for name in names), of)
