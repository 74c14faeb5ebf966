"""From a table to the numbers that a model takes, as a pipeline of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

from ._column_reader import ColumnReader
from ._frame import SparseTable
from ._plan import ColumnPlan
from ._words import DenseRows

_WIDE = 200  # levels from which on one-hot columns are stored sparse


def make_preparation(
    table: Any, *, scale: bool = True, kinds: Mapping[str, str] | None = None, max_levels: int = 100
) -> Pipeline:
    """The steps that turn the columns of a table into numbers for a model, not yet fitted.

    The kind of each column is decided here, from the whole table, and stays: a fold of a cross-validation in which a
    column happens to be constant has the same columns as the others.

    Parameters
    ----------
    table : data frame or SparseTable
        The columns to learn from; not the target.
    scale : bool, default=True
        Whether numbers and dates are filled in (by the median; whether a value was missing becomes a column of its own)
        and standardised. With False they stay as they are, missing values among them: trees need no more, and are not
        given the words of free text.
    kinds : dict of str to str, default=None
        What columns are, as in `ColumnReader`.
    max_levels : int, default=100
        The most levels of a category, as in `ColumnReader`.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With the steps ``read`` (`ColumnReader`) and ``encode``. Its result is dense; where categories have more than
        200 levels in all, or a column is free text, it is sparse. Rows of a SparseTable have one step, ``scale``.

    See Also
    --------
    feature_names : What its columns are called.

    Examples
    --------
    >>> import pandas as pd
    >>> from maxmargin.tables import feature_names, make_preparation
    >>> table = pd.DataFrame({"city": ["Rome", "Oslo", "Oslo", "Rome"], "age": [31.0, None, 25.0, 40.0]})
    >>> preparation = make_preparation(table)
    >>> preparation.fit_transform(table).round(2)
    array([[-0.14,  0.  ,  0.  ,  1.  ],
           [-0.14,  1.  ,  1.  ,  0.  ],
           [-1.26,  0.  ,  1.  ,  0.  ],
           [ 1.54,  0.  ,  0.  ,  1.  ]])
    >>> feature_names(preparation)
    ['age', 'age missing', 'city=Oslo', 'city=Rome']

    """
    if isinstance(table, SparseTable):
        return Pipeline([("scale", MaxAbsScaler() if scale else "passthrough")])
    plans = ColumnReader(kinds=kinds, max_levels=max_levels).fit(table).columns_
    return Pipeline([("read", decided_reader(plans, max_levels)), ("encode", make_encoder(plans, scale))])


def decided_reader(plans: Sequence[ColumnPlan], max_levels: int = 100) -> ColumnReader:
    """A reader that takes columns for what was decided, not yet fitted."""
    return ColumnReader(kinds={plan.name: plan.kind for plan in plans}, max_levels=max_levels)


def make_encoder(plans: Sequence[ColumnPlan], scale: bool) -> ColumnTransformer:
    """What makes a model's numbers of those of the reader, not yet fitted; `scale` as in `make_preparation`."""
    return ColumnTransformer(_steps(plans, scale), sparse_threshold=1.0, verbose_feature_names_out=False)


def _steps(plans: Sequence[ColumnPlan], scale: bool) -> list[tuple[str, Any, list[int]]]:
    """What is done with which columns of the reader's matrix, by their places."""
    outputs = [(plan, part) for plan in plans for part in range(len(plan.outputs))]
    words = [j for j, (plan, _) in enumerate(outputs) if plan.kind == "text"]
    codes = [j for j, (plan, _) in enumerate(outputs) if plan.kind == "category"]
    numbers = [j for j, (plan, _) in enumerate(outputs) if plan.kind not in ("category", "text")]
    # One indicator for a date, not one for each of its parts. It is not scaled: a value that is missing once in 10,000
    # rows would be 100 standard deviations away, and a kernel would see that row as a stranger to all others.
    holes = [j for j in numbers if outputs[j][0].missing and outputs[j][1] == 0]
    first = [DenseRows()] if words else []  # a reader of text gives sparse rows
    steps: list[tuple[str, Any, list[int]]] = []
    if numbers:
        steps.append(("numbers", _after(first, *_filled_and_scaled() if scale else ()), numbers))
    if holes and scale:
        steps.append(("missing", _after(first, MissingIndicator(features="all")), holes))
    if codes:
        levels = sum(len(plan.levels) + plan.other for plan in plans if plan.kind == "category")
        sparse = scale and bool(words)
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=levels > _WIDE or sparse)
        steps.append(("categories", _after(first, encoder), codes))
    if words and scale:
        steps.append(("words", "passthrough", words))
    return steps


def _after(first: list[Any], *then: Any) -> Any:
    """Steps one after the other; of a single one itself, of none what changes nothing."""
    steps = [*first, *then]
    return steps[0] if len(steps) == 1 else make_pipeline(*steps) if steps else "passthrough"


def _filled_and_scaled() -> tuple[Any, ...]:
    # A column without any value in a fold stays, as 0: the number of columns must not depend on the fold.
    return (SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())


def feature_names(preparation: Any) -> list[str]:
    """Names of the columns that a fitted preparation gives.

    Parameters
    ----------
    preparation : Pipeline
        Of `make_preparation`, fitted; or a pipeline that begins with its steps.

    Returns
    -------
    list of str
        Such as ``age``, ``age missing``, ``city=Paris``, ``city=(other)``, ``city missing``, ``born month``.

    """
    steps = dict(preparation.steps)
    if "prepare" in steps and isinstance(steps["prepare"], Pipeline):
        return feature_names(steps["prepare"])
    if "read" not in steps:
        return [f"x{j}" for j in range(preparation.n_features_in_)]
    reader, encode = steps["read"], steps["encode"]
    plans = [plan for plan in reader.columns_ for _ in plan.outputs]
    names = reader.get_feature_names_out()
    found: list[str] = []
    for name, step, places in encode.transformers_:
        if name in ("numbers", "words"):
            found += [names[j] for j in places]
        elif name == "missing":
            found += [f"{names[j]} missing" for j in places]
        elif name == "categories":
            found += [
                _level_name(plans[j], code)
                for j, codes in zip(places, _last(step).categories_, strict=True)
                for code in codes
            ]
    return found


def _last(step: Any) -> Any:
    return step[-1] if isinstance(step, Pipeline) else step


def _level_name(plan: ColumnPlan, code: float) -> str:
    if np.isnan(code):
        return f"{plan.name} missing"
    return f"{plan.name}=" + (plan.levels[int(code)] if code < len(plan.levels) else "(other)")
