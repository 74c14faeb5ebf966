"""Importances of the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...ensemble import member_importances
from .._curve_axes import HELD_OUT, dress, write_title
from .._display import Display
from .._features import check_count, feature_names_for
from .._look import INK, line, shortened
from .._matplotlib import Axes, new_panels

_SHADE, _REST = "#6B9BCB", "#C9C9C9"
_BAR = 0.26  # inches of a bar with its space


@dataclass(kw_only=True, eq=False, repr=False)
class ImportanceDisplay(Display):
    """Importances of the features, the largest first.

    The importance of a feature for a tree is its share in the sum of the gains of all splits; for an ensemble, the mean
    over its members, for boosting weighted with their votes. Where the members were drawn alike (forests, bagging), a
    line shows how far they agree: from the first to the third quartile, with a mark at the median.

    An importance says what the model has used, on its training rows. Features that say the same share it.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    importances : ndarray of shape (n_features,)
        All importances.
    names : list of str
        Names of the features.
    members : ndarray of shape (n_members, n_features) or None, default=None
        Importances for each member of an ensemble.
    most : int, default=15
        Features with a bar of their own; the others have one together.

    Attributes
    ----------
    bars_ : matplotlib BarContainer
        The bars, the largest first; the last is that of all others if there are more than `most`.
    spread_ : matplotlib LineCollection or None
        From the first to the third quartile of the members.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.plotting import ImportanceDisplay
    >>> from maxmargin.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=3).fit(iris.data, iris.target)
    >>> display = ImportanceDisplay.from_estimator(model, feature_names=iris.feature_names)
    >>> display.ax_.get_yticklabels()[0].get_text().startswith("petal ")
    True
    >>> display.figure_.savefig("importance.png")  # doctest: +SKIP

    """

    importances: np.ndarray
    names: list[str]
    members: np.ndarray | None = None
    most: int = 15

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Any = None,
        most: int = 15,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> ImportanceDisplay:
        """Draw the importances for a fitted model.

        Parameters
        ----------
        estimator : tree, forest, bagging or boosting
            A fitted model with ``feature_importances_``, or an ensemble of such models.
        most : int, default=15
            Features with a bar of their own; the others have one together.

        """
        if not hasattr(estimator, "fit"):
            raise TypeError(f"ImportanceDisplay draws fitted models; got {estimator!r}.")
        check_is_fitted(estimator)
        check_count("most", most, 1)
        members = _members(estimator)
        importances = getattr(estimator, "feature_importances_", None)
        if importances is None and members is not None:
            importances = members.mean(axis=0)
        if importances is None:
            raise TypeError(
                "ImportanceDisplay needs feature_importances_, of the model or of its members; "
                f"{type(estimator).__name__} has none. sklearn.inspection.permutation_importance needs none."
            )
        importances = np.asarray(importances, dtype=np.float64)
        names = feature_names_for(estimator, feature_names, len(importances))
        return cls(importances=importances, names=names, members=members, most=int(most)).plot(legend=legend, ax=ax)

    _legend_columns = 3

    def _new_panels(self) -> tuple[Any, ...]:
        return new_panels(7.0, 1.5 + _BAR * min(len(self.names), self.most + 1))

    def _draw(self) -> None:
        order = np.argsort(-self.importances, kind="stable")
        shown, rest = order[: self.most], order[self.most :]
        count = len(shown) + (len(rest) > 0)
        sizes, names = self.importances[shown].tolist(), [shortened(self.names[j], 34) for j in shown]
        if len(rest):
            sizes.append(float(self.importances[rest].sum()))
            names.append(f"{len(rest)} others together")
        shades = [_SHADE] * len(shown) + [_REST] * (count - len(shown))
        places = np.arange(count)
        self.bars_ = self.ax_.barh(places, sizes, height=0.62, color=shades, zorder=2)
        self._draw_spread(shown)
        self.ax_.set_yticks(places, labels=names)
        self.ax_.set_ylim(count - 0.4, -0.6)  # the largest on top
        self.ax_.set_xlim(left=0.0)
        self.ax_.set_xlabel("importance: share of the gains")
        self.ax_.tick_params(axis="y", length=0)
        dress(self.ax_, grid="x")
        unused = int((self.importances == 0).sum())
        used = f"{len(self.names) - unused} of {len(self.names)} features used"
        write_title(self.ax_, used if self.members is None else f"{used}, by {len(self.members)} members")

    def _draw_spread(self, shown: np.ndarray) -> None:
        from matplotlib.collections import LineCollection

        self.spread_: Any = None
        if self.members is None or len(self.members) < 2:
            return
        low, middle, high = np.percentile(self.members[:, shown], [25, 50, 75], axis=0)
        ends = [((a, k), (b, k)) for k, (a, b) in enumerate(zip(low, high, strict=True))]
        self.spread_ = LineCollection(ends, colors=INK, linewidths=1.8, zorder=4)
        self.ax_.add_collection(self.spread_)
        style: dict[str, Any] = {"marker": "|", "markersize": 8, "markeredgewidth": 2.0, "linestyle": ""}
        self.ax_.plot(middle, np.arange(len(shown)), color=HELD_OUT, zorder=5, **style)
        self.ax_.autoscale_view()

    def _handles(self) -> list[Any]:
        from matplotlib.patches import Patch

        if self.spread_ is None:
            return []
        tick: dict[str, Any] = {"marker": "|", "markersize": 8, "markeredgewidth": 2.0, "markeredgecolor": HELD_OUT}
        return [
            Patch(facecolor=_SHADE, label="mean over the members"),
            line("half of the members, median", INK, width=1.8, **tick),
        ]


def _members(model: Any) -> np.ndarray | None:
    """Importances for each member, if they were drawn alike; those of boosting were not."""
    members = getattr(model, "estimators_", None)
    if members is None or hasattr(model, "estimator_weights_") or len(members) < 2:
        return None
    return member_importances(model)
