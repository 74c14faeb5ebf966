"""What ensembles consist of: learners and their votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from ..ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    BoostingGuarantee,
    CascadeClassifier,
    CascadeGuarantee,
    DecisionBox,
    DecisionPlane,
    DecisionStump,
    RandomForestClassifier,
    RandomForestRegressor,
    Stage,
)
from ..kernel_model import KernelRidge
from ..linear_model import ElasticNet, LinearRegression, PolynomialRegression, Ridge, RidgeCV
from ..neighbors import KNeighborsRegressor
from ._arrays import Array, bools, floats, places
from ._common import CLASSES, FEATURES, TREE_FEATURES
from ._frames import IN_ARRAYS, wants_names
from ._gradient_boosting import SCHEMAS as GRADIENT_BOOSTING
from ._kinds import Bool, Float, Int, Items, Kind, Maybe, Record, Text, choice
from ._plain import Plain
from ._proofs import guarantee
from ._schema import Derived, Entries, Estimator, Let, Schema
from ._scope import Scope
from ._sizes import Check
from ._trees import FOREST_CLASSIFIER, FOREST_REGRESSOR, NOT_MONOTONE, ROW_BAGS
from ._widths import taken_by

# ---------------------------------------------------------------- weak learners

_WEAK: Entries = (
    *TREE_FEATURES,
    *CLASSES,
    ("value_", floats(2, "k", low=0, high=1 + 1e-9)),
    ("_leaves", Array(("int64",), (2,), low=0, high=lambda s: s["k"] - 1)),
)
_STUMP: Entries = (*_WEAK, ("feature_", Int(-1, lambda s: s["d"] - 1)), ("threshold_", Float(finite=False)))
_BOX: Entries = (
    *_WEAK,
    ("lower_", floats("d", finite=False)),
    ("upper_", floats("d", finite=False)),
    ("_gains", floats("d")),
)
_PLANE: Entries = (
    *_WEAK,
    ("coef_", floats("d")),
    ("intercept_", Float(finite=False)),
    ("_direction", floats("d")),
    ("_cut", Float(finite=False)),
    ("_centre", floats("d")),
    ("_scale", floats("d")),
)

# ---------------------------------------------------------------- learners of any kind


def _takes(value: Any, scope: Scope) -> str | None:
    found = taken_by(value)
    if wants_names(value):
        return IN_ARRAYS
    return None if found in (None, scope["d"]) else f"takes {found} columns; the ensemble takes {scope['d']}."


def _predicts(value: Any, kind: str) -> str | None:
    """A classifier or a regressor."""
    right = hasattr(value, "predict") and get_tags(value).estimator_type == kind
    return None if right else f"is no {kind}."


def _targets(value: Any) -> int | None:
    """The columns that a regressor predicts; None if it predicts a vector."""
    while hasattr(value, "steps"):
        value = next((step for _, step in reversed(value.steps) if not isinstance(step, str | None)), None)
    if isinstance(value, ElasticNet | LinearRegression | PolynomialRegression | Ridge | RidgeCV):
        return None if value.coef_.ndim == 1 else len(value.coef_)
    if isinstance(value, BaggingRegressor):
        return _targets(value.estimators_[0])
    if isinstance(value, KernelRidge):
        return None if value.dual_coef_.ndim == 1 else int(value.dual_coef_.shape[1])
    rows = value._y if isinstance(value, KNeighborsRegressor) else None
    return None if rows is None or rows.ndim == 1 else int(rows.shape[1])


def _alike(scope: Scope) -> bool:
    """Learners that can all answer the same questions, and are copies of the one that was given."""
    learners, copied = scope.values["estimators_"], scope.params["estimator"]
    questions = ("predict_proba", "decision_function", "predict_log_proba", "staged_predict")
    if len({(_targets(one), *(hasattr(one, q) for q in questions)) for one in learners}) != 1:
        return False
    if isinstance(copied, str | None):
        return True
    ready = hasattr(copied, "decision_function")  # of pipelines, that of their last steps
    return all(type(one) is type(copied) and hasattr(one, "decision_function") == ready for one in learners)


def _regresses(value: Any, scope: Scope) -> str | None:
    several = "predicts more than one target." if _targets(value) is not None else None
    return _predicts(value, "regressor") or several or _takes(value, scope)


def _regresses_columns(value: Any, scope: Scope) -> str | None:
    return _predicts(value, "regressor") or (IN_ARRAYS if wants_names(value) else None)


def _knows(value: Any, scope: Scope) -> str | None:
    """A learner for all columns that says labels of the ensemble."""
    problem = _predicts(value, "classifier")
    if problem:
        return problem
    labels = getattr(value, "classes_", None)
    if not isinstance(labels, np.ndarray) or not _among(labels, scope.values["classes_"]):
        return "has classes that the ensemble has not."
    built_in = isinstance(value, (DecisionStump, DecisionBox, DecisionPlane))
    if built_in and not np.array_equal(labels, scope.values["classes_"]):
        return "has other classes than the ensemble."
    return _takes(value, scope)


def _among(labels: np.ndarray, known: np.ndarray) -> bool:
    """Whether all labels are among known ones, which rise: many learners may know few of very many classes each."""
    try:
        places = np.minimum(np.searchsorted(known, labels), len(known) - 1)
    except TypeError:  # texts and numbers cannot be compared
        return False
    return bool(np.all(known[places] == labels))


def _numbers_classes(value: Any, scope: Scope) -> str | None:
    """A learner of bags, which knows classes by their numbers and may have seen few of them."""
    problem = _predicts(value, "classifier")
    if problem:
        return problem
    labels: Any = getattr(value, "classes_", None)
    right = isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu"
    if not right or not len(labels) or labels.min() < 0 or labels.max() >= scope["k"]:
        return "has other classes than numbers of those of the ensemble."
    return IN_ARRAYS if wants_names(value) else None


# ---------------------------------------------------------------- boosting

_ROUNDS = {
    **dict.fromkeys(("errors", "edges", "training_errors", "bounds"), floats("rounds", finite=False, nan=True)),
    "chance_bounds": floats("chances", finite=False, nan=True),
    "margins": floats("margins", finite=False, nan=True),
}


def _boosted(learner: Kind, *own: Any) -> Entries:
    return (
        *FEATURES,
        *own,
        ("estimators_", Items(learner, "learners")),
        Check(lambda s: s["learners"] >= 1, "has no learners."),
        Check(_alike, "has learners of different kinds."),
        ("estimator_weights_", floats("votes")),
        ("estimator_errors_", floats("votes", low=0)),
        Check(lambda s: s["votes"] >= s["learners"], "has fewer votes than learners."),
        Check(
            lambda s: float(s.values["estimator_weights_"][: s["learners"]].sum()) != 0,
            "has learners whose votes add up to nothing.",
        ),
        ("_ending", Text()),
        ("_rows_seen", Int(1)),
        ("_seed", Int(0, 2**32 - 1)),
        ("_learning_rate", Float(0.0)),
        ("certificate_", guarantee(BoostingGuarantee, _ROUNDS)),
    )


def _chosen(value: AdaBoostClassifier) -> Any:
    value._choose_learner()
    return value.estimator_


def _base(value: AdaBoostRegressor) -> Any:
    return value._template()


_ADA_CLASSIFIER: Entries = (
    *_boosted(Estimator(check=_knows), *CLASSES),
    ("_stop_at_zero_error", Maybe(Bool())),
    ("_validation_fraction", Maybe(Float(0.0, 1.0))),
    ("_n_iter_no_change", Maybe(Int(1))),
    ("validation_scores_", Maybe(floats("scores", low=0, high=1 + 1e-9))),
    ("estimator_", Derived(_chosen)),
    Check(lambda s: _right_type(s), "has other learners than it was told to boost."),
)


def _right_type(scope: Scope) -> bool:
    """Built-in learners are asked in a way that only they understand: all of them must be such."""
    given = scope.params["estimator"]
    built_in = {None: DecisionStump, "stump": DecisionStump, "box": DecisionBox, "linear": DecisionPlane}
    if given is None or isinstance(given, str):
        wanted: type = built_in[given]
    elif type(given) in built_in.values():
        wanted = type(given)
    else:
        return True
    return all(type(learner) is wanted for learner in scope.values["estimators_"])


_ADA_REGRESSOR: Entries = (
    *_boosted(Estimator(check=_regresses)),
    ("_loss", choice("linear", "square", "exponential")),
    ("_validation_fraction", Maybe(Float(0.0, 1.0))),
    ("_n_iter_no_change", Maybe(Int(1))),
    ("validation_scores_", Maybe(floats("scores", high=1 + 1e-9))),
    ("estimator_", Derived(_base)),
)

# ---------------------------------------------------------------- bagging


def _bagged(learner: Kind, *own: Any) -> Entries:
    return (
        *FEATURES,
        *own,
        ("_bags", ROW_BAGS),
        Let("n", lambda s: s.values["_bags"].n),
        ("estimators_", Items(learner, "learners")),
        Check(lambda s: s["learners"] >= 1, "has no learners."),
        Check(_alike, "has learners of different kinds."),
        ("estimators_features_", Items(places(None, "d"), "learners")),
        Check(_right_columns, "gives a learner other columns than it takes."),
        ("_seeds", Items(Int(0, 2**32 - 1), "learners")),
        ("bag_fractions_", floats("learners", low=0, high=1)),
        ("expected_bag_fraction_", Float(0.0, 1.0)),
        ("oob_error_curve_", floats("learners", nan=True)),
        ("oob_score_", Maybe(Float(nan=True))),
        ("certificate_", guarantee()),
        ("estimator_", Derived(lambda value: value._learner())),
    )


def _right_columns(scope: Scope) -> bool:
    pairs = zip(scope.values["estimators_"], scope.values["estimators_features_"], strict=True)
    return all(len(columns) and taken_by(learner) in (None, len(columns)) for learner, columns in pairs)


_BAGGING_CLASSIFIER: Entries = (
    *_bagged(Estimator(check=_numbers_classes), *CLASSES),
    ("oob_decision_function_", Maybe(floats("n", "k", nan=True))),
    ("n_classes_", Derived(lambda value: len(value.classes_))),
)
_BAGGING_REGRESSOR: Entries = (
    *_bagged(Estimator(check=_regresses_columns)),
    ("oob_prediction_", Maybe(floats("n", nan=True))),
)

# ---------------------------------------------------------------- cascades

_STAGE = Record(
    Stage,
    {
        "model": Estimator(frozenset({"maxmargin.ensemble.AdaBoostClassifier"})),
        "factor": Float(),
        "threshold": Float(finite=False),
        "detection": Float(0.0, 1.0 + 1e-9),
        "false_positive_rate": Float(0.0, 1.0 + 1e-9),
    },
    checks=[Check(lambda s: len(s.values["model"].classes_) == 2, "must know two classes.")],
)
_RATES = {
    **dict.fromkeys(("detections", "false_positive_rates"), floats("stages", nan=True)),
    "learners": Array(("int64",), ("stages",), low=0),
}
_CASCADE: Entries = (
    *FEATURES,
    *CLASSES,
    Check(lambda s: s["k"] == 2, "a cascade has two classes."),
    ("positive_", Plain()),
    Check(
        lambda s: bool(np.isin(s.values["positive_"], s.values["classes_"]).all()), "its positive class is no class."
    ),
    ("_rows_seen", Int(1, binds="n")),
    ("_tuned", bools("n")),
    ("_stages", Items(_STAGE, "stages")),
    Check(lambda s: s["stages"] >= 1, "has no stages."),
    Check(
        lambda s: all(p.model.n_features_in_ == s["d"] for p in s.values["_stages"]), "has a stage of other columns."
    ),
    ("_ending", Text()),
    ("_seed", Int(0, 2**32 - 1)),
    ("_asked", Items(Float(0.0, 1.0), 2, tuple)),
    ("_carry", Bool()),
    ("mean_stages_", Float(0.0)),
    ("cost_", Float(0.0)),
    ("certificate_", guarantee(CascadeGuarantee, _RATES)),
    ("thresholds_", Derived(lambda value: np.array([stage.threshold for stage in value._stages]))),
    ("stages_", Derived(lambda value: [stage.model for stage in value._stages])),
)

SCHEMAS = [
    Schema("maxmargin.ensemble.DecisionStump", DecisionStump, _STUMP),
    Schema("maxmargin.ensemble.DecisionBox", DecisionBox, _BOX),
    Schema("maxmargin.ensemble.DecisionPlane", DecisionPlane, _PLANE),
    Schema(
        "maxmargin.ensemble.RandomForestClassifier", RandomForestClassifier, FOREST_CLASSIFIER, checks=[NOT_MONOTONE]
    ),
    Schema("maxmargin.ensemble.RandomForestRegressor", RandomForestRegressor, FOREST_REGRESSOR, checks=[NOT_MONOTONE]),
    Schema(
        "maxmargin.ensemble.AdaBoostClassifier", AdaBoostClassifier, _ADA_CLASSIFIER, forgets=frozenset({"_built_in"})
    ),
    Schema("maxmargin.ensemble.AdaBoostRegressor", AdaBoostRegressor, _ADA_REGRESSOR),
    Schema("maxmargin.ensemble.BaggingClassifier", BaggingClassifier, _BAGGING_CLASSIFIER),
    Schema("maxmargin.ensemble.BaggingRegressor", BaggingRegressor, _BAGGING_REGRESSOR),
    Schema("maxmargin.ensemble.CascadeClassifier", CascadeClassifier, _CASCADE),
    *GRADIENT_BOOSTING,
]
