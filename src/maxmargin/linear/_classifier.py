"""What linear classifiers share: from labels to one problem, or one a class, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Certificate, are_floats, confirmed
from ..data import Rows
from ..engine import thread_count
from ..estimators import check_every_class, check_weights, class_weights, encode_labels
from ..problems import Risk
from ..solvers import Monitor
from ._machine import LinearMachine, Part


@dataclass(frozen=True)
class Training:
    """Checked samples: rows, the number of each one's class, and its weight (without C)."""

    rows: Rows
    label: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    class_weight: np.ndarray

    @property
    def problems(self) -> int:
        """Two classes are one problem; more are one a class."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    def signs(self, k: int) -> np.ndarray:
        """Labels of problem k: +1 for its class, -1 for all others."""
        if self.problems == 1:
            return 2.0 * self.label - 1.0
        return np.where(self.label == k, 1.0, -1.0)

    def name(self, k: int) -> str:
        """What problem k is called in reports and certificates."""
        positive, other = (1, self.classes[0]) if self.problems == 1 else (k, "the rest")
        return f"{self.classes[positive]} against {other}"


class LinearClassifierMachine(ClassifierMixin, LinearMachine):
    """Base of the linear classifiers; not for direct use.

    A subclass whose classes are trained together returns that problem from `_joint_problem`: theta is then a matrix
    with one row (w, b) a class.
    """

    _parameter_constraints: dict = {
        **LinearMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearClassifierMachine:
        """Train on rows X with labels y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            float32 and float64, dense (C-contiguous) and CSR are used as they are, without a copy.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or booleans.
        sample_weight : array-like of shape (n_samples,), optional
            C is multiplied by it, sample by sample; a sample without positive weight takes no part.

        Returns
        -------
        self

        """
        self._validate_params()
        self._refuse()
        training = self._training(X, y, sample_weight)
        starts, slopes = self._starts(training)
        parts, monitor, interrupted = self._solve_training(training, starts, slopes)
        self._keep(training, parts)
        self._conclude(parts, monitor, interrupted)
        return self

    def _refuse(self) -> None:
        """Raise for parameters that contradict each other."""

    def _training(self, X: Any, y: Any, sample_weight: Any) -> Training:
        X, y = self._validate_training(X, y)
        classes, label = encode_labels(y)
        weight = check_weights(sample_weight, X)
        if weight is not None:
            check_every_class(classes, label, weight)
        class_weight = class_weights(self.class_weight, classes, label, weight)
        return Training(Rows(X), label, self._combined(label, weight, class_weight), classes, class_weight)

    def _combined(self, label: np.ndarray, weight: np.ndarray | None, class_weight: np.ndarray) -> np.ndarray:
        """Weight of sample times weight of class."""
        by_class = np.ones(len(label)) if self.class_weight is None else class_weight[label]
        return by_class if weight is None else by_class * weight

    def _problems_of(self, training: Training, threads: int, strength: float | None = None) -> Any:
        """A function from the number of a problem to the problem."""
        weights = (self._strength() if strength is None else strength) * training.weights

        def problem(k: int) -> Risk:
            return self._problem(training.rows, training.signs(k), weights, threads)

        return problem

    def _solve_training(
        self, training: Training, starts: list[np.ndarray | None], slopes: list[np.ndarray | None]
    ) -> tuple[list[Part], Monitor, bool]:
        """Solve the problem of two classes, or one a class, or the joint one."""
        joint = self._joint_problem(training)
        if joint is not None:
            start = None if starts[0] is None else np.vstack([theta for theta in starts if theta is not None])
            known = slopes[0] if len(slopes) == 1 else None
            return self._solve_all(lambda k: joint, [start], [known], ["all classes"], False)
        if len(slopes) != training.problems:  # the last fit had a joint problem
            slopes = [None] * training.problems
        parallel = self._side_by_side(training.problems, training.rows)
        problem = self._problems_of(training, 1 if parallel else thread_count(self.n_jobs))
        names = [training.name(k) for k in range(training.problems)]
        return self._solve_all(problem, starts, slopes, names, parallel)

    def _joint_problem(self, training: Training) -> Any:
        """The one problem of more than two classes, or None for one a class."""
        return None

    def _starts(self, training: Training) -> tuple[list[np.ndarray | None], list[np.ndarray | None]]:
        """Variables and slopes to start from: the last solution's if `warm_start` is set and there is one."""
        nothing: list[np.ndarray | None] = [None] * training.problems
        if not (self.warm_start and hasattr(self, "coef_")):
            return nothing, nothing
        coef = self._dense_coef()
        if not np.array_equal(self.classes_, training.classes) or coef.shape[1] != training.rows.d:
            raise ValueError(
                f"warm_start=True needs the features and classes of the last fit ({coef.shape[1]} features, classes "
                f"{list(self.classes_)}); got {training.rows.d} features and classes {list(training.classes)}. Set "
                f"warm_start=False to start anew."
            )
        starts: list[np.ndarray | None] = [
            np.append(w, b * self.fit_intercept) for w, b in zip(coef, self.intercept_, strict=True)
        ]
        return starts, [u if u is not None and len(u) == training.rows.n else None for u in self._slopes]

    def _keep(self, training: Training, parts: list[Part]) -> None:
        """Fitted attributes in scikit-learn's form."""
        theta = np.vstack([part.theta for part in parts])
        if not np.isfinite(theta).all():
            raise ValueError("the weights are not finite: the values of X are too large; scale them (StandardScaler).")
        self.classes_, self.class_weight_ = training.classes, training.class_weight
        self.coef_: Any = np.ascontiguousarray(theta[:, :-1])
        self.intercept_ = theta[:, -1].copy()
        self.n_iter_: Any = np.array([part.certificate.iterations for part in parts], dtype=np.int32)
        self._slopes = [part.slopes for part in parts]
        self._rows_seen = training.rows.n

    # ---------------------------------------------------------------- the proof

    def _recomputed(self, X: Any, y: np.ndarray, weight: np.ndarray | None) -> list[Certificate] | None:
        training = self._training_again(X, y, weight)
        claims, slopes = self.certificate_.problems, self._slopes
        coef, intercept = self._dense_coef(), np.asarray(self.intercept_, dtype=np.float64)
        if (
            training is None
            or not are_floats(coef, self.intercept_)
            or coef.shape != (training.problems, X.shape[1])
            or intercept.shape != (len(coef),)
        ):
            return None
        theta = np.column_stack([coef, intercept])
        joint = self._joint_problem(training)
        if joint is not None:
            return (
                [confirmed(joint, joint.from_rows(theta), slopes[0], claims[0], self.tol)] if len(claims) == 1 else None
            )
        if len(claims) != len(theta):
            return None
        problem = self._problems_of(training, thread_count(self.n_jobs))
        model = zip(theta, slopes, claims, strict=True)
        return [confirmed(problem(k), w, u, claim, self.tol) for k, (w, u, claim) in enumerate(model)]

    def _training_again(self, X: Any, y: np.ndarray, weight: np.ndarray | None) -> Training | None:
        """The training data again; None if the model's classes or their weights are not those of y."""
        present = np.unique(y)
        classes = np.asarray(self.classes_)
        if classes.ndim != 1 or not np.array_equal(classes, np.unique(classes)):
            return None
        if not (np.isin(present, classes).all() if self._in_chunks else np.array_equal(present, classes)):
            return None
        label = np.searchsorted(classes, y)
        known = np.asarray(self.class_weight_, dtype=np.float64)
        if known.shape != classes.shape:
            return None
        if not self._in_chunks and not np.array_equal(known, class_weights(self.class_weight, classes, label, weight)):
            return None
        return Training(Rows(X), label, self._combined(label, weight, known), classes, known)

    @property
    def _in_chunks(self) -> bool:
        """Whether the model may have been trained in chunks, the last of which need not have every class."""
        return False

    def _known_labels(self, X: Any, y: np.ndarray, sample_weight: Any) -> Training:
        """Checked samples with labels of the classes that the model has, not all of which need be there."""
        unknown = np.setdiff1d(y, self.classes_)
        if unknown.size:
            raise ValueError(f"y has labels that the model was not trained on: {list(unknown)}.")
        label = np.searchsorted(self.classes_, y)
        weight = check_weights(sample_weight, X)
        combined = self._combined(label, weight, self.class_weight_)
        return Training(Rows(X), label, combined, self.classes_, self.class_weight_)

    # ---------------------------------------------------------------- prediction

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values ``X @ coef_.T + intercept_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, positive for ``classes_[1]``; else (n_samples, n_classes).

        """
        values = self._linear_values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)

        """
        values = self.decision_function(X)
        return self.classes_[(values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)]

    def sparsify(self) -> LinearClassifierMachine:
        """Keep ``coef_`` as a CSR matrix, which for many zeros (an L1 penalty) takes less memory.

        Returns
        -------
        self

        """
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> LinearClassifierMachine:
        """Keep ``coef_`` as an array again, undoing `sparsify`.

        Returns
        -------
        self

        """
        check_is_fitted(self)
        self.coef_ = self._dense_coef()
        return self
