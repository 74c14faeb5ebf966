"""What kernel classifiers share: from labels to binary problems and back."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Evidence, KKTCases, evaluate, kkt_cases
from ..engine import one_blas_thread
from ..estimators import check_every_class, check_same_rows, class_weights, encode_labels
from ..kernels import Gram, SharedBlocks, TiledGram
from ..problems import BoxQP
from ..solvers import CertifiedSolution, Monitor
from ._audit import Audit
from ._base import KernelMachine, Solved, part_of
from ._one_vs_one import OneVsOne, Pair, class_slices
from ._one_vs_rest import OneVsRest


class KernelClassifier(ClassifierMixin, KernelMachine):
    """Base of the kernel classifiers; not for direct use.

    A subclass says what the binary problem is (`_problem`), how it is solved (`_solve`), and how its variables become
    coefficients of the decision function (`_scale`) and again variables (`_unscale`).
    """

    _parameter_constraints: dict = {
        **KernelMachine._parameter_constraints,
        "probability": ["boolean", StrOptions({"deprecated"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "random_state": ["random_state"],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
    }

    @abstractmethod
    def _problem(self, gram: Gram, pair: Pair, weight: np.ndarray) -> BoxQP:
        """The binary problem of a pair; `weight` is sample weight times class weight."""

    @abstractmethod
    def _solve(
        self, problem: BoxQP, start: np.ndarray | None, monitor: Monitor, rows: np.ndarray, engine: dict[str, Any]
    ) -> CertifiedSolution:
        """Solve and certify it."""

    def _scale(self, solution: CertifiedSolution) -> tuple[np.ndarray, float]:
        """Coefficients and intercept of the decision function."""
        return solution.beta, solution.evidence.intercepts[0]

    def _unscale(self, problem: BoxQP, coefficients: np.ndarray, intercept: float) -> tuple[np.ndarray, tuple]:
        """Variables and intercepts of the problem again."""
        return coefficients, (intercept,)

    def _evaluate(self, problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...]) -> Evidence:
        return evaluate(problem, beta, intercepts, audit=True)

    def _scheme(self, classes: int) -> OneVsOne | OneVsRest:
        return OneVsOne(classes)

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelClassifier:
        """Train on rows X with labels y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"`` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or booleans.
        sample_weight : array-like of shape (n_samples,), optional
            The bound of each multiplier is multiplied by it; a sample without positive weight takes no part.

        Returns
        -------
        self

        """
        self._validate_params()
        self._refuse()
        X, y = self._validate_training(X, y)
        classes, label = encode_labels(y)
        weight = self._validate_weights(sample_weight, X)
        class_weight = class_weights(self.class_weight, classes, label)
        self._check_every_class(classes, label, weight)
        scheme = self._scheme(len(classes))
        pairs = scheme.pairs(label, weight)
        gram = self._kernel_for(X, weight).gram(self._rows(X), None, self._threads())
        if self._side_by_side(len(pairs)):
            gram = gram.with_threads(1)
        self._check_problems(pairs, weight * class_weight[label], classes)
        bound = weight * class_weight[label]
        grams = self._pair_grams(gram, pairs, label, weight)
        problems = [self._problem(g, pair, bound[pair.rows]) for g, pair in zip(grams, pairs, strict=True)]
        starts = self._starts(scheme, pairs, problems, label, classes)
        names = [pair.label(classes) for pair in pairs]

        engine = self._engine_options(len(pairs))

        def task(k: int, monitor: Monitor) -> CertifiedSolution:
            return self._solve(problems[k], starts[k], monitor, pairs[k].rows, engine)

        # of two classes the second is positive here, and the first in LIBSVM
        solved = self._solve_all(task, problems, starts, names, first=-1 if len(classes) == 2 else 1)
        self.class_weight_ = class_weight
        scaled = [self._scale(s) for s in solved.solutions]
        solved = self._of_what_is_kept(solved, problems, scaled)
        self.n_iter_ = np.array([s.iterations for s in solved.solutions])
        self._settle(X, scheme, pairs, [c for c, _ in scaled], np.array([b for _, b in scaled]), label, classes)
        self._conclude(solved)
        return self

    def _of_what_is_kept(self, solved: Solved, problems: list[BoxQP], scaled: list[tuple[np.ndarray, float]]) -> Solved:
        """The same with figures of what the model keeps, where that is not what was solved for: see `NuSVC`."""
        return solved

    def _settle(
        self,
        X: Any,
        scheme: OneVsOne | OneVsRest,
        pairs: list[Pair],
        coefficients: list[np.ndarray],
        intercepts: np.ndarray,
        label: np.ndarray,
        classes: np.ndarray,
    ) -> None:
        """Fitted attributes from the coefficients of each pair's rows."""
        self.classes_ = classes
        coef = scheme.pack(coefficients, pairs, label)
        used = np.flatnonzero(coef.any(axis=0))
        support = used[np.argsort(label[used], kind="stable")]
        self.n_support_ = np.bincount(label[support], minlength=len(classes)).astype(np.int32)
        self._keep(X, support, coef[:, support], intercepts)

    def _pair_grams(self, gram: Gram, pairs: list[Pair], label: np.ndarray, weight: np.ndarray) -> list[Gram]:
        """The matrix of each pair; the pairs of three or more classes share blocks if those fit the cache."""
        if isinstance(gram, TiledGram) and len(pairs) > 1 and pairs[0].negative is not None:
            members = [np.flatnonzero((label == k) & (weight > 0)) for k in range(label.max() + 1)]
            shared = SharedBlocks(gram, members)
            if shared.bytes_needed() <= self.cache_size * 1e6 / 2:
                return [
                    shared.pair(pair.positive, pair.negative, pair.rows) for pair in pairs if pair.negative is not None
                ]
        return [part_of(gram, pair.rows) for pair in pairs]

    def _refuse(self) -> None:
        if self.probability is True:
            name = type(self).__name__
            raise ValueError(
                f"probability=True is not supported (scikit-learn deprecated it in 1.9): its probabilities can "
                f"contradict predict. Use sklearn.calibration.CalibratedClassifierCV({name}(...), ensemble=False)."
            )

    def _check_every_class(self, classes: np.ndarray, label: np.ndarray, weight: np.ndarray) -> None:
        check_every_class(classes, label, weight)

    def _check_problems(self, pairs: list[Pair], weight: np.ndarray, classes: np.ndarray) -> None:
        """Warn of binary problems that cannot be as the parameters ask."""

    def _starts(
        self,
        scheme: OneVsOne | OneVsRest,
        pairs: list[Pair],
        problems: list[BoxQP],
        label: np.ndarray,
        classes: np.ndarray,
    ) -> list[np.ndarray | None]:
        """Variables to start from: the last solution's if `warm_start` is set and there is one."""
        if not (self.warm_start and hasattr(self, "support_")):
            return [None] * len(pairs)
        if self.shape_fit_[0] != len(label) or not np.array_equal(self.classes_, classes):
            raise ValueError(
                f"warm_start=True needs the rows and classes of the last fit ({self.shape_fit_[0]} rows, classes "
                f"{list(self.classes_)}); got {len(label)} rows and classes {list(classes)}. Set warm_start=False to "
                f"start anew."
            )
        if len(self.intercept_) != len(pairs):
            raise ValueError("warm_start=True needs the same multi_class as the last fit; set warm_start=False.")
        betas = scheme.unpack(self._spread(len(label)), pairs, label)
        kept = zip(problems, betas, self.intercept_, strict=True)
        return [self._unscale(problem, beta, float(b))[0] for problem, beta, b in kept]

    # ---------------------------------------------------------------- the proof

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        X = self._validate_for_predict(X)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        check_same_rows(self.shape_fit_[0], X.shape[0], len(y))
        unknown = np.setdiff1d(y, self.classes_)
        if 0 < unknown.size < len(np.unique(y)):  # of all labels unknown nobody can say whether y or the model is wrong
            raise ValueError(f"y has labels that the model was not trained on: {list(unknown)}.")
        return X, y, self._validate_weights(sample_weight, X)

    def _names_are_whole(self) -> bool:
        try:
            classes, weights = self.classes_, self.class_weight_
            scheme = self._fitted_scheme()
            sides = scheme.sides if isinstance(scheme, OneVsOne) else [(k, None) for k in range(len(classes))]
            nobody = np.empty(0)
            names = [Pair(a, b, nobody, nobody).label(classes) for a, b in sides]
            return bool(
                classes.ndim == 1
                and weights.shape == classes.shape == self.n_support_.shape
                and (np.isfinite(weights) & (weights > 0)).all()
                and self.dual_coef_.shape[0] == len(classes) - isinstance(scheme, OneVsOne)
                and names == [claim.label for claim in self.certificate_.problems]
            )
        except Exception:  # attributes of a strange kind fail in ways that cannot be foreseen
            return False

    def _belongs_to(self, y: np.ndarray) -> bool:
        """Classes in the order of the labels, and support vectors ordered by class: predictions count on both."""
        classes, label = np.unique(y, return_inverse=True)
        if not np.array_equal(classes, self.classes_):
            return False
        ordered = np.repeat(np.arange(len(classes)), self.n_support_)
        expected = class_weights(self.class_weight, classes, label)
        return np.array_equal(label[self.support_], ordered) and np.allclose(self.class_weight_, expected, rtol=1e-12)

    def _training_problems(self, X: Any, y: Any, sample_weight: Any) -> list[tuple[Pair, BoxQP, np.ndarray, tuple]]:
        """Pairs, problems, variables and intercepts again from the model and its training data, by plain code."""
        return self._problems_of(*self._training_data(X, y, sample_weight))

    def _problems_of(
        self, X: Any, y: np.ndarray, weight: np.ndarray
    ) -> list[tuple[Pair, BoxQP, np.ndarray, tuple[float, ...]]]:
        label = np.searchsorted(self.classes_, y)
        scheme = self._fitted_scheme()
        pairs = scheme.pairs(label, weight)
        gram = self._fitted_kernel().audit_gram(self._rows(X))
        betas = scheme.unpack(self._spread(len(label)), pairs, label)
        out = []
        for pair, beta, b in zip(pairs, betas, self.intercept_, strict=True):
            problem = self._problem(part_of(gram, pair.rows), pair, (weight * self.class_weight_[label])[pair.rows])
            out.append((pair, problem, *self._unscale(problem, beta, float(b))))
        return out

    def _audits(self, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Audit]:
        own = self._values_of(X)
        audits = []
        for k, (pair, problem, beta, intercepts) in enumerate(self._problems_of(X, y, weight)):
            evidence = self._judged(problem, self._evaluate(problem, beta, intercepts))
            coefficients = self._spread_of(k, pair, y)
            expected = problem.image(coefficients) + self.intercept_[k]
            audits.append(Audit.of(problem, beta, evidence, own[pair.rows, k], expected, coefficients))
        return audits

    def kkt_cases(self, X: Any, y: Any, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: outside the street, on the kerb, or inside it.

        Parameters
        ----------
        X, y, sample_weight
            What the model was trained on.

        Returns
        -------
        KKTCases
            Case, multiplier, slack and margin of each sample, for more than two classes in each binary problem.

        """
        parts = []
        for k, (pair, problem, beta, _) in enumerate(self._training_problems(X, y, sample_weight)):
            coefficients = self._spread_of(k, pair, y)
            margin = pair.sign * (problem.image(coefficients) + self.intercept_[k])
            bound = np.where(pair.sign > 0, problem.upper, -problem.lower)
            parts.append(kkt_cases(k, pair.rows, np.abs(beta), bound, margin))
        return KKTCases.concatenate(parts)

    def _spread_of(self, k: int, pair: Pair, y: Any) -> np.ndarray:
        """Coefficients of the decision function of problem k for each of its rows."""
        label = np.searchsorted(self.classes_, column_or_1d(y))
        return self._fitted_scheme().unpack(self._spread(len(label)), [pair], label)[0]

    # ---------------------------------------------------------------- prediction

    def _fitted_scheme(self) -> OneVsOne | OneVsRest:
        return self._scheme(len(self.classes_))

    def _binary_values(self, X: Any) -> np.ndarray:
        """Decision values of each binary problem, positive for its positive class."""
        return self._values_of(self._validate_for_predict(X))

    def _values_of(self, X: Any) -> np.ndarray:
        with one_blas_thread():
            by_class = self._support_values(X, class_slices(self.n_support_), self._dual_coef())
        return self._fitted_scheme().combine(by_class, self.intercept_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distances from the middle of the street, in units of half its width.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, positive for ``classes_[1]``; else (n_samples, n_classes) for "ovr" and
            (n_samples, n_classes * (n_classes - 1) / 2) for "ovo".

        """
        values = self._binary_values(X)
        if len(self.classes_) == 2:
            return values.ravel()
        if self.decision_function_shape == "ovr" and isinstance(self._fitted_scheme(), OneVsOne):
            return _ovr_decision_function(values < 0, -values, len(self.classes_))
        return values

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)

        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            index = np.argmax(self.decision_function(X), axis=1)
        else:
            index = self._fitted_scheme().vote(self._binary_values(X))
        return self.classes_[index]

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row a binary problem (linear kernel only; read-only)."""
        if self._kernel_name != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        slices, dual, vectors = class_slices(self.n_support_), self._dual_coef(), self.support_vectors_
        scheme = self._fitted_scheme()
        rows = []
        for k in range(len(self.intercept_)):
            parts = [safe_sparse_dot(dual[[row], s], vectors[s]) for row, s in scheme.weights_of(k, slices)]
            rows.append(np.sum(parts, axis=0))
        coef: Any = sp.csr_matrix(np.vstack(rows)) if self._sparse else np.vstack(rows)
        (coef.data if self._sparse else coef).flags.writeable = False
        return coef
