"""A search whose machine is simple enough to be done twice: ridge regression, and its sign as a classifier."""

import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeClassifier

from maxmargin.certificates import Certificate, Status
from maxmargin.search import Grid, Outcome, SearchClassifier, SearchRegressor, automatic_count, check_values


class ToyEngine:
    """Trains every open candidate, fold by fold, and counts."""

    def __init__(self, search, data):
        self.search, self.data = search, data

    def run(self, state):
        for f, fold in enumerate(state.folds):
            for k, params in enumerate(state.grid.candidates):
                if state.open(k, f):
                    self._train(state, k, f, fold, params)
                    state.drop()

    def _train(self, state, k, f, fold, params):
        log = self.search.log
        log.append((k, f))
        if self.search.trouble is not None:
            try:
                self.search.trouble(params, f, log)
            except Exception as error:
                state.fail(k, f, error)
                return
        begin, data = time.perf_counter(), self.data
        weights = None if data.weights is None else data.weights[fold.train]
        machine = self.search._machine(**params).fit(data.X[fold.train], data.y[fold.train], sample_weight=weights)
        test = data.X[fold.test]
        values = machine.predict(test) if data.classes is None else machine.decision_function(test)
        proof = Certificate(1.0, 1.0, 1e-9 * (1 + f), 1e-9 * (1 + f), 0.0, Status.CONVERGED, 1, 0.0, "toy")
        seconds = time.perf_counter() - begin
        state.enter(k, f, Outcome(values, machine.predict(test), (proof,), seconds, lambda: clone_fitted(machine)))


def clone_fitted(machine):
    copy = clone(machine)
    copy.__dict__.update(vars(machine))
    return copy


def _values(name, given, low, high):
    count = automatic_count(name, given)
    return check_values(name, given if count is None else np.logspace(low, high, count))


class _Toy:
    trouble = None  # called before each fit; not a parameter, nor is the log of all fits

    def _make_grid(self, data):
        Cs = _values("Cs", self.Cs, -3, 3)
        if self.gammas is None:
            return Grid(("C",), (Cs,))
        return Grid(("C", "gamma"), (Cs, _values("gammas", self.gammas, -2, 2)))

    def _train(self, state, data, exact=False):
        ToyEngine(self, data).run(state)


def _init(
    self,
    Cs=4,
    gammas=None,
    cv=None,
    scoring=None,
    refit=True,
    rule="best",
    race=False,
    error_score=np.nan,
    verbose=False,
    warm_start=False,
    weighted_score=True,
):
    self.Cs = Cs
    self.gammas = gammas
    self.cv = cv
    self.scoring = scoring
    self.refit = refit
    self.rule = rule
    self.race = race
    self.error_score = error_score
    self.verbose = verbose
    self.warm_start = warm_start
    self.weighted_score = weighted_score


class ToyRegressor(_Toy, SearchRegressor):
    __init__ = _init

    def _machine(self, C, gamma=1.0):
        return Ridge(alpha=1 / (C * gamma))


class ToyClassifier(_Toy, SearchClassifier):
    __init__ = _init

    def _machine(self, C, gamma=1.0):
        return RidgeClassifier(alpha=1 / (C * gamma))


def _made(kind, trouble=None, **parameters):
    search = kind(**parameters)
    search.trouble, search.log = trouble, []
    return search


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    return X, X @ [1.0, -2.0, 0.0, 0.5, 0.0] + 3 * rng.normal(size=80)


@pytest.fixture
def labels(numbers):
    X, y = numbers
    return X, np.where(y > 0, "yes", "no")


@pytest.fixture
def regressor():
    return lambda **options: _made(ToyRegressor, **options)


@pytest.fixture
def classifier():
    return lambda **options: _made(ToyClassifier, **options)
