"""Models that were changed after their fit, and models that were not: ``python -m tests.certificates.tamper``.

``--count 10000`` changes so many copies of fitted models of every estimator, one attribute each. A change that moves a
prediction or a claimed figure, by more than a tolerance of the fit could, has to be refuted by ``certificate_.verify``,
which must not raise. With ``--honest`` as many models are fitted and left alone, half of them saved and loaded: none
may be refuted. Both print counts by estimator; the exit code is 1 if one was judged wrongly.
"""

import argparse
import copy
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.certificates import Status
from maxmargin.persistence import load, save

from .changes import change
from .models import RECIPES, Fitted, honest, recipes_are_complete

_METHODS = ("predict", "decision_function", "predict_proba", "transform", "score_samples")
# Decision values may move by so much without a claim: ten times the tolerance that machines are trained to.
_MOVED = 1e-2
_MODELS = 5  # of each estimator
_ATTEMPTS = 200  # at a change that matters


def answers(fitted: Fitted, model: Any) -> dict[str, Any]:
    """What a model says of its training rows and of others; "raised" where it says nothing."""
    found: dict[str, Any] = {}
    for name in _METHODS:
        if hasattr(fitted.model, name):
            for rows, which in ((fitted.X, "old"), (fitted.new, "new")):
                try:
                    found[f"{name} {which}"] = np.asarray(getattr(model, name)(rows))
                except Exception:
                    found[f"{name} {which}"] = "raised"
    if not found:
        found["labels_"] = np.asarray(model.labels_)
    return found


