"""What kernel classifiers share: labels from decision values of binary problems, and what is verified of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Certificate, KKTCases, decision_sums, kkt_cases
from ..data import weighted_sums
from ..engine import one_blas_thread
from ..estimators import Reported, TakesKernel, check_same_rows, check_training, class_weights
from ..problems import BoxQP
from ._cases import doubted, near, noise, sharp_cases, sharp_joint_cases
from ._fit import fit_classifier
from ._input import part_of, training_weights
from ._joint import is_joint, joint_cases_of, recertify_joint
from ._linear_weights import linear_weights
from ._machine import KernelMachine
from ._one_vs_one import OneVsOne, Pair, class_slices
from ._one_vs_rest import OneVsRest
from ._screened import screened_values
from ._solved import judged
from ._verify import Audit, recertify

_NO_MARGIN = "There is no margin: the classes cannot be told apart at this nu, and w is 0."


@dataclass(kw_only=True, eq=False, repr=False)
class KernelClassifier(ClassifierMixin, Reported):
    """Mixed into a kernel machine: how classifiers predict, and what is verified of them.

    Parameters
    ----------
    probability : bool, default=False
        Refused if True (deprecated in scikit-learn 1.9): use
        ``sklearn.calibration.CalibratedClassifierCV(SVC(), ensemble=False)``.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes; see `multi_class` for how they are trained.
    break_ties : bool, default=False
        Break ties of the one-vs-one vote by the decision values ("ovr" only).
    random_state : int, RandomState or None, default=None
        Accepted for scikit-learn's sake; nothing in the fit is random.

    Attributes
    ----------
    margin_width_ : ndarray of shape (n_problems,)
        Distance of the two margin boundaries of each binary problem in feature space, ``2 / ||w||``.
    classes_, class_weight_
        As in scikit-learn.

    """

    _arguments = {
        **TakesKernel._arguments,
        "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n"
        "    The bound of each multiplier is multiplied by it; a sample without positive weight takes no part.",
    }

    _parameter_constraints: ClassVar[dict] = {
        **KernelMachine._parameter_constraints,
        "probability": ["boolean", StrOptions({"deprecated"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "random_state": ["random_state"],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
    }

    probability: bool = False
    class_weight: Any = None
    decision_function_shape: str = "ovr"
    break_ties: bool = False
    random_state: Any = None

    multi_class = "ovo"  # of machines without such a parameter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelClassifier:
        """Train on rows X with labels y."""
        self._validate_params()
        self._refuse()
        fit_classifier(self, self._formulation(), X, y, sample_weight)
        return self

    def _refuse(self) -> None:
        """Raise for parameters that contradict each other."""
        if self.probability is True:
            name = type(self).__name__
            raise ValueError(
                f"probability=True is not supported (scikit-learn deprecated it in 1.9): its probabilities can "
                f"contradict predict. Use sklearn.calibration.CalibratedClassifierCV({name}(...), ensemble=False)."
            )
        if self.multi_class != "ovo" and self.decision_function_shape == "ovo":
            raise ValueError(f"decision_function_shape='ovo' needs multi_class='ovo'; got {self.multi_class!r}.")

    # ---------------------------------------------------------------- the proof

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        X = self._validate_for_predict(X)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        check_same_rows(self.shape_fit_[0], X.shape[0], len(y))
        unknown = np.setdiff1d(y, self.classes_)
        if 0 < unknown.size < len(np.unique(y)):  # of all labels unknown nobody can say whether y or the model is wrong
            raise ValueError(f"y has labels that the model was not trained on: {list(unknown)}.")
        return X, y, training_weights(sample_weight, X)

    def _belongs_to(self, y: np.ndarray) -> bool:
        """Classes in the order of the labels, and support vectors ordered by class: predictions count on both."""
        classes, label = np.unique(y, return_inverse=True)
        if not np.array_equal(classes, self.classes_):
            return False
        ordered = np.repeat(np.arange(len(classes)), self.n_support_)
        expected = class_weights(self.class_weight, classes, label)
        return np.array_equal(label[self.support_], ordered) and np.allclose(self.class_weight_, expected, rtol=1e-12)

    def _training_problems(
        self, X: Any, y: np.ndarray, weight: np.ndarray
    ) -> list[tuple[Pair, BoxQP, np.ndarray, tuple[float, ...]]]:
        """Pairs, problems, variables and intercepts again from the model and its training data, by plain code."""
        label, scheme, formulation = np.searchsorted(self.classes_, y), self._fitted_scheme(), self._formulation()
        pairs, bound = scheme.pairs(label, weight), weight * self.class_weight_[label]
        gram = self._fitted_kernel().audit_gram(self._rows(X))
        betas = scheme.unpack(self._spread(len(label)), pairs, label)
        out = []
        for pair, beta, b in zip(pairs, betas, self.intercept_, strict=True):
            problem = formulation.problem(part_of(gram, pair.rows), pair.sign, bound[pair.rows])
            out.append((pair, problem, *formulation.to_variables(problem, beta, float(b))))
        return out

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure of the certificate, recomputed from the model alone."""
        if is_joint(self):
            return recertify_joint(self, *self._training_data(X, y, sample_weight))
        return recertify(self, X, y, sample_weight)

    def _audits(self, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Audit]:
        if not self._belongs_to(y):
            return []
        own, kernel, formulation = self._values_of(X), self._fitted_kernel(), self._formulation()
        audits = []
        for k, (pair, problem, beta, intercepts) in enumerate(self._training_problems(X, y, weight)):
            evidence = judged(kernel, problem, formulation.evaluate(problem, beta, intercepts))
            coefficients = self._spread_of(pair, y)
            expected = decision_sums(problem, coefficients) + self.intercept_[k]
            tolerance = formulation.tolerance_of(problem)
            audits.append(Audit.of(problem, beta, evidence, own[pair.rows, k], expected, tolerance, coefficients))
        return audits

    def kkt_cases(self, X: Any, y: Any, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: outside the margin, on the margin boundary, or inside it.

        With ``multi_class="crammer_singer"`` there is one entry a sample, whose margin is its own decision value less
        the largest of the others.
        """
        if is_joint(self):
            data = self._training_data(X, y, sample_weight)
            check_training(self, X, y, sample_weight)
            return sharp_joint_cases(self, joint_cases_of, data, X, y, sample_weight)
        return sharp_cases(self, X, y, sample_weight)

    def _cases(self, audits: list[Audit], y: np.ndarray, weight: np.ndarray) -> KKTCases:
        pairs, parts = self._fitted_scheme().pairs(np.searchsorted(self.classes_, y), weight), []
        for k, (pair, audit) in enumerate(zip(pairs, audits, strict=True)):
            problem, values, beta = audit.problem, audit.values, audit.variables
            assert problem is not None and values is not None and beta is not None
            margin, bound = pair.sign * values, np.where(pair.sign > 0, problem.upper, -problem.lower)
            alpha = self._cases_by(np.abs(beta), bound, margin)
            coefficients = self._spread_of(pair, y)
            rounding, level = noise(audit, coefficients), self._level(audit, coefficients)
            closest = near(self, audit, rounding + 2.0**-50)
            found = kkt_cases(k, pair.rows, alpha, bound, margin, rounding, closest, level)
            parts.append(doubted(found if level else replace(found, note=_NO_MARGIN), self, k, audit))
        return KKTCases.concatenate(parts)

    def _level(self, audit: Audit, coefficients: np.ndarray) -> float:
        """The decision value of the margin boundary; 0 if it is the decision boundary."""
        return 1.0

    def _cases_by(self, alpha: np.ndarray, bound: np.ndarray, margin: np.ndarray) -> np.ndarray:
        """The multipliers that say which case a sample is."""
        return alpha

    def _spread_of(self, pair: Pair, y: Any) -> np.ndarray:
        """Coefficients of the decision function of a pair for each of its rows."""
        label = np.searchsorted(self.classes_, column_or_1d(y))
        return self._fitted_scheme().unpack(self._spread(len(label)), [pair], label)[0]

    # ---------------------------------------------------------------- prediction

    def _fitted_scheme(self) -> OneVsOne | OneVsRest:
        """By the coefficients, a row a class or one fewer: `multi_class` may have been changed since the fit."""
        classes = len(self.classes_)
        return OneVsRest(classes) if self.dual_coef_.shape[0] == classes > 2 else OneVsOne(classes)

    def _binary_values(self, X: Any) -> np.ndarray:
        """Decision values of each binary problem, positive for its positive class."""
        return self._values_of(self._validate_for_predict(X))

    def _values_of(self, X: Any) -> np.ndarray:
        with one_blas_thread():
            if self._kernel_name == "linear":  # by what the certificate is about
                return weighted_sums(X, self._weights()) + self.intercept_
            by_class = self._support_values(X, class_slices(self.n_support_), self._dual_coef())
        return self._fitted_scheme().combine(by_class, self.intercept_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distances from the decision boundary, in units of half the margin width.

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
        """Labels of the rows of X."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            index = np.argmax(self.decision_function(X), axis=1)
        else:
            index = self._fitted_scheme().vote(self._values_to_vote(self._validate_for_predict(X)))
        return self.classes_[index]

    def _values_to_vote(self, X: Any) -> np.ndarray:
        """Decision values of which nothing but the vote is asked."""
        scheme, groups = self._fitted_scheme(), class_slices(self.n_support_)
        values = screened_values(self, X, groups, scheme.combine, self.intercept_, scheme.settled, self._values_of)
        return self._values_of(X) if values is None else values

    def _coefficients(self) -> np.ndarray:
        """Coefficients of the support vectors in the decision function of each binary problem."""
        slices, dual, scheme = class_slices(self.n_support_), self._dual_coef(), self._fitted_scheme()
        coefficients = np.zeros((len(self.intercept_), dual.shape[1]))
        for k, row in enumerate(coefficients):
            for place, s in scheme.weights_of(k, slices):
                row[s] = dual[place, s]
        return coefficients

    def _weights(self) -> np.ndarray:
        return linear_weights(self.support_vectors_, self._coefficients())

    @property
    def margin_width_(self) -> np.ndarray:
        """Distance of the margin boundaries of each binary problem in feature space, ``2 / ||w||``; inf if w is 0.

        There is none of a kernel whose values of the support vectors are not at hand: a matrix or a function.
        """
        check_is_fitted(self)
        if self._kernel_name in ("precomputed", "function"):
            raise AttributeError("margin_width_ needs a kernel that is neither a matrix nor a function")
        if self._kernel_name == "linear":
            squares = np.square(self._weights()).sum(axis=1)
        else:  # ||w||^2 is the sum of c_i f(x_i) over the support vectors, without the intercept
            values = self._values_of(self.support_vectors_) - self.intercept_
            squares = (self._coefficients() * values.T).sum(axis=1)
        with np.errstate(divide="ignore"):
            return 2.0 / np.sqrt(np.maximum(squares, 0.0))
