"""Training rows as numbers, in two ways: filled in and scaled, or as trees take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..tables import ColumnReader, SparseTable, make_preparation
from ._table import Table


class Prepared:
    """Preparations fitted on the training rows alone, and what they make of these; each when it is first asked for.

    Parameters
    ----------
    table : Table
    rows : ndarray of int
        The training rows.
    kinds : dict or None
        What columns are, as the user says.

    """

    def __init__(self, table: Table, rows: np.ndarray, kinds: dict[str, str] | None) -> None:
        self._features = table.take(rows)
        self._sparse, self._kinds = table.sparse, kinds
        self.columns: tuple = ()  # what was made of each, and why; sparse tables have none
        if not table.sparse:
            self.columns = ColumnReader(kinds=kinds).fit(self._features).columns_
            self._kinds = {plan.name: plan.kind for plan in self.columns}
        self._pipelines: dict[bool, Pipeline] = {}
        self._rows: dict[bool, Any] = {}

    def rows(self, scaled: bool) -> Any:
        """The training rows as numbers."""
        scaled = scaled or self._sparse
        if scaled not in self._rows:
            self._pipelines[scaled] = self._make(scaled)
            self._rows[scaled] = self._pipelines[scaled].fit_transform(self._features)
        return self._rows[scaled]

    def _make(self, scaled: bool) -> Pipeline:
        if self._sparse:
            y = np.zeros(self._features.shape[0])
            return make_preparation(SparseTable(self._features, y), scale=True)
        return make_preparation(self._features, scale=scaled, kinds=self._kinds)

    def pipeline(self, scaled: bool) -> Pipeline:
        """The fitted preparation."""
        self.rows(scaled)
        return self._pipelines[scaled or self._sparse]

    def forget(self, scaled: bool) -> None:
        """Give the memory of one way back."""
        self._rows.pop(scaled, None)
