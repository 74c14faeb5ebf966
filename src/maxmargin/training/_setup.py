"""What is decided of a training before anything is tuned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..messages import Argument, quoted
from ._account import versions
from ._families import BY_COST, FAMILIES, Family, too_sparse
from ._findings import Finding, on_columns, on_the_split, on_the_target
from ._kept import Kept, key_of
from ._leaks import drift, leaks, sparse_leaks
from ._metrics import check_for
from ._order import order_of
from ._prepare import Preparation
from ._run_state import RunState
from ._split import RANDOM, TIME
from ._table import (
    Divided,
    TrainingTable,
    make_split,
)
from ._target import Target
from ._training import Split, TrainingError

# From this share of the training rows on, the most frequent class makes accuracy meaningless.
_DOMINANT = 0.9


class Setup(RunState):
    """What is decided before tuning: families, rows, metric, weights, findings."""

    def _families(self, classes: bool, table: TrainingTable) -> list[Family]:
        """Those to try, the quickest first."""
        names = [n for n in BY_COST if FAMILIES[n].learns(classes)]
        if self.given.model == "auto":
            if not table.sparse:
                return [FAMILIES[name] for name in names]
            n, d = table.features.shape
            if why := too_sparse(n, d):
                for name in names:
                    if not FAMILIES[name].sparse:
                        self._leave_out(name, why)
                names = [name for name in names if FAMILIES[name].sparse]
            return [FAMILIES[name] for name in names]
        names += [n for n in FAMILIES if FAMILIES[n].learns(classes) and n not in names]
        asked = self.given.models
        wrong = next((name for name in asked if name not in names), None)
        if wrong is not None:
            kind = "classes" if classes else "numbers"
            raise TrainingError(
                Argument("model", wrong),
                f" does not learn {kind}, which this target has; use one of {', '.join(names)}, or ",
                Argument("model", "auto"),
                ".",
                *(() if classes else (" ", Argument("task", "classification"), " would learn classes.")),
            )
        return [FAMILIES[name] for name in names if name in asked]

    def _split(self, table: TrainingTable, target: Target) -> Split:
        given = self.given
        classes = target.classes is not None
        split = make_split(target.y, target.rows, table.rows, classes, given.test, given.seed, self.order)
        if given.test and not len(split.test_rows):
            words = f" of {len(target.rows)} rows is none; use a larger share or 0."
            raise TrainingError(Argument("test", given.test), words)
        if len(split.train_rows) < 4:
            words = f" leaves {len(split.train_rows)} of {len(target.rows)} rows to train on; use less."
            raise TrainingError(Argument("test", given.test), words)
        if target.dropped:
            self.notes.append(f"{target.dropped} rows without a target were left out")
        self._tell("split", f"{len(split.train_rows)} rows to train on, {len(split.test_rows)} held out")
        self._check_parts(target, split)
        return split

    def _check_parts(self, target: Target, split: Split) -> None:
        """Rows that are held out together may leave nothing to learn."""
        y = target.of(split.train_rows)
        if len(np.unique(y)) < 2:
            asked = Argument(split.kind if split.kind == TIME else "group", split.column)
            raise TrainingError(asked, f" leaves rows to train on that all have the target {quoted(y[0])}.")

    def _order_rows(self, table: TrainingTable, target: Target) -> None:
        """How rows hang together, for every split of them."""
        dropped = {name for name, kind in self._kinds().items() if kind == "drop"}
        self.order = order_of(table, target.rows, self.given.time, self.given.group, dropped)

    def _find(self, rows: Divided, prepared: Preparation) -> list[Finding]:
        """What endangers trust, the serious first."""
        self._tell("prepare", "looking for leaks, copies and identifiers")
        table, target, y = rows.table, rows.target, rows.y_train
        told = self.given.time is not None
        codes = None if target.classes is None else np.unique(y, return_inverse=True)[1]
        found = on_the_target(table, target)
        if table.sparse:
            found += sparse_leaks(rows.X_train, None, codes, y)
        else:
            names = [plan.name for plan in prepared.outputs]
            levels = [plan.kind == "category" for plan in prepared.outputs]
            of_training = self.order.take(self.places)
            found += leaks(prepared.numbers, names, levels, prepared.words, y, codes, of_training, self.given.seed)
            found += on_columns(table, prepared.columns, self.order, target)
            if self.order.kind != RANDOM and len(rows.y_test):
                after = prepared.read(rows.X_test)
                kept = [j for j, name in enumerate(names) if name != self.order.column]
                found += drift(
                    prepared.numbers[:, kept], after[:, kept], [names[j] for j in kept], [levels[j] for j in kept], y,
                    rows.y_test,
                )  # fmt: skip
        found += on_the_split(table, self.order, rows.split, target, told)
        return sorted(found, key=lambda finding: not finding.serious)

    def _metric(self, y: np.ndarray, classes: bool) -> tuple[str, str]:
        asked = self.given.metric
        if asked != "auto":
            check_for(asked, np.unique(y) if classes else None)
            return asked, "as asked"
        if not classes:
            return "R2", "share of the target's variance that is explained"
        labels, counts = np.unique(y, return_counts=True)
        share = counts.max() / len(y)
        if share < _DOMINANT:
            return "accuracy", "share of rows that are classified correctly"
        return "balanced accuracy", (
            f"{100 * share:.1f} % of the training rows are {str(labels[counts.argmax()])!r}, so that accuracy says "
            "little: the mean recall of the classes is compared, and classes weigh alike in training"
        )

    def _prepare(self, rows: Divided, ways: set[bool]) -> Preparation:
        columns = rows.table.features.shape[1]
        self._tell("prepare", f"{columns} columns")
        prepared = Preparation(rows.X_train, rows.table.sparse, self._kinds() or None, ways)
        width = prepared.rows(scaled=True).shape[1]
        self._tell("prepare", f"{columns} columns become {width} numbers a row")
        return prepared

    def _class_weight(self, y: np.ndarray, classes: bool, metric: str) -> Any:
        """What classes weigh: as estimators take it."""
        given = self.given.class_weight
        if given == "auto" or given is None:
            return "balanced" if given == "auto" and classes and metric == "balanced accuracy" else None
        asked = Argument("class_weight", given)
        if not classes:
            raise TrainingError(asked, " weighs classes, and this target is a number: leave it out.")
        if isinstance(given, str):
            return given
        known = {str(label): label for label in np.unique(y).tolist()}
        unknown = next((str(label) for label in given if str(label) not in known), None)
        if unknown is not None:
            words = f" names the class {quoted(unknown)}; the target has {', '.join(map(quoted, list(known)[:5]))}."
            raise TrainingError(Argument("class_weight"), words)
        return {known[str(label)]: float(weight) for label, weight in given.items()}

    def _kept_before(self, table: TrainingTable) -> Kept:
        """What an interrupted run of the same table and arguments has tuned."""
        if self.given.resume is None:
            return Kept(None, "")
        key = key_of(self.given.settings(self.target_name), table.fingerprint, versions()["maxmargin"])
        kept = Kept(Path(self.given.resume), key)
        if kept.found:
            self._tell("data", f"an interrupted run has tuned {', '.join(kept.found)}")
            self.notes.append(f"tuned in an earlier run that was interrupted: {', '.join(kept.found)}")
        return kept
