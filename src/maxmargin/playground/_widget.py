"""The playground in a notebook: the page's own modules as an anywidget."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ..engine import interruptible
from ..messages import InputError
from ._fit import answer, explain_error, fit
from ._frames import pack
from ._methods import CLASSES, CURVE, find_method
from ._request import MOST_CLASSES, MOST_POINTS, LimitError, read_question

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("the playground's widget needs anywidget: pip install anywidget") from error

_PAGE = Path(__file__).parent / "page"
_IMPORT = re.compile(r'from "\./([\w]+\.js)"')
_SHARE = 0.58


def _module() -> str:
    """One module that makes those of the page from their texts, each after those that it imports."""
    order: list[str] = []

    def visit(name: str) -> None:
        for needed in _IMPORT.findall((_PAGE / name).read_text(encoding="utf-8")):
            if needed not in order:
                visit(needed)
        if name not in order:
            order.append(name)

    visit("widget.js")
    texts = {name: (_PAGE / name).read_text(encoding="utf-8") for name in order}
    return f"""
const texts = {json.dumps(texts)};
const made = {{}};
for (const [name, text] of Object.entries(texts)) {{
  const whole = text.replace(/from "\\.\\/(\\w+\\.js)"/g, (_, needed) => `from "${{made[needed]}}"`);
  made[name] = URL.createObjectURL(new Blob([whole], {{ type: "text/javascript" }}));
}}
export default (await import(made["widget.js"])).default;
"""


class Widget(anywidget.AnyWidget):
    """Points to draw in a notebook, with a model that follows; what was drawn comes back as arrays.

    Parameters
    ----------
    X : array-like of shape (n_points, 2) or (n_points, 1), optional
        The points; of a curve, their only column.
    y : array-like of shape (n_points,), optional
        Their classes, up to six; of a curve, their values.
    method : str, default="svc"
        One of the page's methods: "svc", "linear_svc", "gradient", "logistic", "perceptron", "knn", "condensed",
        "tree", "forest", "adaboost", "kmeans", "ncut", "ridge", "polynomial", "svr", "knn_curve" or "tree_curve".
    width, height : int, default=560, 420
        Of the picture, in pixels.
    **parameters
        Those of the method, such as ``C=10``.

    Attributes
    ----------
    X, y : ndarray
        What is drawn now.
    model : estimator or None
        The model that is shown: the library's own, fitted to `X` and `y`.

    Examples
    --------
    >>> from maxmargin.playground import Widget
    >>> widget = Widget([[0.0, 0.0], [1.0, 1.0]], ["left", "right"], kernel="linear")
    >>> widget.X.shape, widget.y.tolist()
    ((2, 2), ['left', 'right'])

    """

    _esm = _module()
    drawn: Any = traitlets.List().tag(sync=True)
    view: Any = traitlets.List([0.0, 0.0, 3.3]).tag(sync=True)
    task = traitlets.Unicode(CLASSES).tag(sync=True)
    classes = traitlets.Int(2).tag(sync=True)
    most = traitlets.Int(MOST_POINTS).tag(sync=True)
    epsilon = traitlets.Float(0.0).tag(sync=True)
    width = traitlets.Int(560).tag(sync=True)
    height = traitlets.Int(420).tag(sync=True)

    def __init__(
        self,
        X: Any = None,
        y: Any = None,
        *,
        method: str = "svc",
        width: int = 560,
        height: int = 420,
        **parameters: Any,
    ) -> None:
        found = find_method(method)
        said = {name: "inf" if value == np.inf else value for name, value in parameters.items()}
        values = found.values(said)
        points, labels, names = _points_of(X, y, found.task)
        drawn = [[float(a), float(b), int(k)] for (a, b), k in zip(points, labels, strict=True)]
        self.model: Any = None
        self._method, self._said, self._names = found, said, names
        super().__init__(
            drawn=drawn, view=_around(points, width / height), task=found.task, width=width, height=height,
            classes=max(2, len(names)) if found.task == CLASSES else 1, epsilon=float(values.get("epsilon", 0.0)),
        )  # fmt: skip
        self.on_msg(self._asked)

    @property
    def X(self) -> np.ndarray:  # noqa: N802 - scikit-learn's name
        """The coordinates; of a curve, those along it."""
        points = np.array([p[:2] for p in self.drawn], dtype=np.float64).reshape(-1, 2)
        return points[:, :1].copy() if self.task == CURVE else points

    @property
    def y(self) -> np.ndarray:
        """The classes, or the values of a curve."""
        if self.task == CURVE:
            return np.array([p[1] for p in self.drawn], dtype=np.float64)
        return np.asarray(self._names)[[int(p[2]) for p in self.drawn]] if self.drawn else np.array([], dtype=np.int64)

    def _asked(self, _: Any, header: dict[str, Any], buffers: list[Any]) -> None:
        error = {"kind": "interrupted", "message": "Interrupted: what is changed next is fitted again."}
        said: dict[str, Any] = {"error": error}
        arrays: dict[str, np.ndarray] = {}
        try:
            said, arrays = self._answer(header, buffers)
        finally:  # the picture waits for an answer before it asks again
            self.send({"kind": "fit"}, [pack(said, arrays)])

    @interruptible
    def _answer(self, header: dict[str, Any], buffers: list[Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        self.model = None
        try:
            points = np.frombuffer(buffers[0], "<f8").reshape(-1, 2)
            given = {"points": points.copy(), "labels": np.frombuffer(buffers[1], np.uint8).copy()}
            question = read_question({**header, "method": self._method.name, "params": self._said}, given)
            fitted = fit(question)
            said, arrays = answer(fitted)
        except Exception as error:
            return {"error": explain_error(error)}, {}
        self.model = fitted.model
        return {**said, "words": _words(said["certificate"])}, arrays


def _words(proof: dict[str, Any] | None) -> str:
    if proof is None:
        return ""
    if proof["type"] == "gap":
        return f"{proof['dual']:.8g} ≤ optimum ≤ {proof['primal']:.8g} ({proof['status']})"
    return str(proof["statement"])


def _points_of(X: Any, y: Any, task: str) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """Points, numbers of classes, and the classes."""
    if X is None:
        if y is not None:
            raise InputError("y has values, and X has no points.")
        return np.empty((0, 2)), np.empty(0, dtype=np.int64), [0, 1]
    X = np.asarray(X, dtype=np.float64)
    columns = 1 if task == CURVE else 2
    if X.ndim != 2 or X.shape[1] != columns:
        raise InputError(
            f"X has to have {columns} column{'s' * (columns > 1)} for this method; its shape is {X.shape}."
        )
    if len(X) > MOST_POINTS:
        raise LimitError(f"X has {len(X):,} rows; up to {MOST_POINTS:,} can be drawn.")
    if y is not None and np.shape(y) != (len(X),):
        raise InputError(f"y has to have one value a row of X, {len(X)}; its shape is {np.shape(y)}.")
    if not np.isfinite(X).all():
        raise InputError("X has values that are not finite.")
    if task == CURVE:
        if y is None:
            raise InputError("y is missing: a curve needs its values.")
        return np.column_stack([X[:, 0], np.asarray(y, dtype=np.float64)]), np.zeros(len(X), dtype=np.int64), [0]
    names, labels = np.unique(np.zeros(len(X), dtype=np.int64) if y is None else np.asarray(y), return_inverse=True)
    if len(names) > MOST_CLASSES:
        raise LimitError(f"y has {len(names)} classes; up to {MOST_CLASSES} can be drawn.")
    kept = names.tolist()
    return X, labels, kept if len(kept) > 1 else [*kept, "other" if isinstance(kept[0], str) else kept[0] + 1]


def _around(points: np.ndarray, aspect: float) -> list[float]:
    if not len(points):
        return [0.0, 0.0, 3.3]
    low, high = points.min(axis=0), points.max(axis=0)
    half = _SHARE * max((high[1] - low[1]) * min(1.0, aspect), (high[0] - low[0]) * min(1.0, 1.0 / aspect))
    return [float(low[0] + high[0]) / 2, float(low[1] + high[1]) / 2, float(half) or 1.0]
