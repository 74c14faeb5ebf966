"""Polynomial regression: least squares on powers, through a basis in which it is well-conditioned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, Status, are_floats, evaluate_normal_equations, rounded_up
from ..data import check_X_y, validate_data, weighted_sums
from ..engine import Stopwatch, warn
from ..estimators import check_penalties, check_same_rows
from ..problems import LeastSquares
from ..solvers import solve_least_squares
from ._confirmed import equations_confirmed, refuted
from ._orthogonal import OrthogonalBasis, as_floats, combined, penalised_solution, precise
from ._overflow import refuse_overflow
from ._regressor import LinearRegressor
from ._ridge import least_squares_problem, normal_guarantee, used_samples


@dataclass(kw_only=True, eq=False, repr=False)
class PolynomialRegression(LinearRegressor):
    """Polynomial of one or several features, fitted by (ridge) least squares.

    Minimises ``sum_i s_i (y_i - b - sum_k w_k x_i**k)**2 + alpha ||w||**2``, the penalty being on the coefficients of
    the powers and not on the intercept b. With one feature, all that is computed in float64 is computed in polynomials
    that are orthonormal on the data, where nothing is ill-conditioned, whatever the degree and wherever the data lies;
    and so are predictions. Coefficients of powers are derived from those with as many digits as it takes. With several
    features, the model is ridge regression on all products of powers up to the degree.

    Parameters
    ----------
    degree : int, default=2
        The highest power, at least 1.
    alpha : float or array-like of shape (n_targets,), default=0.0
        Penalty on the squared coefficients of the powers.
    fit_intercept : bool, default=True
        Whether there is a b; without it the polynomial is 0 at 0.
    tol : float, default=1e-10
        Largest residual of the normal equations, relative to the size of their terms, at which a fit counts as
        converged.

    Attributes
    ----------
    coef_ : ndarray of shape (n_powers,) or (n_targets, n_powers)
        Coefficients of the powers, in the order of `powers_`.
    powers_ : ndarray of shape (n_powers, n_features)
        Exponents of the features.
    certificate_ : Guarantee
        Objective and residual of the normal equations, with one feature in the orthonormal basis;
        ``certificate_.verify(X, y)`` recomputes them.
    rank_ : int
        How many polynomials (with the constant one) the data determines. With one feature, without penalty and with
        fewer distinct values of x than `degree` + 1, the polynomial is the one of lowest degree; with several features
        the one with the shortest coefficients, each in units of its power's spread.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.linear_model import PolynomialRegression
    >>> x = np.linspace(1990, 2020, 31)
    >>> model = PolynomialRegression(degree=15).fit(x[:, None], np.sin(x / 3))
    >>> bool(np.abs(model.predict(x[:, None]) - np.sin(x / 3)).max() < 1e-5)
    True
    >>> PolynomialRegression(2).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 4.0, 9.0, 16.0]).coef_.round(10)
    array([2., 1.])

    """

    _parameter_constraints: ClassVar[dict] = {
        "degree": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0.0, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
    }

    degree: int = field(default=2, kw_only=False)
    alpha: Any = 0.0
    tol: float = 1e-10

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PolynomialRegression:
        """Train on rows X with targets y."""
        self._validate_params()
        watch = Stopwatch()
        X, targets, weights, single = self._checked(X, y, sample_weight, reset=True)
        refuse_overflow(None, targets, weights)
        alpha = check_penalties(self.alpha, targets.shape[1])
        if X.shape[1] == 1:
            self.powers_ = np.arange(1, self.degree + 1)[:, None]
            coef, intercept = self._fit_one(X[:, 0], targets, weights, alpha)
        else:
            coef, intercept = self._fit_several(X, targets, weights, alpha)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise self._overflow("coefficients")
        self.coef_ = coef[0] if len(coef) == 1 else coef
        self.intercept_ = (float(intercept[0]) if single else intercept) if self.fit_intercept else 0.0
        self._training_rows = X.shape[0]
        part = self._prove(X, targets, weights, alpha, Status.CONVERGED, 0.0)
        self.certificate_ = replace(part, seconds=watch.seconds(), _recompute=self._recertify)
        if not part.holds:
            self.certificate_ = replace(self.certificate_, status=Status.STALLED)
            warn(
                f"PolynomialRegression ended as 'stalled': relative residual of the normal equations "
                f"{part.figures['relative residual']:.2e} (tol={self.tol:g}). Scale the features, or lower the degree.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _checked(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Any, np.ndarray, np.ndarray, bool]:
        """X and targets in float64 and weights, without rows of weight 0; and whether y has one dimension."""
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, multi_output=True, y_numeric=True
        )
        return self._used(X, y, sample_weight)

    def _used(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray, bool]:
        """The same of checked arrays."""
        return used_samples(X.toarray() if sp.issparse(X) and X.shape[1] == 1 else X, y, sample_weight)

    # ---------------------------------------------------------------- one feature

    def _fit_one(
        self, x: np.ndarray, targets: np.ndarray, weights: np.ndarray, alpha: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of powers and intercepts; the coefficients in the basis are kept for predictions."""
        wanted = self.degree + self.fit_intercept
        basis, Q = OrthogonalBasis.of(x, weights, wanted, self.fit_intercept)
        self.rank_ = basis.size
        whole = basis.size == wanted or not alpha.any()
        if not whole:
            basis = self._full_basis(x, wanted)
        self._basis, digits = basis, basis.digits(bool(alpha.any()))
        right = np.sqrt(weights)[:, None] * targets
        Z = Q.T @ right
        Z += Q.T @ (right - Q @ Z)
        coef, intercept = np.zeros((targets.shape[1], self.degree)), np.zeros(targets.shape[1])
        self._inner = []  # with all their digits: the powers are sensitive to the last ones
        with precise(digits):
            powers = basis.powers()
            for k, penalty in enumerate(alpha):
                if whole:
                    gram, c = _identity(basis.size), [Decimal(float(value)) for value in Z[:, k]]
                else:
                    gram, c = _by_distinct_values(basis, x, targets[:, k], weights)
                z = penalised_solution(powers, gram, c, float(penalty)) if penalty or not whole else c
                w = combined(powers, z, self.degree + 1)
                self._inner.append(z)
                coef[k], intercept[k] = [float(value) for value in w[1:]], float(w[0])
        return coef, intercept

    def _full_basis(self, x: np.ndarray, size: int) -> OrthogonalBasis:
        """A basis of all degrees where the data has too few distinct values: orthonormal on points added to it."""
        low, high = float(x.min()), float(x.max())
        half = (high - low) / 2 or max(abs(low), 1.0)
        nodes = low / 2 + high / 2 + half * np.cos(np.pi * (np.arange(4 * size) + 0.5) / (4 * size))
        return OrthogonalBasis.of(nodes, np.ones(len(nodes)), size, self.fit_intercept)[0]

    # ---------------------------------------------------------------- several features

    def _expanded(self, X: Any) -> Any:
        if not sp.issparse(X):
            return self._features.transform(X)
        if not (X.data.flags.writeable and X.indices.flags.writeable and X.indptr.flags.writeable):
            X = X.copy()  # scikit-learn's compiled code asks for arrays that it could write to
        return sp.csr_array(self._features.transform(X))

    def _fit_several(
        self, X: Any, targets: np.ndarray, weights: np.ndarray, alpha: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        self._features = PolynomialFeatures(self.degree, include_bias=False).fit(X)
        self.powers_ = self._features.powers_
        with np.errstate(over="ignore", invalid="ignore"):
            Z = self._expanded(X)
            squares = (Z.data if sp.issparse(Z) else Z) ** 2
        if not np.isfinite(squares).all():
            raise self._overflow("squares of powers")
        problem, _ = least_squares_problem(Z, targets, weights, alpha, self.fit_intercept)
        spread = np.ones(problem.d)
        if not alpha.any():
            # powers of different degrees differ by many orders: each in units of its own spread
            spread = np.sqrt(_column_squares(problem))
            spread[spread == 0] = 1.0
            scaled = sp.csr_array(Z @ sp.diags_array(1 / spread)) if sp.issparse(Z) else Z / spread
            problem, _ = least_squares_problem(scaled, targets, weights, alpha, self.fit_intercept)
        method = "svd" if not alpha.any() and min(problem.n, problem.d) <= 2000 else "auto"
        solution = solve_least_squares(problem, None, self.tol, method=method)
        self.rank_ = solution.stats["rank"] + self.fit_intercept if "rank" in solution.stats else problem.d + 1
        return np.ascontiguousarray((solution.variables / spread[:, None]).T), problem.intercept(solution.variables)

    def _overflow(self, what: str) -> ValueError:
        return ValueError(f"{what} of degree {self.degree} overflow float64 for this X; scale it, or lower the degree.")

    # ---------------------------------------------------------------- the proof

    def _prove(
        self, X: Any, targets: np.ndarray, weights: np.ndarray, alpha: np.ndarray, status: Status, seconds: float
    ) -> Guarantee:
        if X.shape[1] == 1:
            return self._prove_one(X[:, 0], targets, weights, alpha, status, seconds)
        problem, _ = least_squares_problem(self._expanded(X), targets, weights, alpha, self.fit_intercept)
        intercept = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (problem.k,))
        evidence = evaluate_normal_equations(problem, np.atleast_2d(self.coef_).T, intercept)
        return normal_guarantee(evidence, bool((alpha > 0).all()), self.tol, status, 1, seconds)

    def _prove_one(
        self, x: np.ndarray, targets: np.ndarray, weights: np.ndarray, alpha: np.ndarray, status: Status, seconds: float
    ) -> Guarantee:
        """The residual in the basis, ``P's r - alpha T'T z``, T being the coefficients of the powers 1, 2, ..."""
        P, Z = self._basis.values(x), as_floats(self._inner)
        R, roots = targets - P @ Z, np.sqrt(weights)[:, None]
        pull, apart = self._penalty_gradient(alpha)
        g = P.T @ (weights[:, None] * R) - pull
        size = float(np.linalg.norm(roots * P))
        scale = size * (np.linalg.norm(roots * targets, axis=0) + size * np.linalg.norm(Z, axis=0))
        residual = np.linalg.norm(g, axis=0)
        relative = float(np.divide(residual, scale, out=np.zeros_like(residual), where=scale > 0).max(initial=0.0))
        objective = float((weights @ R**2).sum() + (alpha * (np.atleast_2d(self.coef_) ** 2).sum(axis=1)).sum())
        figures = {"objective": objective, "residual": float(residual.max(initial=0.0)), "relative residual": relative}
        figures["error of coef_"] = apart
        words = f"in the orthonormal basis the normal equations hold to {relative:.1e} of the size of their terms"
        if self.rank_ == self._basis.size:
            values = _rounding_of_residuals(P, R, Z)
            objective += (width := float((weights @ (values * (2 * np.abs(R) + values))).sum()) + 1e-15 * objective)
            figures |= {"objective": objective, "gap": self._rise(P, R, values, weights, residual) + 2 * width}
            words += (
                f", so that the objective {objective:.6g} is at most {rounded_up(figures['gap'], 2)} above the least"
            )
            words += " possible (for the values of the basis that float64 holds)"
        holds = bool(max(relative, apart) <= self.tol and np.isfinite(figures["objective"]))
        return Guarantee("normal equations", figures, words + ".", holds, status, 1, seconds)

    def _rise(
        self, P: np.ndarray, R: np.ndarray, values: np.ndarray, weights: np.ndarray, residual: np.ndarray
    ) -> float:
        """What the objective is above its minimum, at most, with the rounding of the residual of the equations.

        The basis is orthonormal on the data but for rounding: the objective curves by at least 2 (1 - off) everywhere.
        """
        n, m = P.shape
        unit = np.finfo(np.float64).eps / 2
        weighted = weights[:, None] * np.abs(P)
        gram = P.T @ (weights[:, None] * P)
        off = float(np.linalg.norm(gram - np.eye(m))) + (n + 2) * unit * float((weighted * np.abs(P)).sum())
        error = np.linalg.norm(weighted.T @ (values + (n + 2) * unit * np.abs(R)), axis=0)
        rise = float(((residual + error) ** 2).sum()) * (1 + 1e-9)
        return rise / (1 - off) if off < 1 else np.inf

    def _penalty_gradient(self, alpha: np.ndarray) -> tuple[np.ndarray, float]:
        """``alpha T'T z`` for each target, and the largest relative error of ``coef_`` as a rounding of ``T z``."""
        basis, coef = self._basis, np.atleast_2d(self.coef_)
        constants = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), len(alpha))
        pull, apart = np.zeros((basis.size, len(alpha))), 0.0
        with precise(basis.digits(bool(alpha.any()))):
            powers = basis.powers()
            for k, (penalty, z) in enumerate(zip(alpha, self._inner, strict=True)):
                constant, *w = combined(powers, z, self.degree + 1)
                for value, kept in zip([constant, *w], [constants[k], *coef[k]], strict=True):
                    if float(value) != kept:
                        apart = max(apart, float(abs(1 - Decimal(float(kept)) / value)) if value else np.inf)
                if penalty:
                    factor = Decimal(float(penalty))
                    pull[:, k] = [float(factor * _dot(row[1:], w)) for row in powers]
        return pull, apart

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        """Every figure again. Rows that cannot be those of the training are the caller's error."""
        check_is_fitted(self)
        claim = self.certificate_
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64, multi_output=True, y_numeric=True)
        X, targets, weights, _ = self._used(X, y, sample_weight)
        check_same_rows(self._training_rows, X.shape[0], weighted=True)
        if X.shape[1] != self.n_features_in_ and np.shape(self.powers_)[-1:] == (self.n_features_in_,):
            raise ValueError(f"X has {X.shape[1]} features, but the model was trained on {self.n_features_in_}.")
        try:
            coef = np.atleast_2d(np.asarray(self.coef_, dtype=np.float64))
            fits = coef.shape == (targets.shape[1], len(self.powers_)) and self.n_features_in_ == X.shape[1]
            fits = fits and are_floats(self.coef_, self.intercept_) and self._has_its_powers(X)
            if not (fits and np.isfinite(coef).all() and np.isfinite(self.intercept_).all()):
                return refuted(claim)
            alpha = check_penalties(self.alpha, targets.shape[1])
            part = self._prove(X, targets, weights, alpha, claim.status, claim.seconds)
        except Exception:  # a model that cannot even be evaluated was never fitted like that
            return refuted(claim)
        return equations_confirmed(part, claim, self.tol, float(weights @ np.square(targets).sum(axis=1)))

    def _has_its_powers(self, X: Any) -> bool:
        """Whether the powers that predictions are made of are those of `degree`, in all that is kept of them."""
        if not hasattr(self, "_features"):
            return bool(np.array_equal(self.powers_, np.arange(1, self.degree + 1)[:, None]))
        fresh = PolynomialFeatures(self.degree, include_bias=False).fit(X)
        kept = vars(self._features)
        same = all(name in kept and np.array_equal(kept[name], value) for name, value in vars(fresh).items())
        return same and bool(np.array_equal(self.powers_, fresh.powers_))

    # ---------------------------------------------------------------- prediction

    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets of the rows of X.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)

        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if X.shape[1] == 1:
            x = X.toarray()[:, 0] if sp.issparse(X) else X[:, 0]
            values = self._basis.values(x) @ as_floats(self._inner)
        else:
            values = weighted_sums(self._expanded(X), np.atleast_2d(self.coef_)) + self.intercept_
        return values.ravel() if self.coef_.ndim == 1 else values


