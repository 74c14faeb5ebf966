"""The methods of the page: which estimator each is, what can be set, and what one step of it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import maxmargin

from ..messages import Argument, InputError
from ._controls import Choice, Control, Slider

CLASSES, CLUSTERS, CURVE = "classes", "clusters", "curve"


@dataclass(frozen=True)
class Steps:
    """How a method is seen step by step: fitted once more with `parameter` at the number of the step.

    `extra` are the parameters that make the library take these steps; `offset` is what is added to the number.
    `most` steps are taken if the method does not end before.
    """

    parameter: str
    unit: str
    extra: Callable[[Mapping[str, Any]], dict[str, Any]] = lambda values: {}
    most: int = 100_000
    offset: int = 0
    traced: bool = True


@dataclass(frozen=True)
class Method:
    """An estimator of the library with its controls."""

    name: str
    task: str
    title: str
    sentence: str
    module: str
    estimator: str
    controls: tuple[Control, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    steps: Steps | None = None
    smooth: bool = True
    most_points: int = 5000
    arguments: Callable[[dict[str, Any]], dict[str, Any]] = dict

    def values(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """All controls, checked; those that are not said have their defaults."""
        known = {control.name: control for control in self.controls}
        for name in said:
            if name not in known:
                raise InputError(f"{self.title} has no parameter {str(name)[:40]!r}; it has {', '.join(known)}.")
        return {name: control.checked(said.get(name, control.value)) for name, control in known.items()}

    def keywords(self, values: Mapping[str, Any], step: int | None = None) -> dict[str, Any]:
        """The keyword arguments of the estimator: those of controls that are shown, and those of a step."""
        seen = {c.name: values[c.name] for c in self.controls if all(values[k] in v for k, v in c.when.items())}
        stepper = seen.pop("stepper", None)
        found = {**self.fixed, **self.arguments(seen)}
        if step is not None:
            if self.steps is None:
                raise InputError(f"{self.title} is not made in steps.")
            found |= self.steps.extra({**values, "stepper": stepper})
            found[self.steps.parameter] = step + self.steps.offset
        return found

    def make(self, keywords: Mapping[str, Any]) -> Any:
        """The estimator."""
        return getattr(getattr(maxmargin, self.module), self.estimator)(**keywords)


def find_method(name: Any) -> Method:
    """The method of a name from anywhere."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(Argument("method", str(name)[:40]), f" is unknown: one of {', '.join(METHODS)} is possible.")
    return METHODS[name]


def _strength(
    low: float = 1e-3, high: float = 1e5, value: float = 1.0, endless: bool = False, label: str = "C (cost of slack)"
) -> Slider:
    return Slider("C", label, low, high, value, "log", endless=endless, help="The larger, the fewer mistakes.")


_KERNELS = {"linear": "linear", "poly": "polynomial", "rbf": "RBF (Gaussian)", "sigmoid": "sigmoid"}


def _kernel(value: str = "rbf", gamma: float = 1.0) -> tuple[Control, ...]:
    return (
        Choice("kernel", "Kernel", _KERNELS, value),
        Slider(
            "gamma",
            "γ (how local)",
            1e-3,
            1e3,
            gamma,
            "log",
            help="The larger, the nearer points have to be to count as similar.",
            when={"kernel": ["rbf", "poly", "sigmoid"]},
        ),
        Slider("degree", "Degree", 1, 8, 3, whole=True, when={"kernel": ["poly"]}),
        Slider("coef0", "Constant term", -3, 3, 1, when={"kernel": ["poly", "sigmoid"]}),
    )


def _box_steps(values: Mapping[str, Any]) -> dict[str, Any]:
    if values["C"] == float("inf"):
        raise InputError("The hard margin is not solved in steps; choose a finite ", Argument("C"), " to see them.")
    return {"solver": values["stepper"] or "smo"}


def _logistic_steps(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"solver": "gradient_descent" if values.get("classes", 2) == 2 else "newton_cg"}


