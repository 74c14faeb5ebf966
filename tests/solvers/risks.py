"""Risks that solvers are tried on: clouds that overlap, in all kinds of storage."""

import numpy as np
import scipy.sparse as sp

from maxmargin.certificates import evaluate_risk
from maxmargin.data import Rows
from maxmargin.losses import make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import Risk

STORAGE = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64": sp.csr_array,
    "csr32": lambda X: sp.csr_array(X.astype(np.float32)),
}


def make_risk(X, score, weights, loss, penalty, storage="dense64", intercept=True, threads=1):
    """A risk whose targets are the scores or, for a loss of labels, their signs."""
    y = score if loss.kind == "regression" else np.where(score > 0, 1.0, -1.0)
    return Risk(Rows(STORAGE[storage](X)), y, weights, loss, penalty, intercept, threads)


def noisy_plane(loss, penalty="l2", n=120, d=4, seed=0, C=1.0, storage="dense64", intercept=True, unit=1.0):
    """Scores of a random plane with as much noise; the last feature in another unit."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X @ rng.normal(size=d) + 0.3 + rng.normal(size=n)
    X[:, -1] *= unit
    return make_risk(X, score, np.full(n, C), make_loss(loss, 0.1), make_penalty(penalty), storage, intercept)


def proven(problem, solution):
    """What the certificate says of a solution."""
    evidence = evaluate_risk(problem, solution.variables, solution.slopes)
    assert evidence.gap >= 0
    return evidence