def moved(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether answers differ by more than a tolerance; labels count only where no value moved by less."""
    small, labels = False, False
    for name, was in before.items():
        now = after[name]
        if isinstance(was, str) or isinstance(now, str):
            if not (isinstance(was, str) and isinstance(now, str)):
                return True
            continue
        if was.shape != now.shape or was.dtype.kind != now.dtype.kind:
            return True
        if was.dtype.kind != "f":
            labels |= not np.array_equal(was, now)
            continue
        with np.errstate(all="ignore"):
            apart = np.abs(was.astype(float) - now.astype(float))
        apart = np.where(np.isnan(was) & np.isnan(now), 0.0, apart)
        if not (apart <= _MOVED * max(1.0, float(np.abs(was[np.isfinite(was)]).max(initial=0.0)))).all():
            return True
        small |= bool(apart.any())
    return labels and not small


def judged(fitted: Fitted, model: Any) -> str:
    """What `verify` says: "refuted", "accepted", "claims nothing", or what it raised."""
    honest_proof = fitted.model.certificate_
    try:
        found = fitted.verify(model)
    except Exception as error:
        return f"raised {type(error).__name__}: {str(error)[:80]}"
    if found.status is Status.REFUTED:
        return "refuted"
    if hasattr(found, "holds"):
        return "refuted" if honest_proof.holds and not found.holds else "accepted" if found.holds else "claims nothing"
    return "accepted" if found.status in (Status.CONVERGED, Status.STATIONARY) else "claims nothing"


def pool(rng: np.random.Generator, names: list[str], models: int = _MODELS) -> list[Fitted]:
    """Some fits of these estimators, of which `verify` approves."""
    found = []
    for name in names:
        made = 0
        for _ in range(20 * models):
            fitted = honest(name, rng) if made < models else None
            if fitted is None or undetermined(fitted):
                continue
            if judged(fitted, fitted.model) in ("accepted", "claims nothing"):
                found.append(fitted)
                made += 1
    return found


def undetermined(fitted: Fitted) -> bool:
    """Whether no claim says what the model predicts: of a `NuSVC` without margin every multiple is as good.

    Its decision values, in units of a margin that is rounding errors, are rounding errors themselves.
    """
    if fitted.name != "NuSVC":
        return False
    model = fitted.model
    diagonal = model._fitted_kernel().gram(model._rows(fitted.X), None, 1).diagonal()
    rounding = 1e-12 * np.abs(model._dual_coef()).sum() * np.abs(diagonal).max()
    return bool(rounding > 1e-6) or any(abs(part.primal) < 1e-9 for part in model.certificate_.problems)


def tampered(count: int, seed: int, names: list[str], models: int = _MODELS) -> tuple[Counter, list[str]]:
    """Counts of (estimator, verdict), and what was judged wrongly."""
    rng = np.random.default_rng(seed)
    models_ = pool(rng, names, models)
    before = [answers(fitted, fitted.model) for fitted in models_]
    counts: Counter = Counter()
    wrong: list[str] = []
    for _ in range(count):
        k = int(rng.integers(len(models_)))
        fitted = models_[k]
        made = _tampered_copy(fitted, before[k], models_, rng)
        if made is None:
            continue
        what, model = made
        said = judged(fitted, model)
        if said == "accepted" and what.startswith("intercept_") and another_optimum(fitted, model):
            said = "optimal"
        counts[fitted.name, said.split(" ")[0]] += 1
        if said == "accepted" or said.startswith("raised"):
            wrong.append(f"{fitted.name} {what}: {said}")
    return counts, wrong


def another_optimum(fitted: Fitted, model: Any) -> bool:
    """Whether another intercept is as good: where no multiplier is free, a whole interval of them is optimal."""
    if not hasattr(model, "n_support_"):
        return False
    found = fitted.verify(model).problems
    pairs = zip(fitted.model.certificate_.problems, found, strict=True)
    return all(abs(was.primal - now.primal) <= 1e-9 * abs(was.primal) for was, now in pairs)


def _tampered_copy(
    fitted: Fitted, before: dict[str, Any], donors: list[Fitted], rng: np.random.Generator
) -> tuple[str, Any] | None:
    """What was changed, and a copy that answers otherwise or claims something else; None if none was found."""
    for _ in range(_ATTEMPTS):
        model = copy.deepcopy(fitted.model)
        what = change(model, donors[int(rng.integers(len(donors)))].model, rng)
        if what is None:
            continue
        if what.startswith(("certificate_", "_proof")) or moved(before, answers(fitted, model)):
            return what, model
    return None


def untouched(count: int, seed: int, names: list[str]) -> tuple[Counter, list[str]]:
    """The same for honest models."""
    counts: Counter = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mm"
        made, drawn = 0, 0
        while made < count:
            drawn += 1
            rng = np.random.default_rng([seed, drawn])
            fitted = honest(names[drawn % len(names)], rng)
            if fitted is None:
                continue
            made += 1
            if rng.random() < 0.5 and not callable(getattr(fitted.model, "kernel", None)):
                save(fitted.model, path)
                fitted.model = load(path)
            said = judged(fitted, fitted.model).split(" ")[0]
            counts[fitted.name, said] += 1
            if said not in ("accepted", "claims"):
                wrong.append(f"{fitted.name} (seed {seed}, draw {drawn}): {judged(fitted, fitted.model)}")
    return counts, wrong


def table(counts: Counter) -> str:
    verdicts = sorted({said for _, said in counts})
    lines = [f"{'':<28}" + "".join(f"{said:>10}" for said in verdicts)]
    for name in sorted({name for name, _ in counts}):
        lines.append(f"{name:<28}" + "".join(f"{counts[name, said]:>10}" for said in verdicts))
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="estimators whose names contain this")
    parser.add_argument("--honest", action="store_true", help="fit and leave alone, instead of changing")
    asked = parser.parse_args(arguments)
    recipes_are_complete()
    names = [name for name in RECIPES if asked.only in name]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        counts, wrong = (untouched if asked.honest else tampered)(asked.count, asked.seed, names)
    print(table(counts))
    for words, times in Counter(wrong).most_common():
        print(f"{times:>6}  {words}")
    print(f"{sum(counts.values())} models, {len(wrong)} judged wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
