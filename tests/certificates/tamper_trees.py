"""Trees and ensembles that are tampered with after the fit, one attribute at a time.

`cases` yields fitted models with a function that verifies them, or a changed copy of them; `mutations` yields changed
copies of a model. Every one of these must be refuted, and none of the models themselves.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CascadeClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor

# What predictions are made from, by the name of the attribute, in models, their learners, trees and stages.
READ = (
    "classes_ n_classes_ _classes_count n_features_in_ n_outputs_ _categories tree_ estimators_ estimators_features_ "
    "estimator_weights_ estimator_errors_ _stages thresholds_ stages_ positive_ _carry "
    "children_left feature threshold missing_go_to_left value subset subsets cut max_depth n_features impurity "
    "n_node_samples weighted_n_node_samples "
    "feature_ threshold_ value_ _leaves lower_ upper_ coef_ intercept_ _direction _cut _centre _scale "
    "model factor detection false_positive_rate names of paths only_class"
).split()


def _table(rng: np.random.Generator, form: str) -> tuple[Any, np.ndarray]:
    """Rows in one of several forms, and a number for each of them that they tell something about."""
    n = int(rng.integers(60, 120))
    X = rng.normal(size=(n, 5))
    X[:, 3] = np.rint(X[:, 3] * 2)
    X[:, 4] = X[:, 4] > 0
    score = X[:, 0] + 0.5 * X[:, 3] * X[:, 4] + 0.3 * rng.normal(size=n)
    if form == "float32":
        return X.astype(np.float32), score
    if form == "sparse":
        return sp.csr_array(np.where(np.abs(X) < 0.5, 0.0, X)), score
    if form == "missing":
        return np.where(rng.random(X.shape) < 0.1, np.nan, X), score
    if form == "frame":
        names = np.array(["red", "green", "blue", "grey"])
        frame = pd.DataFrame(X, columns=list("abcde"))
        frame["d"] = pd.Categorical(names[rng.integers(0, 4, n)])
        return frame, score + (frame["d"] == "red").to_numpy()
    return X, score


_TREE_FORMS = ("plain", "float32", "sparse", "missing", "frame")
_FORMS = ("plain", "float32", "sparse")


def _models(rng: np.random.Generator) -> Iterator[tuple[Any, str, tuple[str, ...]]]:
    """Estimators with what they learn (classes, two of them, values) and the forms of rows that they take."""
    seed = int(rng.integers(1000))
    shapes: dict = {"max_depth": int(rng.integers(2, 6)), "max_features": rng.choice([None, "sqrt"])}
    yield DecisionTreeClassifier(**shapes), "classes", _TREE_FORMS
    yield DecisionTreeClassifier(criterion="entropy", class_weight="balanced", ccp_alpha=0.002), "classes", _TREE_FORMS
    yield DecisionTreeRegressor(max_leaf_nodes=9, random_state=seed), "values", _TREE_FORMS
    yield RandomForestClassifier(5, **shapes), "classes", _TREE_FORMS
    balanced = {"class_weight": "balanced", "random_state": seed}
    yield RandomForestClassifier(4, combine="product", **balanced), "classes", _TREE_FORMS
    yield RandomForestClassifier(3, bootstrap=False, random_state=seed), "two", _TREE_FORMS
    yield RandomForestRegressor(3, bootstrap="disjoint", random_state=seed), "values", _TREE_FORMS
    yield RandomForestRegressor(4, min_samples_leaf=3, random_state=seed), "values", _TREE_FORMS
    yield BaggingClassifier(n_estimators=4, max_features=0.7, random_state=seed), "classes", _FORMS
    yield BaggingClassifier(LogisticRegression(), 3, random_state=seed), "two", _FORMS
    yield BaggingRegressor(n_estimators=4, random_state=seed), "values", _FORMS
    yield AdaBoostClassifier(n_estimators=5, random_state=rng.choice([None, seed])), "classes", _FORMS
    yield AdaBoostClassifier("box", n_estimators=4, resample=True), "two", _FORMS
    yield AdaBoostClassifier("linear", n_estimators=4), "classes", ("plain", "float32")
    yield AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4, random_state=seed), "classes", _FORMS
    yield AdaBoostClassifier(LogisticRegression(), n_estimators=3), "two", _FORMS
    yield AdaBoostRegressor(n_estimators=4, loss="square", resample=bool(rng.integers(2))), "values", _FORMS
    carried = {"carry_votes": bool(rng.integers(2)), "validation_fraction": float(rng.choice([0.0, 0.3]))}
    yield CascadeClassifier(max_stages=3, n_estimators=5, **carried), "two", _FORMS


def cases(rng: np.random.Generator) -> Iterator[tuple[str, Any, Any]]:
    """A label, a fitted model, and a function that verifies it or a changed copy of it, without end."""
    while True:
        for estimator, kind, forms in _models(rng):
            form = str(rng.choice(forms))
            X, y = _table(rng, form)
            if kind != "values":
                cuts = [0.0] if kind == "two" else [-0.5, 0.5]
                labels = np.array([["no", "yes", "perhaps"], [3, 7, 1], [2.0, 5.0, -1.0]][rng.integers(3)])
                y = labels[np.searchsorted(cuts, y)]
            weight = (None, rng.integers(1, 4, len(y)), rng.uniform(0.5, 2.0, len(y)))[rng.integers(3)]
            model = estimator.fit(X, y, weight)

            def verify(changed: Any, rows: Any = (X, y, weight)) -> Any:
                return changed.certificate_.verify(*rows)

            yield f"{type(model).__name__} on {form} rows", model, verify


def mutations(model: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """The place of a change and a copy of the model with it, for every place and several kinds of change."""
    for path in list(_places(model)):
        for change in (_nudge, _spoil, _remove):
            changed = copy.deepcopy(model)
            if change(changed, path, rng):
                yield f"{change.__name__[1:]} {'.'.join(map(str, path))}", changed


def _places(thing: Any, path: tuple = (), depth: int = 0) -> Iterator[tuple]:
    """Ways to everything that is predicted from: attributes by name, entries of lists by number."""
    if isinstance(thing, list):
        for i in range(min(2, len(thing))):  # the first ones stand for all
            yield from _places(thing[i], (*path, i), depth)
        return
    if not hasattr(thing, "__dict__") or depth > 4 or not type(thing).__module__.startswith("maxmargin"):
        return
    parameters = thing.get_params(deep=False) if hasattr(thing, "get_params") else ()
    for name, value in vars(thing).items():
        if name in READ and name not in parameters:
            yield (*path, name)
            yield from _places(value, (*path, name), depth + 1)


def _owner(model: Any, path: tuple) -> Any:
    for step in path[:-1]:
        model = model[step] if isinstance(step, int) else getattr(model, step)
    return model


def _put(owner: Any, name: str, value: Any) -> bool:
    object.__setattr__(owner, name, value)  # frozen dataclasses are no hindrance to who means harm
    return True


def _nudge(model: Any, path: tuple, rng: np.random.Generator) -> bool:
    """Change one entry a little, but by far more than rounding."""
    owner, name = _owner(model, path), path[-1]
    value = getattr(owner, name)
    if isinstance(value, (bool, np.bool_)):
        return _put(owner, name, not value)
    if isinstance(value, (int, np.integer)):
        return _put(owner, name, value + 1)
    if isinstance(value, (float, np.floating)):
        return bool(np.isfinite(value)) and _put(owner, name, value * 1.001 + 1e-5)
    if isinstance(value, list) and len(value) > 1:
        return _put(owner, name, value[:-1])
    if not isinstance(value, np.ndarray) or value.dtype.names or not value.size:
        return False
    value = value.copy()
    at = tuple(int(rng.integers(size)) for size in value.shape)
    if value.dtype.kind == "f":
        if not np.isfinite(value[at]):
            return False
        value[at] = value[at] * 1.001 + 1e-5
    elif value.dtype.kind == "b":
        value[at] = not value[at]
    elif value.dtype.kind in "iu":
        value[at] += 1
    else:
        value[at] = "maybe"[: max(1, value.dtype.itemsize // 4)] if value.dtype.kind == "U" else "maybe"
    return _put(owner, name, value)


def _spoil(model: Any, path: tuple, rng: np.random.Generator) -> bool:
    """Put in something of another size, or no number at all."""
    owner, name = _owner(model, path), path[-1]
    value = getattr(owner, name)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
        value = value.copy()
        value.flat[int(rng.integers(value.size))] = -1e300
        return _put(owner, name, value)
    if isinstance(value, np.ndarray) and len(value) > 1:
        reversed_ = value[::-1].copy()
        return not np.array_equal(reversed_, value) and _put(owner, name, reversed_)
    if isinstance(value, float):
        return _put(owner, name, float("nan"))
    return value is not None and _put(owner, name, None)


def _remove(model: Any, path: tuple, rng: np.random.Generator) -> bool:
    owner = _owner(model, path)
    if isinstance(getattr(type(owner), path[-1], None), property) or path[-1] in ("paths", "only_class"):
        return False  # made again when it is asked for
    object.__delattr__(owner, path[-1])
    return not hasattr(owner, path[-1])
