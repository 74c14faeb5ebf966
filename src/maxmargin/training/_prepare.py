"""Training rows as numbers, in two ways: filled in and scaled, or as trees take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from ..tables import ColumnPlan, ColumnReader, SparseTable, decided_reader, make_encoder, make_preparation


class Preparation:
    """Preparations fitted on the training rows alone, and what they make of these; each when it is first asked for.

    The columns are read once. What their numbers become, scaled or not, is fitted for each way.

    Parameters
    ----------
    X : data frame or CSR matrix
        The training rows.
    sparse : bool
        Whether they are sparse.
    kinds : dict or None
        What columns are, as the user says.
    ways : set of bool
        Which will be asked for: once these are made, what they are made from is given back.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        What was made of each column, and why; sparse tables have none.

    """

    def __init__(self, X: Any, sparse: bool, kinds: dict[str, str] | None, ways: set[bool]) -> None:
        self._X, self._sparse, self._ways = X, sparse, ways
        self._wanted = True
        self._pipelines: dict[bool, Pipeline] = {}
        self._rows: dict[bool, Any] = {}
        self.columns: tuple[ColumnPlan, ...] = ()
        if not sparse:
            self.columns = ColumnReader(kinds=kinds).fit(X).columns_
            self._reader = decided_reader(self.columns).fit(X)
            self._numbers: Any = self._reader.transform(X)

    @property
    def has_words(self) -> bool:
        """Whether a column is free text."""
        return any(plan.kind == "text" for plan in self.columns)

    @property
    def has_more_than_words(self) -> bool:
        """Whether a column is none."""
        return any(plan.kind not in ("text", "drop") for plan in self.columns)

    @property
    def outputs(self) -> list[ColumnPlan]:
        """The column that each of `numbers` is of."""
        return [plan for plan in self.columns if plan.kind != "text" for _ in plan.outputs]

    @property
    def numbers(self) -> np.ndarray:
        """The training rows as they are read, before anything is filled in or encoded; until `numbers_seen`.

        Words of free text are not among them.
        """
        return self._without_words(self._numbers)

    def _without_words(self, X: Any) -> np.ndarray:
        if not sp.issparse(X):
            return np.asarray(X)
        kept = [plan.kind != "text" for plan in self.columns for _ in plan.outputs]
        return np.asarray(sp.csc_array(X)[:, np.flatnonzero(kept)].toarray())

    @property
    def words(self) -> dict[str, sp.csr_array]:
        """The weighed words of each column of free text in the training rows; until `numbers_seen`."""
        if not self.has_words:
            return {}
        X, names = sp.csc_array(self._numbers), [plan.name for plan in self.columns for _ in plan.outputs]
        texts = [plan.name for plan in self.columns if plan.kind == "text"]
        return {name: X[:, [j for j, of in enumerate(names) if of == name]].tocsr() for name in texts}

    @property
    def sparse(self) -> bool:
        """Whether rows are sparse."""
        return self._sparse

    def read(self, X: Any) -> np.ndarray:
        """Other rows, read in the same way."""
        return self._without_words(self._reader.transform(X))

    def rows(self, scaled: bool) -> Any:
        """The training rows as numbers."""
        scaled = scaled or self._sparse
        if scaled not in self._rows:
            self._fit(scaled)
        return self._rows[scaled]

    def _fit(self, scaled: bool) -> None:
        if self._sparse:
            steps = make_preparation(SparseTable(self._X, np.zeros(self._X.shape[0])), scale=True)
            self._rows[scaled] = steps.fit_transform(self._X)
        else:
            encoder = make_encoder(self._reader.columns_, scaled)
            self._rows[scaled] = encoder.fit_transform(self._numbers)
            steps = Pipeline([("read", self._reader), ("encode", encoder)])
        self._pipelines[scaled] = steps
        self._let_go()

    def numbers_seen(self) -> None:
        """Say that `numbers` will not be asked for again, so that their memory can be given back."""
        self._wanted = False
        self._let_go()

    def _let_go(self) -> None:
        if self._ways <= set(self._pipelines) and not self._wanted:
            self._X = self._numbers = None

    def pipeline(self, scaled: bool) -> Pipeline:
        """The fitted preparation."""
        self.rows(scaled)
        return self._pipelines[scaled or self._sparse]

    def forget(self, scaled: bool) -> None:
        """Give the memory of one way back."""
        self._rows.pop(scaled, None)
