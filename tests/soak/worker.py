"""One process of the soak: threads that fit, predict, save, load and report, and are stopped now and then to measure.

``python -m tests.soak.worker`` writes its account as JSON; `tests.soak` starts several.
"""

import argparse
import faulthandler
import json
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from tests.soak.judge import state
from tests.soak.recipes import RECIPES, data

from maxmargin.persistence import load, save
from maxmargin.report import report

PATIENCE = 300.0  # seconds until a job counts as stuck
REPORTS = 0.2  # of the jobs
MOST_ERRORS = 20


class Gate:
    """Where threads wait between two jobs while the process is measured."""

    def __init__(self, threads):
        self._threads, self._waiting, self._closed = threads, 0, False
        self._changed = threading.Condition()

    def wait(self):
        """Pass, or wait until it is open."""
        with self._changed:
            if not self._closed:
                return
            self._waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._closed)
            self._waiting -= 1

    @contextmanager
    def closed(self):
        """Wait until every thread waits, and let all of them go at the end."""
        with self._changed:
            self._closed = True
            arrived = self._changed.wait_for(lambda: self._waiting == self._threads, PATIENCE)
        try:
            yield arrived
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()


def job(name, rng, rows=None, reports=REPORTS):
    """Fit, ask, save, load and ask again; sometimes make the page. What was done is counted in the result."""
    recipe = RECIPES[name]
    X, y = data(recipe, rng, rows)
    model = recipe.make(rng)
    if y is None or name == "ColumnReader":
        model.fit(X)
    else:
        model.fit(X, y)
    # A folder of its own, so that a file left beside the model is found, too.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save(model, path)
        read = load(path)
        path.unlink()
        if rest := list(Path(folder).iterdir()):
            raise AssertionError(f"save has left {rest}")
        for method in ("predict", "predict_proba", "decision_function", "transform"):
            if hasattr(model, method) and hasattr(read, method):
                _same(getattr(model, method)(X), getattr(read, method)(X), f"{name}.{method}")
        done = ["fits", "saves", "loads"]
        if recipe.target != "table" and rng.random() < reports:
            page = report(model, X, y).save(Path(folder) / "page.html")
            if "</html>" not in page.read_text(encoding="utf-8"):
                raise AssertionError("the page has no end")
            done.append("reports")
    return done


def _same(found, expected, what):
    found, expected = (part.toarray() if hasattr(part, "toarray") else np.asarray(part) for part in (found, expected))
    if found.dtype == object or found.dtype.kind in "US":
        same = (found == expected).all()
    else:
        same = np.array_equal(found, expected, equal_nan=True)
    if not same:
        raise AssertionError(f"{what} of the model that was loaded differs")


class Soak:
    """Threads at work, and what they have counted."""

    def __init__(self, seed, threads):
        self.seed, self.gate, self.over = seed, Gate(threads), False
        self.counts, self.errors = Counter(), []
        self._lock = threading.Lock()
        self.threads = [threading.Thread(target=self._work, args=(n,), name=f"soak {n}") for n in range(threads)]

    def _work(self, thread):
        rng = np.random.default_rng([self.seed, thread])
        while not self.over:
            for name in rng.permutation(list(RECIPES)):  # each before any comes again
                self.gate.wait()
                if self.over:
                    return
                self._attempt(str(name), int(rng.integers(1 << 62)))

    def _attempt(self, name, seed):
        try:
            done = job(name, np.random.default_rng(seed))
        except Exception as error:
            self.note(f"{name}, seed {seed}: {''.join(traceback.format_exception(error))[-1500:]}")
            return
        with self._lock:
            self.counts.update(done)

    def note(self, words):
        """Keep an error."""
        with self._lock:
            self.counts["errors"] += 1
            if len(self.errors) < MOST_ERRORS:
                self.errors.append(words)

    def run(self, seconds):
        """The account of a run."""
        begin, states = time.monotonic(), []
        for thread in self.threads:
            thread.start()
        step, stuck = max(2.0, seconds / 40), False
        while (spent := time.monotonic() - begin) < seconds and not stuck:
            time.sleep(min(step, seconds - spent))
            with self.gate.closed() as arrived:
                stuck = not arrived
                states.append(((time.monotonic() - begin) / seconds, state().facts()))
        if stuck:
            faulthandler.dump_traceback(file=sys.stderr)
            self.note(f"a job has not ended within {PATIENCE:.0f} s; where each thread is stands above")
            return self._account(states)
        self.over = True
        for thread in self.threads:
            thread.join()
        return self._account(states)

    def _account(self, states):
        return {
            "workers": len(self.threads),
            "states": states,
            "last": state().facts(),
            "errors": self.errors,
            "counts": dict(self.counts),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # once for all threads: a filter of one of them would be that of all
    soak = Soak(asked.seed, asked.threads)
    threading.excepthook = lambda told: soak.note(f"in thread {told.thread}: {told.exc_value!r}")
    sys.unraisablehook = lambda told: soak.note(f"ignored in {told.object!r}: {told.exc_value!r}")
    asked.out.write_text(json.dumps(soak.run(asked.seconds)))


if __name__ == "__main__":
    main()
