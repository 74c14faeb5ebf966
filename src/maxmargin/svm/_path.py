"""Solutions of a kernel classifier along C, each started from its neighbour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..certificates import ModelCertificate
from ..engine import Stopwatch, one_blas_thread
from ..estimators import check_every_class, encode_labels
from ..kernels import Gram, Kernel, StoredMatrix, definiteness
from ..search import Fold, SearchData, check_values
from ..solvers import PathProblem, Solution, solve_stored_paths
from ._block_path import BlockPath
from ._input import kernel_of_fit, part_of, rows_of, training_rows, training_weights
from ._search_problems import ClassifierProblems, Trained
from ._stored_search import known_as


@dataclass(frozen=True)
class KernelPath:
    """Machines along C, in the order in which the values of C were given.

    Attributes
    ----------
    Cs : ndarray of shape (n_values,)
        The values of C.
    models : tuple of SVC
        The fitted machine for each of them.
    certificates : tuple of ModelCertificate
        The proof of each.

    """

    Cs: np.ndarray
    models: tuple[Any, ...]
    certificates: tuple[ModelCertificate, ...]

    @property
    def n_support(self) -> np.ndarray:
        """Number of support vectors for each C."""
        return np.array([len(model.support_) for model in self.models])


def solve_kernel_path(machine: Any, X: Any, y: Any, Cs: Any, sample_weight: Any) -> KernelPath:
    """Train for every C, from the smallest up."""
    values = check_values("Cs", Cs)
    X, y = training_rows(machine, X, y)
    classes, label = encode_labels(y)
    weights = training_weights(sample_weight, X)
    check_every_class(classes, label, weights)
    kernel, gamma = kernel_of_fit(machine, X, weights)
    gram = kernel.gram(rows_of(machine.kernel, X), None, machine._threads())
    everything = Fold(np.arange(len(label)), np.empty(0, dtype=np.int64))
    data = SearchData(X, classes[label], weights, classes, label)
    problems = ClassifierProblems(
        data,
        [everything],
        lambda C: clone(machine).set_params(C=C),
        class_weight=machine.class_weight,
        gamma=gamma,
    )
    order = np.argsort(values, kind="stable")
    watch, numbers = Stopwatch(), range(len(problems.problems))
    with one_blas_thread():
        found = [_of_problem(machine, kernel, problems, gram, k, values[order]) for k in numbers]
    seconds = watch.seconds() / len(values)
    models: dict[int, Any] = {}
    for place, t in enumerate(order.tolist()):
        trained = Trained({"C": float(values[t])}, [points[place] for points in found], seconds)
        models[t] = problems.build(0, trained)
    in_order = tuple(models[t] for t in range(len(values)))
    return KernelPath(values, in_order, tuple(model.certificate_ for model in in_order))


def _of_problem(
    machine: Any, kernel: Kernel, problems: ClassifierProblems, gram: Gram, k: int, Cs: np.ndarray
) -> list[Solution]:
    """One binary problem along C: on its matrix if that fits the cache, else from blocks."""
    rows, box = problems.problems[k].rows, problems.box(k, 0)
    assert box is not None
    cache, part = int(machine.cache_size * 1e6), part_of(gram, rows)
    known, tol = definiteness(kernel, part), machine._formulation().tolerance
    if StoredMatrix.bytes_needed(len(rows)) <= cache and not known.fails:
        matrix = StoredMatrix(np.array(part.whole(np.float64)), part.accuracy())
        options = {"tolerance": tol, "budget": machine._budget}
        points = solve_stored_paths(matrix, problems.problems[k].p, [PathProblem(*box, Cs)], **options)[0]
        return [known_as(known, point, C, box) for point, C in zip(points, Cs, strict=True)]
    blocks = BlockPath(problems=problems, tol=tol, budget=machine._budget, cache_bytes=cache)
    return blocks.solve(gram, k, 0, Cs, known)
