"""``maxmargin predict``: what a model says of every row of a table, however long the table is."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..messages import TextTable, counted, number, percent
from ._errors import DONE, UserError, about
from ._files import STANDARD, check_place, identifiers, load, make_folder, reader_of
from ._options import AS_FOUND, DEFAULT_OUTPUT, OUTPUT, Data, Force, Model, OutputOptions, Reading, flag
from ._screen import Screen, rows_shown
from ._writers import HARMLESS, output_format, table_written

_REMARKS = 20


def predict(
    model: Model,
    data: Data,
    /,
    *,
    keep: Annotated[bool, flag("Keep all columns of the table as they are written, not only identifiers.")] = False,
    scores: Annotated[bool, flag("Add decision values, or probabilities if the model has them.")] = False,
    name: Annotated[str, Parameter(help="Name of the column of predictions.")] = "prediction",
    reading: Reading = AS_FOUND,
    out: Annotated[
        str,
        Parameter(
            group=OUTPUT,
            allow_leading_hyphen=True,
            help="Where predictions go: .csv, .tsv, .parquet, .arrow or .jsonl; - is standard output, as CSV.",
        ),
    ] = STANDARD,
    formulas: Annotated[
        bool,
        flag("Write text such as =1+1 to CSV as it is, without the ' that keeps spreadsheets from running it.", OUTPUT),
    ] = False,
    force: Force = False,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Predict every row of a table. Tables are read and written in pieces, so they may be larger than memory."""
    screen = Screen(output, None if out == STANDARD else Path(out))
    output_format(out)
    if out != STANDARD:
        check_place(Path(out), model, data, force=force)
    elif output.json:
        raise UserError("--json takes standard output, so predictions need a file: add --out predictions.csv.")

    from ..tables import scan_table, scan_written

    loaded, account = load(model)
    reader = reader_of(loaded)
    if reader is not None:  # columns hold what they held in training, and what is not read is kept as it is written
        options = {"types": reader, **reading.options()}
    else:
        options = {"width": loaded.n_features_in_, **reading.options()}
    if out != STANDARD:
        make_folder(Path(out), screen)
    predictor = Predictor(loaded, None if keep else identifiers(account), scores=scores, name=name)
    with about(data), rows_shown(output.quiet) as progress, table_written(out, formulas=formulas) as writer:
        if keep and reader is not None:
            pairs = scan_written(data, **options)
        else:
            pairs = ((chunk, None) for chunk in scan_table(data, **options))
        for chunk, written in pairs:
            writer.write(predictor.predict(chunk, {} if written is None else as_written(chunk, written, writer.form)))
            progress(predictor.rows)
    for remark in list(predictor.remarks)[:_REMARKS]:
        screen.note(f"Note: {remark}")
    summary = predictor.summary()
    if out != STANDARD:
        screen.table(summary)
        screen.wrote("Predictions", out)
    else:
        screen.note(f"{counted(predictor.rows, 'row')} predicted.")
    screen.document({"rows": predictor.rows, "out": out, "predictions": predictor.figures()})
    return DONE


def as_written(chunk: Any, written: Any, form: str) -> dict[str, tuple[Any, Any]]:
    """Field and values of columns whose cells an output can have just as the table has them.

    CSV can have all of them. In other formats, numbers and truth values of CSV are such, and numbers of JSON have types
    in Parquet and Arrow files.
    """
    from pyarrow import types

    found = {}
    for field, column in zip(written.schema, written.columns, strict=True):
        read = chunk.schema.field(field.name).type
        same = types.is_string(read) or not types.is_string(field.type)
        if form == "jsonl":
            same = same or types.is_timestamp(read) or bool(field.metadata)
        if form in ("csv", "tsv"):
            same, field = True, field if types.is_string(read) else field.with_metadata(HARMLESS)
        if same:
            found[field.name] = field, column
    return found


