"""The fit of a `LargeSVC` on a cluster: landmarks, features, Newton's method on them, and bounds of the exact optimum.

Landmarks are rows; they are sent to every partition, which makes features of its rows and keeps them. A linear machine
on the features is found as in `_linear_fit`. Its weights are coefficients of the landmarks, its slopes multipliers of
the exact problem: the bounds of that are computed by the library's own code, from kernel values that a `RemoteGram` has
the partitions compute.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.utils import check_random_state

from ..certificates import Certificate, sampled_words
from ..data import Rows
from ..engine import Stopwatch
from ..estimators import check_every_class, class_weights, conclude, monitor_of
from ..kernels import RBF, Kernel, Polynomial, make_kernel
from ..losses import make_loss
from ..messages import InputError
from ..penalties import make_penalty
from ..solvers.large import choose_rows
from ..svm import Bracketed, RemoteProblems, bracketed, keep_remote, status_of
from ._cluster import Cluster
from ._large_tasks import entries_of, featured, labels_and_weights, multipliers_of
from ._linear_fit import WIDEST, name_of, note_features
from ._newton import Found, RiskFigures, solved
from ._partitions import Partitions, partitions_of
from ._passes import run_side_by_side
from ._remote_gram import RemoteGram, RemoteRows
from ._risk_tasks import RiskSpec

_FIRST_WIDTH = 4.0  # of the hinge, in decision values
_JITTER = 1e-6  # added to the landmarks' own matrix, relative to the mean of its diagonal
# Landmarks by default: so many for each root of the number of rows, between these two.
_WORTH, _FEWEST, _MOST = 4.0, 500, 2000
# Seconds of a kernel value in few columns, and what the proof of the lower bound may take; else it is sampled.
_VALUE, PATIENCE = 2e-9, 900.0
_SAMPLED = "To prove the lower bound would take too long: it is sampled"
_SAMPLE, _ROWS_A_LANDMARK = 5000, 10  # rows from which they are chosen


def fit_large_svc(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> None:
    """Train a `LargeSVC` of the library on labels."""
    watch = Stopwatch()
    _refuse(model)
    samples = partitions_of(cluster, X, y, sample_weight, "labels")
    classes = samples.classes
    assert classes is not None
    if len(classes) > 2 and model.multi_class != "ovr":
        raise InputError(
            f"maxmargin.dask.LargeSVC trains {len(classes)} classes one against the rest: type multi_class='ovr', or "
            f"use the LargeSVC of one machine.",
            argument="multi_class",
        )
    label, weight = vectors_of(samples)
    if samples.weighted:
        check_every_class(classes, label, weight)
    by_class = class_weights(model.class_weight, classes, label)
    gamma = stated_gamma(model, samples)
    rows, kernel = RemoteRows(samples), kernel_of(model, gamma)
    gram = RemoteGram.of(rows, kernel)
    data = RemoteProblems.of(model, gram, rows, classes, label, weight, by_class)
    random = np.random.default_rng(check_random_state(model.random_state).randint(2**31 - 1))
    chosen, left = _landmarks(model, rows, gram.kernel, weight, random)
    monitor = monitor_of(model)
    own = None if model.class_weight is None else by_class
    spec = RiskSpec(make_loss("hinge"), make_penalty("l2"), float(model.C), True, classes, own)
    reach = float(np.sqrt(gram.diagonal().mean()))
    found, W, betas = _trained(model, samples, spec, gram.kernel, rows[chosen], reach, data.names, monitor)
    words = f"{len(chosen)} landmarks leave {left:.2%} of the kernel's trace. "
    results = []
    for k, one in enumerate(found):
        coefficients, beta = data.coefficients(k, chosen, W @ one.theta[:-1]), betas[k][data.pairs[k].rows]
        draws = random if _takes_long(cluster, samples.d, int(np.count_nonzero(beta))) else None
        evidence, beta = bracketed(data.problems[k], coefficients, beta, model.gap_tol, draws)
        said = words + (f"{_SAMPLED}. " if evidence.confidence < 1 else "")
        status = status_of(evidence, model.gap_tol, monitor.was_stopped)
        seconds = watch.seconds() / len(found)
        results.append(Bracketed(coefficients, beta, evidence, status, one.iterations, seconds, "landmarks", said))
    note_features(model, samples)
    conclude(model, keep_remote(model, data, gamma, results), monitor, False, lambda worst: _advice(model, worst))


def _takes_long(cluster: Cluster, d: int, support: int) -> bool:
    """Whether kernel values between so many rows take longer than is worth waiting for."""
    return _VALUE * (1 + d / 20) * float(support) ** 2 / cluster.threads() > PATIENCE


def _trained(
    model: Any,
    samples: Partitions,
    spec: RiskSpec,
    kernel: Any,
    landmarks: Any,
    reach: float,
    names: list[str],
    monitor: Any,
) -> tuple[list[Found], np.ndarray, np.ndarray]:
    """Solutions over the features, what makes coefficients of their weights, and multipliers of all rows."""
    cluster, name, m = samples.cluster, name_of(model), landmarks.shape[0]
    W = _whitening(kernel, landmarks)
    parts = cluster.mapped(f"{name}-features", featured, samples.parts, kernel, landmarks, W)
    features = replace(samples, parts=cluster.kept(parts, 4.0 * samples.n * m))
    by_class = np.ones(len(names) + 1) if spec.class_weight is None else spec.class_weight
    total = spec.strength * float(samples.label_sums("label_weights") @ by_class[: len(spec.classes)])  # type: ignore[arg-type]
    solvers = []
    for label in names:
        figures = RiskFigures(spec.penalty, True, np.zeros(m + 1), total, _FIRST_WIDTH, reach)
        report = (monitor.named(label) if len(names) > 1 else monitor).report
        solvers.append(solved(figures, model.gap_tol / 10, None, report))
    found = run_side_by_side(features, spec, solvers, name, 8.0 * (m + 1) ** 2, lambda: monitor.was_stopped)
    ends = [(one.theta, one.rule) for one in found]
    pieces = cluster.each(f"{name}-multipliers", multipliers_of, features.parts, spec, ends)
    return found, W, np.concatenate(pieces, axis=1)


def _whitening(kernel: Any, landmarks: Any) -> np.ndarray:
    """W such that ``k(x, Z) W`` are features whose inner products are about the kernel's values."""
    m = landmarks.shape[0]
    K = kernel.gram(Rows(landmarks), None, 1).block(np.arange(m), np.arange(m), np.float64)
    K[np.diag_indices(m)] += _JITTER * (float(K.diagonal().mean()) or 1.0)
    L = scipy.linalg.cholesky(K, lower=True, check_finite=False)
    return np.ascontiguousarray(scipy.linalg.solve_triangular(L, np.eye(m), lower=True).T)


