"""Trees, forests, boosts and nearest neighbours: families whose candidates are tried here, one by one or together."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..ensemble import AdaBoostClassifier, AdaBoostRegressor, RandomForestClassifier, RandomForestRegressor
from ..neighbors import KNeighborsClassifier, KNeighborsRegressor
from ..tree import DecisionTreeClassifier, DecisionTreeRegressor
from ._metrics import by_predictions
from ._search import Job, OutOfTimeError, SearchResult, search_each, search_together, table_row

_PRICES = 7  # of a leaf, besides 0
_TREES = 100, 200  # of a forest, at least and at most
_TRIAL = 32  # trees by which its settings are compared out of bag
_FEW = 2500  # rows up to which they are compared on the folds
# Trees of a forest that is trained on more rows than the first have bags of so many rows, and leaves of at least so
# many: full trees of a million rows would take gigabytes. Those for numbers, which end in a leaf for each value, have
# such leaves from fewer rows on.
_MANY, _BAG, _LEAF = 1_000_000, 250_000, 5
_MANY_VALUES = 200_000
_ROUNDS, _RATES = (25, 50, 100, 200, 400), (1.0, 0.3)
_REGRESSION_ROUNDS, _DEPTH = (10, 25, 50), 6


# ---------------------------------------------------------------- one tree


def search_tree(job: Job) -> SearchResult:
    """The price of a leaf, from the prices at which the tree of all rows loses a branch."""
    path = make_tree(job, {}).cost_complexity_pruning_path(job.X, job.y).ccp_alphas[:-1]  # the last leaves a stump
    path = path[path > 0]
    # evenly by the number of leaves on a scale of factors: the last steps of the path cut most
    places = len(path) - np.unique(np.geomspace(1, max(1, len(path)), _PRICES).astype(int))
    prices = [float(path[k]) for k in sorted(places.tolist(), reverse=True)] if len(path) else []
    candidates = [{"ccp_alpha": price} for price in [*prices, 0.0]]
    note = f"{len(candidates)} candidates on {len(job.y)} rows"
    return search_each(job, candidates, lambda **params: make_tree(job, params), note)


def make_tree(job: Job, params: dict[str, Any]) -> Any:
    """The tree of a candidate."""
    if job.classes:
        return DecisionTreeClassifier(class_weight=job.class_weight, random_state=job.seed, **params)
    return DecisionTreeRegressor(random_state=job.seed, **params)


# ---------------------------------------------------------------- forests


def search_forest(job: Job) -> SearchResult:
    """Columns a split and the size of leaves, then the number of trees by the error out of bag.

    The settings are compared on the folds where there are few rows, else by the error out of bag of a small forest.
    """
    features = ("sqrt", 0.5) if job.classes else (0.333, 1.0)
    settings = [{"max_features": m, "min_samples_leaf": leaf} for m in features for leaf in (1, _LEAF)]
    if len(job.y) <= _FEW or job.balanced or not job.order.plain or not by_predictions(job.metric):
        # Rows outside a bag are no judges where their copies, their group or the days around them are inside, nor
        # where classes weigh alike: of the rare one, leaves of one row are right by chance.
        trees = _TREES[0] if len(job.y) <= _FEW else _TRIAL
        trial = [{"n_estimators": trees, **setting} for setting in settings]
        tried = search_each(job, trial, lambda **params: make_forest(job, params), "")
        best, rows = tried.params, tried.table
        note = f"{len(settings)} settings on {len(job.y)} rows"
    else:
        rows = [_out_of_bag(job, {"n_estimators": _TRIAL, **setting}) for setting in settings]
        best = max(rows, key=lambda row: row["score"])["params"]
        note = f"{len(settings)} settings by the error out of bag on {len(job.y)} rows"
    if job.reporter.out_of_time:
        raise OutOfTimeError
    params = {**best, "n_estimators": _enough_trees(job, best)}
    note += f", {params['n_estimators']} trees"
    found = search_each(job, [params], lambda **p: make_forest(job, p), note)
    return SearchResult(found.params, found.fold_scores, found.table + rows, note)


def _enough_trees(job: Job, params: dict[str, Any]) -> int:
    """The fewest from which on the error out of bag stays within one standard error of that of the largest forest.

    The forests' own n_estimators="auto" asks the same of up to 1024 trees; the time for tuning has to be bounded.
    """
    fewest, most = _TREES
    model = make_forest(job, {**params, "n_estimators": most}).fit(job.X, job.y)
    curve, allowed = model.oob_error_curve_, model.certificate_.figures["standard error"]
    enough = (t for t in range(fewest, most, 20) if np.all(np.abs(curve[t - 1 :] - curve[-1]) <= allowed))
    return next(enough, most)


def _out_of_bag(job: Job, params: dict[str, Any]) -> dict[str, Any]:
    """A setting's score by the rows that its trees have not seen."""
    if job.reporter.out_of_time:
        raise OutOfTimeError
    begin = time.perf_counter()
    model = make_forest(job, params)
    model.set_params(oob_score=job.score).fit(job.X, job.y)
    row = table_row(params, np.array([model.oob_score_]), time.perf_counter() - begin, "out of bag")
    return {**row, "std": float("nan"), "fold_scores": []}