def _rounding_of_residuals(P: np.ndarray, R: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Bounds of the rounding errors of ``R = targets - P Z``."""
    unit = np.finfo(np.float64).eps / 2
    return (P.shape[1] + 2) * unit * (np.abs(P) @ np.abs(Z)) + unit * np.abs(R)


def _dot(a: Sequence[Decimal], b: Sequence[Decimal]) -> Decimal:
    """The sum of products, as far as the shorter one goes."""
    return sum((p * q for p, q in zip(a, b, strict=False)), Decimal(0))


def _identity(m: int) -> list[list[Decimal]]:
    return [[Decimal(int(i == j)) for j in range(m)] for i in range(m)]


def _by_distinct_values(
    basis: OrthogonalBasis, x: np.ndarray, y: np.ndarray, weights: np.ndarray
) -> tuple[list[list[Decimal]], list[Decimal]]:
    """``P'sP`` and ``P'sy`` in decimals, from the few distinct values of x: singular, and exactly so."""
    points, place = np.unique(x, return_inverse=True)
    total = np.bincount(place, weights=weights)
    mean = np.bincount(place, weights=weights * y) / total
    P = [[Decimal(float(value)) for value in row] for row in basis.values(points)]
    s, t = [Decimal(float(v)) for v in total], [Decimal(float(v)) for v in mean]
    columns = list(zip(*P, strict=True))
    weighted = [[w * value for w, value in zip(s, column, strict=True)] for column in columns]
    gram = [[_dot(a, b) for b in columns] for a in weighted]
    right = [_dot(a, t) for a in weighted]
    return gram, right


def _column_squares(problem: LeastSquares) -> np.ndarray:
    """Squared lengths of the columns of A."""
    step, total = problem.tile_height(), np.zeros(problem.d)
    for low in range(0, problem.n, step):
        tile = problem.tile(low, min(problem.n, low + step))
        total += np.einsum("ij,ij->j", tile, tile)
    return total