_STEPPER = Choice(
    "stepper",
    "Steps of",
    {"smo": "SMO, pair by pair", "projected_gradient": "projected gradient"},
    "smo",
    help="The solver whose steps are shown below. The answer is the same.",
)
_SEED = Slider("random_state", "Seed", 0, 99, 0, whole=True, help="The same seed gives the same model.")
_HINGES = {"hinge": "hinge", "squared_hinge": "squared hinge"}
_LOSSES = {**_HINGES, "logistic": "logistic"}
_DIRECTIONS = {
    "gradient_descent": "gradient of all points",
    "plain": "SGD",
    "momentum": "SGD with momentum",
    "nesterov": "SGD, Nesterov",
    "rmsprop": "RMSprop",
    "adam": "Adam",
}


def _gradient_arguments(seen: dict[str, Any]) -> dict[str, Any]:
    way, batch, eta0 = seen.pop("direction"), seen.pop("batch_size", None), seen.pop("eta0", None)
    if way == "gradient_descent":
        seen.pop("random_state", None)
        return {**seen, "solver": way, "max_iter": 100}
    options = {"direction": way, "batch_size": batch, "schedule": "inverse_sqrt", "eta0": eta0}
    return {**seen, "solver": "sgd", "max_iter": 60, "solver_options": options}


def _depth(seen: dict[str, Any]) -> dict[str, Any]:
    return {**seen, "max_depth": seen["max_depth"] or None} if "max_depth" in seen else seen


_DEPTH = Slider("max_depth", "Maximum depth", 1, 20, 5, whole=True)
_LEAF = Slider("min_samples_leaf", "Minimum points in a leaf", 1, 50, 1, whole=True)
_LEAVES = Steps("max_leaf_nodes", "split", offset=1, traced=False)
_ON_DRAWS = ["plain", "momentum", "nesterov", "rmsprop", "adam"]

