"""The arguments of a training, checked before anything is computed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..messages import Argument
from ._families import FAMILIES
from ._machine_families import KERNELS
from ._metrics import check_metric
from ._target import TASKS
from ._training import TrainingError


@dataclass(frozen=True, eq=False)
class Arguments:
    """As in `train`."""

    model: str | Sequence[str]
    task: str
    C: float | None
    gamma: float | None
    kernel: str | None
    test: float
    seed: int
    columns: Sequence[str] | None
    kinds: dict[str, str] | None
    metric: str
    folds: int
    tuning_rows: int
    minutes: float | None
    drop_missing_target: bool
    n_jobs: int | None
    memory: float
    time: str | bool | None = None
    group: str | None = None
    class_weight: str | dict[Any, float] | None = "auto"
    resume: Any = None

    @property
    def models(self) -> tuple[str, ...]:
        """The families that are named; none where all are compared."""
        if self.model == "auto":
            return ()
        if not isinstance(self.model, (str, list, tuple)):
            raise TrainingError(
                f"model must name families of models, or be 'auto'; got {self.model!r}.", argument="model"
            )
        names = self.model.split(",") if isinstance(self.model, str) else self.model
        return tuple(name.strip() if isinstance(name, str) else name for name in names)

    def check(self) -> None:
        """Refuse what has no meaning, by name."""
        for name in self.models or ("auto",):
            _one_of("model", name, ("auto", *FAMILIES))
        if "auto" in self.models and len(self.models) > 1:
            raise TrainingError("model names families, or is 'auto': leave one of them out.", argument="model")
        _one_of("task", self.task, TASKS)
        check_metric(self.metric)
        if self.kernel is not None:
            _one_of("kernel", self.kernel, KERNELS)
        for name, value in (("C", self.C), ("gamma", self.gamma), ("minutes", self.minutes), ("memory", self.memory)):
            if value is not None and not (_real(value) and 0 < value < np.inf):
                raise TrainingError(f"{name} must be a positive number; got {value!r}.", argument=name)
        if not (_real(self.test) and 0 <= self.test < 1):
            raise TrainingError(
                f"test must be the share of rows to hold out, from 0 to less than 1; got {self.test!r}.",
                argument="test",
            )
        _whole("seed", self.seed, 0)
        _whole("folds", self.folds, 2)
        _whole("tuning_rows", self.tuning_rows, 100)
        if self.n_jobs is not None and not isinstance(self.n_jobs, Integral):
            words = f"n_jobs must be a number of threads or None; got {self.n_jobs!r}."
            raise TrainingError(words, argument="n_jobs")
        if self.time is True or not (self.time is None or isinstance(self.time, (str, bool))):
            words = (
                f"time must be the name of a column, False for rows that are independent, or None; got {self.time!r}."
            )
            raise TrainingError(words, argument="time")
        if not (self.group is None or isinstance(self.group, str)):
            raise TrainingError(f"group must be the name of a column; got {self.group!r}.", argument="group")
        if self.resume is not None and not isinstance(self.resume, (str, os.PathLike)):
            raise TrainingError(f"resume must be the path of a file; got {self.resume!r}.", argument="resume")
        self._check_class_weight()
        self._check_owners()

    def _check_class_weight(self) -> None:
        given = self.class_weight
        if given is None or (isinstance(given, str) and given in ("auto", "balanced")):
            return
        right = isinstance(given, dict) and given and all(_real(w) and 0 < w < np.inf for w in given.values())
        if not right:
            words = "class_weight must be 'auto', 'balanced', None, or a dict from classes to positive weights; got "
            raise TrainingError(f"{words}{given!r}.", argument="class_weight")

    def _check_owners(self) -> None:
        """C, gamma and kernel belong to families."""
        for name, value in (("C", self.C), ("gamma", self.gamma), ("kernel", self.kernel)):
            owners = [family.name for family in FAMILIES.values() if name in family.takes]
            if value is not None and not (self.models and set(self.models) <= set(owners)):
                raise TrainingError(
                    Argument(name, value),
                    " needs a family that has it: ",
                    Argument("model", owners[0]),
                    "".join(f" or {owner!r}" for owner in owners[1:]),
                    "; got ",
                    Argument("model", self.model),
                    ", which compares families." if self.model == "auto" else ".",
                )
        if self.kernel == "linear" and self.gamma is not None:
            raise TrainingError(
                Argument("gamma", self.gamma), " has no meaning for ", Argument("kernel", "linear"), ": leave it out."
            )

    def settings(self, target: str | None) -> dict[str, Any]:
        """As plain values; what does not change the model (threads) is not among them."""
        plain: dict[str, Any] = {name: value for name, value in vars(self).items() if name not in ("n_jobs", "resume")}
        plain["model"] = ",".join(self.models) or "auto"
        plain["columns"] = None if self.columns is None else list(self.columns)
        if isinstance(self.class_weight, dict):
            plain["class_weight"] = {str(label): float(w) for label, w in self.class_weight.items()}
        plain["kinds"] = None if self.kinds is None else dict(self.kinds)
        for name in ("C", "gamma", "test", "minutes", "memory"):
            plain[name] = None if plain[name] is None else float(plain[name])
        for name in ("seed", "folds", "tuning_rows"):
            plain[name] = int(plain[name])
        return {"target": target, **plain}


def check_arguments(**settings: Any) -> None:
    """Refuse arguments of `train` that have no meaning, before a table is read.

    Parameters
    ----------
    **settings
        As in `train`.

    """
    known = {**_DEFAULTS, **settings}
    Arguments(**known).check()


_DEFAULTS: dict[str, Any] = {
    "model": "auto", "task": "auto", "C": None, "gamma": None, "kernel": None, "test": 0.2, "seed": 0, "columns": None,
    "kinds": None, "metric": "auto", "folds": 5, "tuning_rows": 10_000, "minutes": None, "drop_missing_target": False,
    "n_jobs": None, "memory": 1000,
}  # fmt: skip


def _one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise TrainingError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}.", argument=name)


def _whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise TrainingError(f"{name} must be an integer of at least {least}; got {value!r}.", argument=name)


def _real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