class Predictor:
    """Predicts chunk by chunk and keeps count; every chunk comes out with the same columns and types."""

    def __init__(self, model: Any, kept: list[str] | None, *, scores: bool, name: str) -> None:
        self.model, self.kept, self.scores, self.name = model, kept, scores, name
        self.rows = 0
        self.counts: Counter = Counter()
        self.remarks: dict[str, None] = {}  # each once, in order
        self.low, self.high, self.total = float("inf"), float("-inf"), 0.0

    def predict(self, chunk: Any, written: Mapping[str, tuple[Any, Any]]) -> Any:
        """The columns to keep and what the model says, as an Arrow table.

        Of columns that are to be written as they were, `written` has field and values.
        """
        import pyarrow

        sparse = not isinstance(chunk, pyarrow.Table)
        rows = chunk.X if sparse else self._rows(chunk)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            said = self.model.predict(rows)
            scores = self._scores(rows) if self.scores else {}
        self.remarks.update(dict.fromkeys(str(warning.message) for warning in caught))
        columns: dict[str, Any] = {}
        fields: list[Any] = []
        if not sparse:
            kept = [name for name in chunk.column_names if self.kept is None or name in self.kept]
            shown = {name: written.get(name) or (chunk.schema.field(name), chunk.column(name)) for name in kept}
            columns = {name: column for name, (_, column) in shown.items()}
            fields = [field for field, _ in shown.values()]
        if self.name in scores:
            raise UserError(f"--scores adds a column {self.name!r}; choose another name with --name.")
        added = {self.name: pyarrow.array(said), **scores}
        for name in added:
            if name in columns:
                raise UserError(f"the table has a column {name!r} already; choose another name with --name.")
        self._count(said)
        fields += [pyarrow.field(name, column.type) for name, column in added.items()]
        return pyarrow.table(list((columns | added).values()), schema=pyarrow.schema(fields))

    def _rows(self, chunk: Any) -> Any:
        """A table, or its numbers alone for a model that was fitted on an array, whose columns have no names."""
        if hasattr(self.model, "feature_names_in_") or reader_of(self.model) is not None:
            return chunk
        import numpy
        from pyarrow import types

        if not all(types.is_integer(t) or types.is_floating(t) or types.is_boolean(t) for t in chunk.schema.types):
            return chunk
        return numpy.column_stack([column.to_numpy().astype(float) for column in chunk.columns])

    def _scores(self, rows: Any) -> dict[str, Any]:
        """A column of probabilities a class, or of decision values."""
        import pyarrow

        kind = "predict_proba" if hasattr(self.model, "predict_proba") else "decision_function"
        if not hasattr(self.model, kind):
            raise UserError("this model predicts numbers and has no scores beside them; leave --scores out.")
        values = getattr(self.model, kind)(rows)
        if values.ndim == 1:
            return {"decision": pyarrow.array(values)}
        word = "probability" if kind == "predict_proba" else "decision"
        return {f"{word} {c}": pyarrow.array(values[:, k]) for k, c in enumerate(self.model.classes_)}

    def _count(self, said: Any) -> None:
        self.rows += len(said)
        if hasattr(self.model, "classes_"):
            self.counts.update(said.tolist())
        elif len(said):
            self.total += float(said.sum())
            self.low, self.high = min(self.low, float(said.min())), max(self.high, float(said.max()))

    def figures(self) -> dict[str, Any]:
        """How often each class was predicted; of numbers the mean and the ends."""
        if hasattr(self.model, "classes_"):
            return {str(label): self.counts[label] for label in self.model.classes_.tolist()}
        return {"mean": self.total / self.rows, "lowest": self.low, "highest": self.high} if self.rows else {}

    def summary(self) -> TextTable:
        """The same for people."""
        if hasattr(self.model, "classes_"):
            rows = [(label, f"{n:,}", percent(n / max(1, self.rows))) for label, n in self.figures().items()]
            return TextTable(f"Predicted {counted(self.rows, 'row')}", rows, right=(1, 2))
        return TextTable(f"Predicted {counted(self.rows, 'row')}", [(k, number(v)) for k, v in self.figures().items()])