_ALL = (
    Method(
        "svc", CLASSES, "Support vector machine", "The widest margin between the classes, curved by a kernel.",
        "svm", "SVC", (_strength(endless=True), *_kernel(), _STEPPER), steps=Steps("max_iter", "step", _box_steps),
    ),
    Method(
        "linear_svc", CLASSES, "Linear SVM", "A straight boundary by the hinge loss or its square.",
        "svm", "LinearSVC",
        (_strength(endless=True), Choice("loss", "Loss", _HINGES, "hinge")),
    ),
    Method(
        "gradient", CLASSES, "Gradient steps",
        "A straight boundary, reached by steps along the gradient of some or all points.",
        "linear_model", "LinearClassifier",
        (
            _strength(high=1e3, label="C (cost of errors)"),
            Choice("loss", "Loss", _LOSSES, "logistic"),
            Choice("direction", "Steps of", _DIRECTIONS, "plain"),
            Slider("batch_size", "Points per step", 1, 64, 1, whole=True, when={"direction": _ON_DRAWS}),
            Slider("eta0", "First step size", 1e-4, 1, 0.01, "log", when={"direction": _ON_DRAWS}),
            _SEED,
        ),
        steps=Steps("max_iter", "epoch", most=200), arguments=_gradient_arguments,
    ),
    Method(
        "logistic", CLASSES, "Logistic regression", "A straight boundary with probabilities.",
        "linear_model", "LogisticRegression", (_strength(high=1e4, label="C (cost of errors)"),),
        steps=Steps("max_iter", "step", _logistic_steps),
    ),
    Method(
        "perceptron", CLASSES, "Perceptron", "Each mistake moves the boundary, until there is none.",
        "linear_model", "Perceptron",
        (
            Choice(
                "variant", "Variant", {"plain": "plain", "normalised": "normalised", "averaged": "averaged"}, "plain"
            ),
            Slider("max_iter", "Maximum epochs", 1, 1000, 100, "log", whole=True),
            _SEED,
        ),
        steps=Steps("max_iter", "epoch"),
    ),
    Method(
        "knn", CLASSES, "Nearest neighbours", "A vote of the nearest points.",
        "neighbors", "KNeighborsClassifier",
        (
            Slider("n_neighbors", "Neighbours k", 1, 50, 5, whole=True),
            Choice("weights", "Votes", {"uniform": "equal", "distance": "closer counts more"}, "uniform"),
        ),
        smooth=False,
    ),
    Method(
        "condensed", CLASSES, "Condensed neighbours", "The few points that the nearest neighbour needs to keep.",
        "neighbors", "CondensedNearestNeighbors", (_SEED,), smooth=False,
    ),
    Method(
        "tree", CLASSES, "Decision tree", "Questions about one coordinate at a time.",
        "tree", "DecisionTreeClassifier",
        (_DEPTH, _LEAF, Choice("criterion", "Impurity", {"gini": "Gini", "entropy": "entropy"}, "gini")),
        fixed={"random_state": 0}, steps=_LEAVES, smooth=False, arguments=_depth,
    ),
    Method(
        "forest", CLASSES, "Random forest", "A vote of trees, each grown from points drawn at random.",
        "ensemble", "RandomForestClassifier",
        (Slider("n_estimators", "Trees", 1, 200, 50, "log", whole=True), _DEPTH, _SEED),
        steps=Steps("n_estimators", "tree", most=60, traced=False), smooth=False, arguments=_depth,
    ),
    Method(
        "adaboost", CLASSES, "AdaBoost", "Weak learners, each trained where those before it were wrong.",
        "ensemble", "AdaBoostClassifier",
        (
            Choice("estimator", "Weak learner", {"stump": "stump", "box": "box", "linear": "line"}, "stump"),
            Slider("n_estimators", "Maximum rounds", 1, 200, 30, "log", whole=True),
        ),
        fixed={"random_state": 0}, steps=Steps("n_estimators", "round"), smooth=False,
    ),
    Method(
        "kmeans", CLUSTERS, "k-means", "Centres, each the mean of the points nearest to it.",
        "cluster", "KMeans",
        (
            Slider("n_clusters", "Clusters", 1, 6, 3, whole=True),
            Choice("init", "Start", {"k-means++": "k-means++", "random": "random points"}, "k-means++"),
            _SEED,
        ),
        fixed={"n_init": 1, "tol": 0.0}, steps=Steps("max_iter", "step"),
    ),
    Method(
        "ncut", CLUSTERS, "Normalised cuts", "The graph of similarities is cut where little holds it together.",
        "cluster", "SpectralClustering",
        (
            Slider("n_clusters", "Clusters", 1, 6, 2, whole=True),
            Slider("gamma", "γ (how local)", 1e-2, 1e3, 5.0, "log"),
        ),
        fixed={"random_state": 0}, smooth=False, most_points=600,
    ),
    Method(
        "ridge", CURVE, "Ridge regression", "A straight line whose slope has a cost.",
        "linear_model", "Ridge", (Slider("alpha", "α (cost of slope)", 1e-6, 1e4, 1.0, "log"),),
    ),
    Method(
        "polynomial", CURVE, "Polynomial", "A polynomial by least squares.",
        "linear_model", "PolynomialRegression",
        (
            Slider("degree", "Degree", 1, 15, 3, whole=True),
            Slider("alpha", "α (cost of coefficients)", 1e-9, 1e3, 1e-6, "log"),
        ),
    ),
    Method(
        "svr", CURVE, "Support vector regression", "A tube: points within it cost nothing.",
        "svm", "SVR",
        (
            _strength(value=10.0),
            Slider("epsilon", "ε (half the tube's width)", 0, 2, 0.2),
            *_kernel(),
            _STEPPER,
        ),
        steps=Steps("max_iter", "step", _box_steps),
    ),
    Method(
        "knn_curve", CURVE, "Nearest neighbours", "The mean of the nearest points.",
        "neighbors", "KNeighborsRegressor",
        (
            Slider("n_neighbors", "Neighbours k", 1, 50, 5, whole=True),
            Choice("weights", "Weights", {"uniform": "equal", "distance": "closer counts more"}, "uniform"),
        ),
        smooth=False,
    ),
    Method(
        "tree_curve", CURVE, "Regression tree", "Steps of constant height.",
        "tree", "DecisionTreeRegressor", (_DEPTH, _LEAF), fixed={"random_state": 0}, steps=_LEAVES, smooth=False,
        arguments=_depth,
    ),
)  # fmt: skip
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