def _landmarks(
    model: Any, rows: RemoteRows, kernel: Any, weight: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Numbers of rows that explain the kernel, chosen from some, and the share of the trace that they leave."""
    used = np.flatnonzero(weight > 0)
    count = model.n_landmarks
    if count is None:
        count = min(int(np.clip(_WORTH * np.sqrt(len(used)), _FEWEST, _MOST)), max(len(used) // 2, 1))
    count = min(int(count), len(used))
    sample = np.sort(random.permutation(used)[: max(_SAMPLE, _ROWS_A_LANDMARK * count)])
    found = choose_rows(kernel.gram(Rows(rows[sample]), None, 1), count, random)
    return np.sort(sample[found.rows]), found.left


# ---------------------------------------------------------------- what is known of the rows


def vectors_of(samples: Partitions) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the classes, and weights, of all rows."""
    found = samples.cluster.each("labels", labels_and_weights, samples.parts, samples.classes)
    label, weight = (np.concatenate([one[place] for one in found]) for place in range(2))
    return label.astype(np.int64), weight.astype(np.float64)


def stated_gamma(model: Any, samples: Partitions) -> float:
    """What the parameters make of gamma for these rows."""
    if isinstance(model.kernel, Kernel):
        return float(getattr(model.kernel, "gamma", 0.0))
    if model.gamma != "scale":
        return 1.0 / samples.d if model.gamma == "auto" else float(model.gamma)
    found = np.array(samples.cluster.each("variance", entries_of, samples.parts))
    share = found[:, 0] / found[:, 0].sum()
    mean = float(share @ found[:, 1])
    variance = float(share @ (found[:, 2] + np.square(found[:, 1] - mean)))
    with np.errstate(over="ignore"):
        gamma = 1.0 / (samples.d * variance) if variance > 0 else 1.0
    if not np.isfinite(gamma):
        raise InputError(
            f"gamma='scale' overflows float64: X has a variance of {variance:.3g}. Scale X, or give gamma as a number.",
            argument="gamma",
        )
    return float(gamma)


def kernel_of(model: Any, gamma: float) -> Any:
    """The kernel, which has to be definite by its formula."""
    kernel = make_kernel(model.kernel, gamma, model.coef0, model.degree)
    if not isinstance(kernel, RBF | Polynomial) or not kernel.known_definite:
        raise InputError(
            f"maxmargin.dask.LargeSVC takes the kernels 'rbf' and 'poly' with coef0 >= 0; got {kernel}. For "
            f"kernel='linear' there is maxmargin.dask.LinearSVC.",
            argument="kernel",
        )
    return kernel


def _refuse(model: Any) -> None:
    model._refuse()
    wrong = ""
    if model.method not in ("auto", "landmarks"):
        wrong = f"method={model.method!r}: take 'landmarks'"
    elif model.time_limit is not None:
        wrong = "time_limit: use callback, which may stop the fit"
    elif model.warm_start:
        wrong = "warm_start=True: each fit begins anew"
    elif model.trace:
        wrong = "trace=True: use callback"
    elif model.n_landmarks is not None and model.n_landmarks > WIDEST:
        wrong = f"n_landmarks={model.n_landmarks}: {WIDEST} are the most"
    elif (callable(model.kernel) and not isinstance(model.kernel, Kernel)) or model.kernel == "precomputed":
        wrong = "a kernel that is a matrix or a function: take 'rbf' or 'poly'"
    if wrong:
        raise InputError(f"maxmargin.dask.LargeSVC does not take {wrong}, or use the LargeSVC of one machine.")


def _advice(model: Any, worst: Certificate) -> str:
    where = f" ({worst.label})" if worst.label and len(model.certificate_.problems) > 1 else ""
    if worst.confidence < 1:
        return (
            f"LargeSVC ended as '{worst.status}'{where}: its lower bound is sampled (it "
            f"{sampled_words(worst.confidence)}), to a relative gap of {worst.relative_gap:.2e}; "
            f"certificate_.verify(X, y) computes the proof."
        )
    return (
        f"LargeSVC ended as '{worst.status}'{where}: the exact optimum is known to a relative gap of "
        f"{worst.relative_gap:.2e}, and gap_tol={model.gap_tol:g} was asked for. Raise n_landmarks (now "
        f"{len(model.support_)}, {WIDEST} at most), or use the LargeSVC of one machine, which goes on by exact steps."
    )
