"""Coefficients or multipliers along C or alpha."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ...certificates import Guarantee
from ...linear import LinearPath
from ...linear_model import ElasticNet, RegressionPath, Ridge
from ...svm import KernelPath
from .._curve_axes import dress, write_title
from .._display import Display
from .._features import last_step
from .._look import INK, colour, line, mark, shortened, value_text
from .._matplotlib import Axes
from .._side_labels import write_beside

_STYLES = ("-", "--", "-.")  # of the first seven lines with a name, the next seven, ...
_COLOURS = 7
_MOST_LINES = 300  # multipliers drawn: more make one grey
_GREY = "#C4C4C4"


@dataclass(kw_only=True, eq=False, repr=False)
class PathDisplay(Display):
    """Coefficients of a linear machine against C or alpha, or multipliers of a kernel machine against C.

    Coefficients: a line for each feature. Those that are largest anywhere on the path have a colour and their name
    beside their end; the others are grey. With an L1 penalty, a ring marks where a coefficient enters: the largest C at
    which it is still zero comes just before. Paths of `Ridge`, `Lasso` and `ElasticNet` are drawn against alpha, which
    falls to the right: there, too, weights grow from left to right.

    Multipliers: a line for each sample, as the part of C that it uses: 0 is outside the margin, 1 inside it, and what
    lies between is on the margin boundary. Lines have the colour of their class.

    Displays are made by `from_path` or `from_estimator`.

    Parameters
    ----------
    Cs : ndarray of shape (n_values,)
        The values of C, ascending; or those of alpha, descending.
    values : ndarray of shape (n_values, n_lines)
        A column for each line.
    names : list of str or None
        Names of the features; None for multipliers.
    label : ndarray of shape (n_lines,) or None
        Of multipliers, the class of each sample: 0 or 1.
    classes : tuple of two str
        Of multipliers, the names of the classes.
    most : int, default=7
        Features with a colour and a name.
    parameter : {"C", "alpha"}, default="C"
        What the values along the path are values of.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        The lines, in the order of the columns.
    entries_ : matplotlib PathCollection or None
        Where coefficients enter.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin.linear_model import LinearClassifier
    >>> from maxmargin.plotting import PathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), LinearClassifier(loss="logistic", penalty="l1"))
    >>> display = PathDisplay.from_estimator(model, X, y, Cs=np.geomspace(1e-3, 1, 20))
    >>> len(display.lines_)
    30
    >>> display.figure_.savefig("path.png")  # doctest: +SKIP

    """

    Cs: np.ndarray
    values: np.ndarray
    names: list[str] | None
    label: np.ndarray | None = None
    classes: tuple[str, str] = ("", "")
    title: str = ""
    most: int = 7
    parameter: str = "C"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        Cs: Any = None,
        alphas: Any = None,
        sample_weight: Any = None,
        feature_names: Any = None,
        problem: int = 0,
        most: int = 7,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> PathDisplay:
        """Compute a path and draw it.

        Parameters
        ----------
        estimator : LinearClassifier, SVC, Ridge, Lasso, ElasticNet or Pipeline
            A machine with a method ``path``, or a pipeline that ends in one. It need not be fitted, and stays as it is.
        X, y : array-like
            What to train on.
        Cs : array-like of float, optional
            Values of C; by default 40 from 1e-3 to 1e3.
        alphas : array-like of float or int, optional
            Values of alpha for `Ridge`, `Lasso` and `ElasticNet`, or how many automatic ones; by default 40.
        sample_weight : array-like, optional
            Weights of the samples.
        feature_names, problem, most, legend, ax
            As in `from_path`.

        """
        if isinstance(estimator, Pipeline):
            fitted = Pipeline(estimator.steps[:-1] + [("last", "passthrough")]).fit(X, y)
            _, X, names = last_step(fitted, X)
            estimator = estimator[-1]
        else:
            names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        if not hasattr(estimator, "path"):
            raise TypeError(
                "PathDisplay draws the paths of machines that have one: LinearClassifier, Ridge, Lasso and ElasticNet "
                f"of maxmargin.linear_model and maxmargin.svm.SVC; got {type(estimator).__name__}."
            )
        given, name = (alphas, "Cs") if isinstance(estimator, ElasticNet | Ridge) else (Cs, "alphas")
        if (Cs if name == "Cs" else alphas) is not None:
            raise ValueError(f"{name} has no meaning for {type(estimator).__name__}, which has no such parameter.")
        values = (40 if name == "Cs" else np.geomspace(1e-3, 1e3, 40)) if given is None else given
        path = estimator.path(X, y, values, sample_weight)
        names = names if feature_names is None else feature_names
        if isinstance(path, KernelPath):
            names = feature_names
        return cls.from_path(path, feature_names=names, problem=problem, most=most, legend=legend, ax=ax)

    @classmethod
    def from_path(
        cls,
        path: Any,
        *,
        feature_names: Any = None,
        problem: int = 0,
        most: int = 7,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> PathDisplay:
        """Draw a path that is there.

        Parameters
        ----------
        path : LinearPath, KernelPath or RegressionPath
            What the method ``path`` of LinearClassifier, SVC (of two classes), Ridge, Lasso or ElasticNet has returned.
        feature_names : sequence of str, optional
            Names of the features, of coefficients only.
        problem : int, default=0
            With more than two classes, or several targets, whose coefficients to draw, counted from 0.
        most : int, default=7
            Features with a colour and a name.

        """
        if isinstance(most, bool) or not isinstance(most, Integral) or most < 0:
            raise ValueError(f"most must be a whole number, 0 or more; got {most!r}.")
        if isinstance(path, LinearPath):
            display = cls(**_coefficients(path, feature_names, problem), most=int(most))
        elif isinstance(path, RegressionPath):
            display = cls(**_along_alpha(path, feature_names, problem), most=int(most))
        elif isinstance(path, KernelPath):
            if feature_names is not None:
                raise ValueError("feature_names has no meaning for multipliers, of which each sample has one.")
            display = cls(**_multipliers(path), most=int(most))
        else:
            raise TypeError(
                "PathDisplay draws what the paths of LinearClassifier, SVC, Ridge, Lasso and ElasticNet return; "
                f"got {type(path).__name__}."
            )
        return display.plot(legend=legend, ax=ax)

    _size, _legend_columns = (8.5, 5.5), 3

    def _draw(self) -> None:
        self.entries_: Any = None
        if len(self.Cs) > 1:
            self.ax_.set_xscale("log")
            self.ax_.set_xlim(self.Cs[0], self.Cs[-1])
        self._entries = self._draw_coefficients() if self.names is not None else self._draw_multipliers()
        self.ax_.set_xlabel(self.parameter)
        dress(self.ax_)
        write_title(self.ax_, self.title)

    def _handles(self) -> list[Any]:
        return self._entries

    def _draw_coefficients(self) -> list[Any]:
        assert self.names is not None
        order = np.argsort(-np.abs(self.values).max(axis=0), kind="stable")
        named = [j for j in order[: self.most].tolist() if self.values[:, j].any()]
        self.lines_: list[Any] = [None] * self.values.shape[1]
        sign = "o" if len(self.Cs) == 1 else ""
        for j in order[::-1].tolist():
            k = named.index(j) if j in named else -1
            style = {"color": _GREY, "linewidth": 0.9, "zorder": 2} if k < 0 else _style(k)
            (self.lines_[j],) = self.ax_.plot(self.Cs, self.values[:, j], marker=sign, **style)
        self.ax_.axhline(0.0, color=INK, linewidth=0.8, zorder=1.5)
        self.ax_.set_ylabel("coefficient")
        write_beside(
            self.ax_,
            [shortened(self.names[j], 30) for j in named],
            self.values[-1, named],
            [_style(k)["color"] for k in range(len(named))],
        )
        return self._draw_entries(named)

    def _draw_entries(self, named: list[int]) -> list[Any]:
        """A ring where a coefficient that was exactly zero is zero no more."""
        zero = self.values == 0.0
        found = []
        for j in range(self.values.shape[1]):
            places = np.flatnonzero(~zero[1:, j] & zero[:-1, j])
            if len(places):
                found.append((self.Cs[places[0] + 1], self.values[places[0] + 1, j], j))
        others = [] if self.values.shape[1] <= len(named) else [line("other features", _GREY, width=0.9)]
        if not found:
            return others
        shades = [_style(named.index(j))["color"] if j in named else _GREY for *_, j in found]
        x, y, _ = zip(*found, strict=True)
        self.entries_ = self.ax_.scatter(x, y, s=26, facecolors="white", edgecolors=shades, linewidths=1.2, zorder=5)
        return [mark("enters", "o", "white", INK, 6, 1.2), *others]

    def _draw_multipliers(self) -> list[Any]:
        assert self.label is not None
        count = self.values.shape[1]
        width = float(np.clip(60 / max(1, count), 0.35, 1.3))
        self.lines_ = []
        for j in range(count):
            (one,) = self.ax_.plot(
                self.Cs, self.values[:, j], color=colour(int(self.label[j])), linewidth=width, alpha=0.75, zorder=2,
                marker="o" if len(self.Cs) == 1 else "", markersize=3,
            )  # fmt: skip
            self.lines_.append(one)
        self.ax_.set_ylim(-0.03, 1.03)
        self.ax_.set_ylabel("multiplier / C")
        return [line(f"samples of {shortened(name, 30)}", colour(k), width=1.6) for k, name in enumerate(self.classes)]


def _style(k: int) -> dict[str, Any]:
    """Colour and dashes of the line of the k-th named feature."""
    return {"color": colour(k), "linestyle": _STYLES[k // _COLOURS % len(_STYLES)], "linewidth": 1.7, "zorder": 3}


def _coefficients(path: LinearPath, feature_names: Any, problem: Any) -> dict[str, Any]:
    order = np.argsort(path.Cs, kind="stable")
    names = _names(path.coefs, feature_names, problem)
    problems = path.coefs.shape[1]
    values = path.coefs[order][:, int(problem)]
    used = (values != 0.0).sum(axis=1)
    label = path.certificates[0].problems[int(problem)].label
    of = f"{label}: " if problems > 1 else ""
    worst = max(proof.relative_gap for proof in path.certificates)
    title = f"{of}{_ends(path.Cs[order], used, 'features with a weight')}. Largest relative gap {worst:.1e}."
    return {"Cs": path.Cs[order], "values": values, "names": names, "title": title}


def _names(coefs: np.ndarray, feature_names: Any, problem: Any) -> list[str]:
    """Names of the features; refuses a problem that is not there and names that do not fit."""
    _, problems, d = coefs.shape
    if isinstance(problem, bool) or not isinstance(problem, Integral) or not 0 <= int(problem) < problems:
        raise ValueError(f"problem must be a number from 0 to {problems - 1}; got {problem!r}.")
    names = [f"feature {j}" for j in range(d)] if feature_names is None else [str(name) for name in feature_names]
    if isinstance(feature_names, str) or len(names) != d:
        raise ValueError(f"feature_names must have a name for each of the {d} features; got {feature_names!r}.")
    return names


def _along_alpha(path: RegressionPath, feature_names: Any, problem: Any) -> dict[str, Any]:
    order = np.argsort(-path.alphas, kind="stable")
    coefs = path.coefs if path.coefs.ndim == 3 else path.coefs[:, None]
    names = _names(coefs, feature_names, problem)
    values = coefs[order][:, int(problem)]
    ends = _ends(path.alphas[order], (values != 0.0).sum(axis=1), "features with a weight", "alpha")
    of = f"target {int(problem)}: " if coefs.shape[1] > 1 else ""
    gaps = [
        float(proof.figures.get("relative gap", np.inf) if isinstance(proof, Guarantee) else proof.relative_gap)
        for proof in path.certificates
    ]
    title = f"{of}{ends}. Largest relative gap {max(gaps):.1e}."
    return {"Cs": path.alphas[order], "values": values, "names": names, "title": title, "parameter": "alpha"}


def _multipliers(path: KernelPath) -> dict[str, Any]:
    order = np.argsort(path.Cs, kind="stable")
    models = [path.models[t] for t in order.tolist()]
    classes = models[0].classes_
    if len(classes) != 2:
        raise ValueError(
            f"PathDisplay draws the multipliers of two classes; this path has {len(classes)} "
            f"({', '.join(map(str, classes))}). Train on the samples of two of them."
        )
    n = int(models[0].shape_fit_[0])
    label, sizes = np.full(n, -1), np.zeros((len(models), n))
    for t, model in enumerate(models):
        sizes[t, model.support_] = np.abs(model._dual_coef()[0]) / (float(path.Cs[order[t]]) * _weights(model))
        label[model.support_] = np.repeat([0, 1], model.n_support_)
    used = np.flatnonzero(label >= 0)
    shown = used
    if len(used) > _MOST_LINES:  # evenly over the rows: the first of them may be all of one class
        shown = used[np.linspace(0, len(used) - 1, _MOST_LINES).round().astype(int)]
    counts = (sizes > 0).sum(axis=1)
    title = f"{_ends(path.Cs[order], counts, 'support vectors')}."
    if len(shown) < len(used):
        title += f" Lines of {len(shown)} of the {len(used)} samples that are one anywhere."
    names = tuple(c if isinstance(c, str) else f"class {c}" for c in classes.tolist())
    return {
        "Cs": path.Cs[order],
        "values": sizes[:, shown],
        "names": None,
        "label": label[shown],
        "classes": names,
        "title": title,
    }


def _weights(model: Any) -> np.ndarray:
    """Weights of the classes of the support vectors, that their bounds are multiplied with."""
    return np.repeat(model.class_weight_, model.n_support_)


def _ends(values: np.ndarray, counts: np.ndarray, what: str, name: str = "C") -> str:
    if len(values) == 1:
        return f"{name} = {value_text(values[0])}: {counts[0]} {what}"
    first, last = (f"{name} = {value_text(values[end])}" for end in (0, -1))
    return f"From {first} with {counts[0]} {what} to {last} with {counts[-1]}"
