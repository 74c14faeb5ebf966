"""The kernel regressor that finds its own C and gamma."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from ..search import Fold, SearchData, SearchRegressor
from ._kernel_search import KernelSearch
from ._large_svr import LargeSVR
from ._search_problems import RegressorProblems, SearchProblems
from ._svr import SVR


@dataclass(kw_only=True, eq=False, repr=False)
class SVRCV(KernelSearch, SearchRegressor):
    """Epsilon-support vector regressor with C and gamma chosen by cross-validation, in one call.

    The scores and the winner of ``GridSearchCV(SVR(), {"C": Cs, "gamma": gammas})``; see :class:`SVCCV`.

    Parameters
    ----------
    Cs, gammas : int or array-like, default=10
        Values, or how many automatic ones; automatic C are proportional to the spread of the targets.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.

    Attributes
    ----------
    best_estimator_ : SVR
        Trained on all rows with the C and gamma of the winner.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.svm import SVRCV
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> search = SVRCV(epsilon=0.01, cv=3).fit(X[::-1], np.sin(X[::-1]).ravel())
    >>> len(search.cv_results_["params"])
    100

    """

    _parameter_constraints: ClassVar[dict] = {
        **SearchRegressor._parameter_constraints,
        **KernelSearch._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    epsilon: float = 0.1

    def _machine(self, **params: float) -> SVR:
        return SVR(
            epsilon=self.epsilon,
            kernel=self.kernel,
            degree=self.degree,
            coef0=self.coef0,
            tol=self.tol,
            cache_size=self.memory,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            **params,  # type: ignore[arg-type]
        )

    def _landmark_machine(self, **params: Any) -> LargeSVR:
        return LargeSVR(epsilon=self.epsilon, **self._of_landmarks(), **params)

    def _problems(self, data: SearchData, folds: list[Fold]) -> SearchProblems:
        return RegressorProblems(data, folds, self._machine, epsilon=self.epsilon)

    def _spread(self, data: SearchData, weights: np.ndarray) -> float:
        return float(np.sqrt(np.cov(data.y, aweights=weights, bias=True)))
