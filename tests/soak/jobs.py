"""What is done again and again: fits of every public estimator, predictions, saves, loads, reports and tables."""

import gzip
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from sklearn.base import clone
from tests.certificates.models import RECIPES, honest

from maxmargin import persistence
from maxmargin.report import report
from maxmargin.tables import ColumnReader, describe_table, fingerprint, make_preparation, read_table, scan_table

# Bagging hands its jobs to processes of joblib, which stay for minutes by design: they would count as leftovers.
_IN_PROCESSES = {"BaggingClassifier", "BaggingRegressor"}


def said_by(model, rows):
    """What a model says of rows: by the methods that it has."""
    names = ("predict", "decision_function", "predict_proba")
    said = {name: np.asarray(getattr(model, name)(rows)) for name in names if hasattr(model, name)}
    return said or {"labels": np.asarray(model.labels_)}


def same(found, expected):
    """Refuse answers that differ in a single bit."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].dtype == values.dtype, name
        assert np.array_equal(found[name], values, equal_nan=values.dtype.kind == "f"), name


def fit(name, rng, folder):
    """A model of this estimator, what it says, and the same from a file; now and then with two workers, or a report."""
    made = honest(name, rng)
    if made is None:
        return "refused"
    expected = said_by(made.model, made.new)
    if rng.random() < 0.5 and not callable(made.model.get_params().get("kernel")):  # a file holds no code
        path = folder / "model.mm"
        persistence.save(made.model, path)
        same(said_by(persistence.load(path), made.new), expected)
    if rng.random() < 0.3:
        same(said_by(pickle.loads(pickle.dumps(made.model)), made.new), expected)
    if rng.random() < 0.3:
        made.verify()
    if rng.random() < 0.3 and "n_jobs" in made.model.get_params() and name not in _IN_PROCESSES:
        two = clone(made.model).set_params(n_jobs=2)
        two.fit(made.X, made.y, **({} if made.weight is None else {"sample_weight": made.weight}))
        said_by(two, made.new)
    return "fitted"


def page(name, rng, folder):
    """A report about a fitted model, as a file."""
    made = honest(name, rng)
    if made is None:
        return "refused"
    path = report(made.model, made.X, made.y, sample_weight=made.weight).save(folder / "report.html")
    assert path.stat().st_size > 10_000
    return "reported"


def _table(rng):
    rows = int(rng.integers(50, 2000))
    return pa.table(
        {
            "number": rng.normal(size=rows),
            "whole": rng.integers(0, 9, rows),
            "word": np.array(["a", "b,c", 'd"e', "f\ng"])[rng.integers(0, 4, rows)],
            "day": pa.array(rng.integers(0, 20_000, rows).astype("M8[D]")),
        }
    )


def table(name, rng, folder):
    """A table written, read whole and by chunks, described and prepared."""
    made = _table(rng)
    path = folder / "table.csv.gz"
    if rng.random() < 0.5:
        path = folder / "table.parquet"
        pa.parquet.write_table(made, path)
    else:
        with gzip.open(path, "wb", compresslevel=1) as file:
            pa.csv.write_csv(made, file)
    whole = read_table(path)
    assert sum(chunk.num_rows for chunk in scan_table(path, rows=333)) == whole.num_rows == made.num_rows
    next(scan_table(path, rows=10))  # nobody asks for the rest: the file has to be closed all the same
    assert len(fingerprint(whole)) == 64
    describe_table(whole, "word")
    ColumnReader().fit_transform(whole)
    make_preparation(whole).fit_transform(whole)
    return "read"


KINDS = {"fit": fit, "page": page, "table": table}


def tour(part, parts):
    """Every estimator, reported on and fitted five times: a share of the jobs with which a soak begins.

    What is compiled or loaded at the first use, for sparse rows and float32 as well, has then been; what grows later is
    lost.
    """
    first = [(kind, name) for kind in ("page", *["fit"] * 5) for name in RECIPES]
    return first[part::parts]


def chosen(rng):
    """A random job."""
    return str(rng.choice(list(KINDS), p=[0.85, 0.05, 0.1])), str(rng.choice(list(RECIPES)))


def job(kind, name, rng, folder: Path):
    """Do a job in an empty folder: what became of it."""
    return KINDS[kind](name, rng, folder)
