"""Mutated model files, many of them: ``python -m tests.persistence.fuzz --count 10000 --seed 0``.

Each file must be refused with `ModelFileError`, or give a model that answers a few rows. The work is done in a process
of its own with little memory to spare; when it dies or does not answer any more, the file is kept and told of, and
another process goes on. The exit code is 1 if anything but an answer or a refusal was seen.
"""

import argparse
import contextlib
import json
import os
import pickle
import select
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from maxmargin.persistence import ModelFileError, load, read_provenance, save

from .mutations import mutate

_SPARE = 2**30  # bytes beyond what the process has when it starts
_TURN = 2500  # files a process: what is compiled for other types of numbers stays in it
MOST_BYTES, MOST_SECONDS = 200 * 10**6, 2.0  # of one file: while it is loaded, and until it has answered
_PATIENCE = 900  # seconds without a sign of life, on a machine that has other things to do
_METHODS = ("predict", "decision_function", "predict_proba", "transform", "kneighbors", "apply")


# What a sound model says of rows that are not its own.
_OTHER_ROWS = (
    "previously unseen labels",
    "Found unknown categories",
    "have missing values in transform but have no missing values in fit",
    "features, but",
    "are of an earlier fit on other rows",
    "feature names should match",
    "is expecting",
    "contains NaN",
    "a certificate is about the training data",
    "labels that the model was not trained on",
    "which the model has not seen",
    "The table has no column",
    "was fitted on a data frame",
    "overflows float64",
    "squared distances overflow",
    "Input X contains infinity",
    # of a model that has a part of another, for other rows
    "could not convert string to float",
    "cannot use sparse input",
    "requires y to be passed",
    "Unknown label type",
    "y should be a 1d array",
    "invalid literal for int()",
    "Cannot center sparse matrices",
    "types are expected to be both numerical",
    "when the model was fitted: convert it",
    # of parameters that were changed after the fit, and are read again by a proof
    "has no meaning here: the intercept is not penalised",
    "solver must be 'auto' or one of",
    "needs penalty='l2'",
)
# A model with enormous numbers in it says that of every row.
_TOO_LARGE = ("overflow", "contains infinity", "too far from those", "contains NaN", "gives infinity as the distance")


def ask(model, known):
    """Let a model answer for rows of its own and for strange ones, and prove itself."""
    X, y = known
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for method in _METHODS:
            if hasattr(model, method):
                said = [answered(model, method, rows) for rows in (few(X), *strange(X))]
                if not any(said) and takes_numbers(model):  # parts of another model may take other rows, but some
                    zeros = np.zeros((3, model.n_features_in_))
                    assert answered(model, method, zeros), f"{method} answers nothing"
        if hasattr(model, "detect"):
            for picture in (np.outer(np.arange(30.0), np.arange(40.0)), np.zeros((30, 40)), np.zeros((2, 3))):
                model.detect(picture)
        getattr(model, "feature_importances_", None)
        with sound():
            str(getattr(model, "certificate_", ""))
        repr(model)
        if hasattr(model, "certificate_") and np.ndim(y) < 2:
            with sound():
                str(model.certificate_.verify(X, y))


def answered(model, method, rows):
    """Whether it answers these rows; False if it says why not."""
    try:
        getattr(model, method)(rows)
    except TypeError as error:
        if "ufunc 'isnan' not supported" not in str(error):  # scikit-learn's encoder of texts, asked about numbers
            raise
        return False
    except ValueError as error:
        if any(words in str(error) for words in _TOO_LARGE):
            return True
        if not any(words in str(error) for words in _OTHER_ROWS):
            raise
        return False
    return True


def takes_numbers(model):
    """Whether rows of zeros are something that it could have been fitted on."""
    words = ("ColumnReader", "ColumnTransformer", "Encoder", "most_frequent", "constant")
    framed = getattr(model, "_categories", None) is not None or "_categories" in str(vars(model))
    return hasattr(model, "n_features_in_") and not framed and not any(word in repr(model) for word in words)


@contextlib.contextmanager
def sound():
    """A sound model may refuse rows, if it says why."""
    try:
        yield
    except ValueError as error:
        if not any(words in str(error) for words in (*_OTHER_ROWS, *_TOO_LARGE)):
            raise


def strange(X):
    """Numbers that a tree or a table of codes has not seen."""
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.shape[0] != X.shape[1]:
        yield few(X) * X.dtype.type(1e6)
        yield np.full_like(few(X), np.nan)


def judge(path, known, counts=True):
    """What became of a file: "refused", "answers", or what else happened; and the peak of memory while loading."""
    if counts:
        tracemalloc.start()
    try:
        read_provenance(path)
    except ModelFileError:
        pass
    except Exception as error:
        return f"read_provenance raised {type(error).__name__}: {error}", _peak()
    try:
        model = load(path)
    except ModelFileError as error:
        words = str(error)
        return ("refused" if str(path) in words and "enough memory" not in words else f"said {words!r}"), _peak()
    except Exception as error:
        return f"load raised {type(error).__name__}: {error}", _peak()
    peak = _peak()
    try:
        ask(model, known)
    except Exception as error:
        return f"{type(model).__name__} raised {type(error).__name__}: {error}", peak
    return "answers", peak


def _peak():
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def few(rows):
    """Some rows of a table, enough to take every way through a model."""
    return rows[:12] if hasattr(rows, "shape") and len(rows.shape) == 2 else rows


