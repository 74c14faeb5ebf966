"""Linear models of scikit-learn's names, each with the proof that its method has."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what model files build on.
from ._lasso import ElasticNet, Lasso
from ._lasso_cv import ElasticNetCV, LassoCV
from ._linear_classifier import LinearClassifier
from ._linear_regression import LinearRegression
from ._logistic import LogisticRegression
from ._logistic_cv import LogisticRegressionCV
from ._orthogonal import OrthogonalBasis as OrthogonalBasis, as_floats as as_floats
from ._paths import RegressionPath as RegressionPath
from ._perceptron import Perceptron
from ._polynomial import PolynomialRegression
from ._ridge import Ridge, equations_confirmed as equations_confirmed, normal_guarantee as normal_guarantee
from ._ridge_cv import RidgeCV

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LinearClassifier",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "Perceptron",
    "PolynomialRegression",
    "Ridge",
    "RidgeCV",
]
