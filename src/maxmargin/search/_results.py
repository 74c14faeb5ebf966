"""``cv_results_`` in scikit-learn's form, with the proofs beside the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..certificates import Certificate, ModelCertificate
from ._grid import Grid
from ._outcome import Record


def make_results(grid: Grid, record: Record, dropped: np.ndarray, failed: np.ndarray, error_score: Any) -> dict:
    """The table of a search.

    Parameters
    ----------
    grid : Grid
    record : Record
    dropped : ndarray of bool of shape (n_candidates,)
        Candidates that the race left out.
    failed : ndarray of bool of shape (n_candidates, n_folds)
        Where an error came instead of a score.
    error_score : float or "raise"
        Stands for the score where there was an error.

    """
    out: dict[str, Any] = {}
    for key, seconds in (("fit_time", record.fit_seconds), ("score_time", record.score_seconds)):
        out[f"mean_{key}"], out[f"std_{key}"] = _over_finished(seconds, record.done)
    for name in grid.names:
        column = np.array([candidate[name] for candidate in grid.candidates])
        out[f"param_{name}"] = np.ma.MaskedArray(column, mask=np.zeros(len(column), dtype=bool))
    out["params"] = [dict(candidate) for candidate in grid.candidates]
    scores = np.where(record.done, record.scores, np.nan)
    if not isinstance(error_score, str):
        scores = np.where(failed, float(error_score), scores)
    for k in range(scores.shape[1]):
        out[f"split{k}_test_score"] = scores[:, k].copy()
    out["mean_test_score"], out["std_test_score"] = scores.mean(axis=1), scores.std(axis=1)
    out["rank_test_score"] = _ranks(np.where(record.complete, out["mean_test_score"], np.nan))
    proofs = [_worst(row) for row in record.certificates]
    out["certificate"] = np.empty(len(proofs), dtype=object)
    out["certificate"][:] = proofs
    out["relative_gap"] = np.array([np.nan if c is None else c.relative_gap for c in proofs])
    out["kkt_violation"] = np.array([_largest_violation(row) for row in record.certificates])
    out["status"] = np.array(_states(record, dropped, failed, proofs), dtype=object)
    return out


def _over_finished(seconds: np.ndarray, done: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation over the finished folds, nan where there are none."""
    count = done.sum(axis=1)
    some = np.where(count > 0, count, np.nan)
    mean = np.where(done, seconds, 0.0).sum(axis=1) / some
    square = np.where(done, seconds - mean[:, None], 0.0) ** 2
    return mean, np.sqrt(square.sum(axis=1) / some)


def _ranks(means: np.ndarray) -> np.ndarray:
    """Ranks from 1, ties share the smallest; candidates without a mean come last."""
    if np.isnan(means).all():
        return np.ones(len(means), dtype=np.int32)
    return rankdata(-np.nan_to_num(means, nan=np.nanmin(means) - 1), method="min").astype(np.int32)


def _worst(row: np.ndarray) -> Certificate | None:
    """The worst certificate of a candidate's folds."""
    proofs = tuple(c for cell in row if cell is not None for c in cell)
    return ModelCertificate(proofs).worst if proofs else None


def _largest_violation(row: np.ndarray) -> float:
    return max((c.kkt_violation for cell in row if cell is not None for c in cell), default=np.nan)


def _states(record: Record, dropped: np.ndarray, failed: np.ndarray, proofs: list[Certificate | None]) -> list[str]:
    """One word a candidate: how its solvers ended, or why it has no mean."""
    states = []
    for k, proof in enumerate(proofs):
        if failed[k].any():
            states.append("failed")
        elif dropped[k]:
            states.append("dropped")
        elif not record.done[k].all():
            states.append("unfinished")
        else:
            states.append("unproven" if proof is None else str(proof.status))
    return states