def make_forest(job: Job, params: dict[str, Any]) -> Any:
    """The forest of a candidate; of very many rows, with small bags."""
    params = dict(params)
    if len(job.y) > (_MANY if job.classes else min(_MANY, _MANY_VALUES)):
        params["min_samples_leaf"] = max(_LEAF, params.get("min_samples_leaf", 1))
    if len(job.y) > _MANY:
        params["max_samples"] = _BAG
    common = {"random_state": job.seed, "n_jobs": job.n_jobs, **params}
    if job.classes:
        return RandomForestClassifier(class_weight=job.class_weight, **common)
    return RandomForestRegressor(**common)


def forest_remark(job: Job, model: Any) -> str:
    """What differs from the forest that was tuned."""
    if len(job.y) <= _MANY:
        return ""
    return (
        f"each tree of the forest has a bag of {_BAG} of the {len(job.y)} training rows and leaves of at least "
        f"{_LEAF}, which bounds its memory"
    )


# ---------------------------------------------------------------- boosts


def search_adaboost(job: Job) -> SearchResult:
    """Rounds and learning rate; the rounds of one boost are those of all shorter ones."""
    rounds, rates = (_ROUNDS, _RATES) if job.classes else (_REGRESSION_ROUNDS, (1.0,))
    candidates = [{"n_estimators": t, "learning_rate": rate} for rate in rates for t in rounds]

    def scores_of(train: np.ndarray, test: np.ndarray) -> list[float]:
        scores = []
        for rate in rates:
            longest = {"n_estimators": rounds[-1], "learning_rate": rate}
            model = make_adaboost(job, longest).fit(job.X[train], job.y[train])
            found, last = {}, 0
            for t, predictions in enumerate(model.staged_predict(job.X[test]), 1):
                if t in rounds:
                    found[t] = job.score(job.y[test], predictions)
                last = t
            if last not in found:  # it ended early: all longer boosts are this one
                found[last] = job.score(job.y[test], predictions)
            scores += [found.get(t, found[last]) for t in rounds]
        return scores

    if not by_predictions(job.metric):
        return search_each(job, candidates, lambda **p: make_adaboost(job, p), f"{len(candidates)} candidates")
    weights = "; classes are not weighted" if job.balanced else ""
    return search_together(job, candidates, scores_of, f"{len(candidates)} candidates on {len(job.y)} rows{weights}")


def make_adaboost(job: Job, params: dict[str, Any]) -> Any:
    """The boost of a candidate: of stumps for classes, of small trees for numbers."""
    if job.classes:
        return AdaBoostClassifier("stump", random_state=job.seed, **params)
    return AdaBoostRegressor(DecisionTreeRegressor(max_depth=_DEPTH), random_state=job.seed, **params)


# ---------------------------------------------------------------- neighbours: those of a fold are found once for all

_COUNTS = (101, 65, 41, 25, 15, 9, 5, 3, 1)  # the smoothest first


def search_neighbours(job: Job) -> SearchResult:
    """The number of neighbours and their weights."""
    most = max(1, min(len(train) for train, _ in job.folds) // 2)
    counts = [k for k in _COUNTS if k <= most]
    weights = ["inverse_class_size"] if job.balanced else ["uniform", "distance"]
    candidates = [{"n_neighbors": k, "weights": w} for w in weights for k in counts]

    if not by_predictions(job.metric):
        return search_each(job, candidates, lambda **p: make_neighbours(job, p), f"{len(candidates)} candidates")

    def scores_of(train: np.ndarray, test: np.ndarray) -> list[float]:
        index = make_neighbours(job, {"n_neighbors": counts[0]}).fit(job.X[train], job.y[train])
        distances, places = index.kneighbors(job.X[test])
        scores = []
        for candidate in candidates:
            k = candidate["n_neighbors"]
            predictions = index.set_params(**candidate).predict_by(distances[:, :k], places[:, :k])
            scores.append(job.score(job.y[test], predictions))
        return scores

    return search_together(job, candidates, scores_of, f"{len(candidates)} candidates on {len(job.y)} rows")


def make_neighbours(job: Job, params: dict[str, Any]) -> Any:
    """The estimator of a candidate."""
    kind = KNeighborsClassifier if job.classes else KNeighborsRegressor
    return kind(n_jobs=job.n_jobs, **params)
