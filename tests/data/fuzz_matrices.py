"""Odd and malformed sparse matrices for every estimator: ``python -m tests.data.fuzz_matrices --count 10000 --seed 0``.

Three of four matrices are sound but odd (entries in parts, unsorted, stored zeros, other types of index, all formats):
whatever is asked must be answered as for the same rows in canonical form, to the last bit (with stored zeros, which
count in bounds of rounding errors, up to tolerances), and as for dense rows, up to tolerances; and the matrix must not
be changed. One of four is malformed: whatever is asked must be refused by a ValueError that says so. The work is done
in a child process, so that a crash is counted and the rest goes on.

Some rows leave an answer open: a label on a plane that is 0, an offset that may be anything in an interval. Where
answers are farther apart than tolerances, the same is asked of dense rows whose values were changed in their last bits
(and of a convex problem in another order of the rows). If that alone moves the answer as far, the matrix is counted as
"open", not as wrong.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from .matrix_models import (
    FUNCTIONS,
    ORDERLESS,
    RECIPES,
    ZEROS_COUNT,
    Case,
    answered,
    case_of,
    questions,
    recipes_are_complete,
)
from .odd_matrices import imprint, malformed, odd, table

NAMES = [*RECIPES, *FUNCTIONS]
ENDS = ("tried", "wrong", "crashed", "open")
GROUP = 4  # matrices of the same rows, the last of them malformed
# What is said of dense rows may differ by what tolerances and the order of sums leave open.
CLOSE = {"rtol": 1e-3, "atol": 1e-3}
_CHANGES = 8  # of last bits, in search of answers that are open
_REFUSAL = "not a valid sparse matrix"

Answers = dict[str, tuple[str, Any]]


def ask(case: Case, X: Any, new: Any, model: Any = None) -> Answers:
    """All answers, of a new model unless one is given; what is asked of a function is one question."""
    if case.name in FUNCTIONS:
        return {case.name: answered(lambda: FUNCTIONS[case.name](X, case.y, new))}
    found: Answers = {}
    if model is None:
        models: list[Any] = []
        found["fit"] = answered(lambda: models.append(case.fitted(X)))
        if not models:
            return found
        model = models[0]
    return found | {name: answered(question) for name, question in questions(case, model, X, new)}


@lru_cache(maxsize=1)
def reference(group: int, seed: int) -> tuple[Case, Answers, Any, list[str]]:
    """Rows and what is fitted to them, the answers for canonical CSR, the model, and where they differ from dense."""
    rng = np.random.default_rng([seed, group])
    name, d = NAMES[group % len(NAMES)], int(rng.integers(2, 8))
    X, new = table(rng, int(rng.integers(16, 30)), d), table(rng, 6, d)
    dtype = rng.choice([np.float64, np.float64, np.float64, np.float32])
    case = case_of(name, X.astype(dtype), new.astype(dtype), rng)
    plain = ask(case, sp.csr_array(case.X), sp.csr_array(case.new))
    dense = ask(case, case.X, case.new)
    model = None
    if plain.get("fit", ("", None))[0] == "said":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rows that are equal and have different labels, for one
            model = case.fitted(sp.csr_array(case.X))
    apart = [what for what in dense if convex(case) and not alike(plain.get(what), dense[what], **CLOSE, dense=True)]
    return case, plain, model, apart


@lru_cache(maxsize=1)
def left_open(group: int, seed: int) -> frozenset[str]:
    """What is answered otherwise, beyond tolerances, after a change that should not matter, of (dense) rows."""
    case = reference(group, seed)[0]
    rng, moved = np.random.default_rng([seed, group, 99]), set()
    answers = ask(case, case.X, case.new)
    for turn in range(_CHANGES):
        X, new = ((part * (1 + 4 * np.finfo(part.dtype).eps * rng.normal(size=part.shape))).astype(part.dtype)
                  for part in (case.X, case.new))  # fmt: skip
        asked, other = set(answers), case
        if turn % 2 and case.name in ORDERLESS:
            order = rng.permutation(len(X))
            X, other = X[order], replace(case, y=None if case.y is None else case.y[order])
            asked &= {"predict", "decision_function", "predict_proba", "predict_log_proba", "score"}
        found = ask(other, X, new)
        moved |= {what for what in asked if what not in found or not alike(found[what], answers[what], **CLOSE)}
    return frozenset(moved)


def convex(case: Case) -> bool:
    """Whether what is fitted depends on the values of the rows alone, up to rounding errors."""
    return case.options.get("kernel") != "sigmoid" and case.name not in ZEROS_COUNT


def alike(one: Any, other: Any, rtol: float = 0.0, atol: float = 0.0, dense: bool = False) -> bool:
    """Whether two answers are the same; what sparse rows are refused for, dense rows may be fit for."""
    if one is None or one[0] == "refused":
        if dense and (one is None or isinstance(one[1], TypeError) or "sparse" in str(one[1]).lower()):
            return True
        return one is not None and other[0] == "refused" and type(one[1]) is type(other[1])
    if other[0] == "refused" or len(one[1]) != len(other[1]):
        return False
    for a, b in zip(one[1], other[1], strict=True):
        if a.shape != b.shape:
            return False
        if a.dtype.kind == "f" and rtol:
            scale = max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0.0)))
            if not np.allclose(a, b, rtol=rtol, atol=atol * scale, equal_nan=True):
                return False
        elif not np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f"):
            return False
    return True


def look(number: int, seed: int) -> tuple[list[str], int]:
    """What is wrong with the answers for the matrix of this number, and how many differ because they are open."""
    group, place = divmod(number, GROUP)
    case, plain, model, apart = reference(group, seed)
    rng = np.random.default_rng([seed, group, place])
    if place == GROUP - 1:
        return [f"{case.name}: {fault}" for fault in _malformed(case, plain, model, rng)], 0
    X, words = odd(case.X, rng, case.name not in ZEROS_COUNT)
    new, more = odd(case.new, rng)
    before = imprint(X), imprint(new)
    found = ask(case, X, new)
    close = CLOSE if any(kind in words + more for kind in ("zeros", "bsr")) else {}  # zeros are stored
    wrong = [what for what in plain if what not in found or not alike(found[what], plain[what], **close)]
    apart = apart if place == 0 else []
    wrong = [] if close and not convex(case) else wrong
    free = left_open(group, seed) if apart or (close and wrong) else frozenset()
    faults = [f"{what}: sparse and dense rows" for what in apart if what not in free]
    faults += [f"{what}: {words}; {more}: {_told(found.get(what))}" for what in wrong if not close or what not in free]
    if (imprint(X), imprint(new)) != before:
        faults.append(f"{words}; {more}: was changed")
    return [f"{case.name} {case.options}: {fault}" for fault in faults], len(apart) + len(wrong) - len(faults)


def _told(answer: Any) -> str:
    return "not asked" if answer is None else "differs" if answer[0] == "said" else repr(answer[1])[:200]


def _malformed(case: Case, plain: Answers, model: Any, rng: np.random.Generator) -> Iterator[str]:
    X, words = malformed(case.X + np.eye(*case.X.shape, dtype=case.X.dtype), rng)
    new, more = malformed(case.new + np.eye(*case.new.shape, dtype=case.new.dtype), rng)
    found = ask(case, X, new)
    if model is not None:
        found |= {k: v for k, v in ask(case, X, new, model).items() if k not in ("labels_", "best_params_")}
    for what, answer in found.items():
        refused = answer[0] == "refused" and isinstance(answer[1], ValueError) and _REFUSAL in str(answer[1])
        unfit = answer[0] == plain.get(what, answer)[0] == "refused" and isinstance(answer[1], (TypeError, ValueError))
        unfit |= case.name in ZEROS_COUNT and isinstance(answer[1], TypeError)  # of formats that lose zeros
        if not refused and not unfit:
            yield f"{what}: {words}; {more}: {'was answered' if answer[0] == 'said' else repr(answer[1])[:200]}"


# ------------------------------------------------------------------ in a child


def child(first: int, end: int, seed: int) -> None:
    """Say the number of each matrix before it is tried, and what was found after."""
    for number in range(first, end):
        print(json.dumps([number]), flush=True)
        print(json.dumps([number, NAMES[number // GROUP % len(NAMES)], *look(number, seed)]), flush=True)


def run(count: int, seed: int, first: int = 0, show: Any = print) -> tuple[Counter, list[str]]:
    """Tally by name of what was tried, and how it went; and what was found."""
    tally: Counter = Counter()
    found, end, here = [], first + count, first
    while here < end:
        words = [sys.executable, "-m", __spec__.name, "--child", "--first", str(here), "--count", str(end - here)]
        with subprocess.Popen([*words, "--seed", str(seed)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                here, *rest = json.loads(line)
                if rest:
                    name, faults, free = rest
                    tally[name, "tried"] += 1
                    tally[name, "wrong"] += bool(faults)
                    tally[name, "open"] += free > 0 and not faults
                    found += [f"{here}: {fault}" for fault in faults]
                    for fault in found[len(found) - len(faults) :]:
                        show(fault)
                    here += 1
        if process.returncode:
            name = NAMES[here // GROUP % len(NAMES)]
            tally[name, "tried"] += 1
            tally[name, "crashed"] += 1
            found.append(f"{here}: {name}: the process ended with {process.returncode}")
            show(found[-1])
            here += 1
    return tally, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first matrix")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.first, asked.first + asked.count, asked.seed)
        return 0
    recipes_are_complete()
    begin = time.perf_counter()
    tally, found = run(asked.count, asked.seed, asked.first, lambda fault: print(fault, flush=True))
    for name in NAMES:
        print(f"{name:28}", *(f"{what} {tally[name, what]:4}" for what in ENDS))
    totals = {what: sum(n for (_, kind), n in tally.items() if kind == what) for what in ENDS}
    seconds = time.perf_counter() - begin
    print(", ".join(f"{n} {what}" for what, n in totals.items()), f"in {seconds:.0f} s")
    return 1 if found or totals["open"] > 0.01 * asked.count else 0  # few are, or the comparison says nothing


if __name__ == "__main__":
    sys.exit(main())
