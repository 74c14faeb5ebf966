"""What a linear classifier minimises, said once a fit by the estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..losses import CustomLoss, Loss
from ..penalties import Penalty
from ..problems import CrammerSingerRisk, HardMarginRisk, MultinomialRisk, Risk
from ._training import Training


@dataclass(frozen=True)
class LinearFormulation:
    """Loss, penalty and strength, and how more than two classes are trained.

    Attributes
    ----------
    loss, penalty
        Of a binary problem.
    strength : float
        The factor on every sample's loss there.
    fit_intercept : bool
        Whether there is an intercept.
    hard : bool
        Whether it is the hard margin, which knows no strength.
    joint : {"", "multinomial", "crammer-singer"}
        The kind of one problem for more than two classes together; "" is one problem a class.
    joint_strength : float
        The factor on every sample's loss in that.
    refused_jointly : str
        What is wrong with the parameters if there are more than two classes.
    solver : str, class or function
        Of binary problems; the joint one has its own.
    one_count : bool
        Whether ``n_iter_`` is the largest count of any problem instead of one a problem.

    """

    loss: Loss | CustomLoss
    penalty: Any  # Penalty or CustomPenalty; the joint problems take the first alone
    strength: float
    fit_intercept: bool
    hard: bool = False
    joint: str = ""
    joint_strength: float = 1.0
    refused_jointly: str = ""
    solver: str | Callable[..., Any] = "auto"
    one_count: bool = False

    def problems(self, training: Training, threads: int) -> Callable[[int], Risk]:
        """A function from the number of a binary problem to the problem."""
        weights = self.strength * training.weights
        kind = HardMarginRisk if self.hard else Risk

        def problem(k: int) -> Risk:
            return kind(training.rows, training.signs(k), weights, self.loss, self.penalty, self.fit_intercept, threads)

        return problem

    def joint_problem(self, training: Training, threads: int) -> MultinomialRisk | CrammerSingerRisk | None:
        """The one problem of all classes; None if there are two of them, or one problem a class."""
        k = len(training.classes)
        if not self.joint or k == 2:
            return None
        if self.refused_jointly:
            raise ValueError(self.refused_jointly)
        weights, label = self.joint_strength * training.weights, training.label
        if self.joint == "multinomial":
            assert isinstance(self.penalty, Penalty)  # estimators of joint problems take names alone
            return MultinomialRisk(training.rows, label, k, weights, self.penalty, self.fit_intercept, threads)
        label = label.astype(np.int64, copy=False)
        return CrammerSingerRisk(training.rows, label, k, weights, self.fit_intercept, threads)


def refuse_intercept_scaling(scaling: float) -> None:
    """Raise for a parameter that scikit-learn has because it penalises the intercept."""
    if scaling != 1:
        raise ValueError(
            f"intercept_scaling={scaling!r} has no meaning here: the intercept is not penalised. Leave it at 1."
        )