def prepare(folder, only=""):
    """Write the file of each case whose name begins so, and what it was fitted on."""
    from .zoo import CASES, case

    for name in CASES:
        if not name.startswith(tuple(only.split(","))):
            continue
        known = case(name)
        save(known.model, folder / f"{name}.mm")
        (folder / f"{name}.rows").write_bytes(pickle.dumps((known.X, known.y)))


def work(folder, first, count, seed):
    """Do some of the mutations, telling of each before and after."""
    import resource  # not on every system; the tests do without

    files = sorted(folder.glob("*.mm"))
    known = {path: (path.read_bytes(), pickle.loads(path.with_suffix(".rows").read_bytes())) for path in files}
    donors = [data for data, _ in known.values()]
    for path, (_, rows) in known.items():
        ask(load(path), rows)  # what is compiled is compiled now
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + _SPARE, used + _SPARE))
    target = folder / f"mutated-{os.getpid()}"
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a model may be told to be verbose
    for number in range(first, count):
        rng = np.random.default_rng([seed, number])
        path = files[int(rng.integers(len(files)))]
        data, rows = known[path]
        kind, mutated = mutate(data, rng, donors)
        target.write_bytes(mutated)
        print(json.dumps([number, kind, path.stem]), file=lines, flush=True)
        began = time.process_time()
        outcome, peak = judge(target, rows)
        seconds = time.process_time() - began
        if seconds > MOST_SECONDS:  # counting bytes takes as long again, and code for another type may be compiled now
            began = time.process_time()
            judge(target, rows, counts=False)
            seconds = time.process_time() - began
        print(json.dumps([outcome, peak, len(mutated), seconds]), file=lines, flush=True)


class Worker:
    """A process that can die without taking the count with it."""

    def __init__(self, folder, first, count, seed):
        command = [
            sys.executable,
            "-m",
            "tests.persistence.fuzz",
            "--work",
            str(folder),
            str(first),
            str(count),
            str(seed),
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._rest = b""

    def line(self):
        """The next line, None if there will be none; raises TimeoutError if none comes."""
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.process.stdout], [], [], _PATIENCE)
            if not ready:
                raise TimeoutError
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                return None
            self._rest += part
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    def end(self):
        """How it ended, and its last words."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill() if self.process.poll() is None else None
        _, words = self.process.communicate()
        return self.process.returncode, words.decode(errors="replace")[-400:]


def run(count, seed, keep=None, only=""):
    """All mutations; the outcomes by kind, and a list of what should not have been."""
    outcomes, odd, most = Counter(), [], {"seconds": 0.0, "bytes": 0}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare(folder, only)
        done = 0
        while done < count:
            turn = min(count, done + _TURN)
            worker, began = Worker(folder, done, turn, seed), None
            try:
                while (line := worker.line()) is not None:
                    if began is None:
                        began = line
                        continue
                    outcome, peak, size, seconds = line
                    most["seconds"], most["bytes"] = max(most["seconds"], seconds), max(most["bytes"], peak)
                    outcomes[began[1], outcome if outcome in ("refused", "answers") else "odd"] += 1
                    if outcome not in ("refused", "answers"):
                        odd.append([*began, outcome])
                    if peak > min(MOST_BYTES, 40 * size + 2**25):  # modules that are imported now count, too
                        odd.append([*began, f"took {peak} bytes to load {size}"])
                    if seconds > MOST_SECONDS:
                        odd.append([*began, f"took {seconds:.1f} s"])
                    done, began = began[0] + 1, None
            except TimeoutError:
                odd.append([*(began or ["start"]), f"no answer for {_PATIENCE} s"])
            code, words = worker.end()
            if began is not None:
                odd.append([*began, f"died with code {code}: {words}"])
                outcomes[began[1], "odd"] += 1
                done = began[0] + 1
            elif done < turn:
                raise RuntimeError(f"a worker ended with code {code} before it began: {words}")
        if keep is not None:
            _keep(folder, odd, seed, Path(keep))
    return outcomes, odd, most


def _keep(folder, odd, seed, keep):
    """The files that made trouble."""
    keep.mkdir(parents=True, exist_ok=True)
    for number, _, name, *_ in odd:
        rng = np.random.default_rng([seed, number])
        rng.integers(len(list(folder.glob("*.mm"))))
        donors = [path.read_bytes() for path in sorted(folder.glob("*.mm"))]
        (keep / f"{number}.mm").write_bytes(mutate((folder / f"{name}.mm").read_bytes(), rng, donors)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="beginnings of the names of cases, with commas")
    parser.add_argument("--keep", help="folder for the files that made trouble")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        folder, first, count, seed = options.work
        work(Path(folder), int(first), int(count), int(seed))
        return 0
    began = time.perf_counter()
    outcomes, odd, most = run(options.count, options.seed, options.keep, options.only)
    for kind in sorted({kind for kind, _ in outcomes}):
        counts = [outcomes[kind, word] for word in ("refused", "answers", "odd")]
        print("{:20} {:6} refused {:6} answer {:6} odd".format(kind, *counts))
    totals = [sum(n for (_, word), n in outcomes.items() if word == w) for w in ("refused", "answers", "odd")]
    print(
        "{} files in {:.0f} s: {} refused, {} answer, {} odd".format(sum(totals), time.perf_counter() - began, *totals)
    )
    print("at most {:.2f} s to load and answer, {:.1f} MB to load".format(most["seconds"], most["bytes"] / 1e6))
    for line in odd:
        print(*line)
    return 1 if odd else 0


if __name__ == "__main__":
    sys.exit(main())
