"""The proof of a method that has another theorem than a duality gap, in the form of a certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

from ..engine import interruptible
from ._certificate import Status
from ._elsewhere import found_elsewhere
from ._print import html_table, rounding_of, seconds_text, text_table
from ._unweighted import without_weights


class NotReproducibleError(Exception):
    """A model that cannot be fitted again as it claims to have been: its certificate is refuted."""


# What a guarantee is: a statement that follows from the figures, one about new rows that they make likely, or none.
PROOF, ESTIMATE, NOTHING = "proof", "estimate", "nothing"
_CLAIMS = {ESTIMATE: "an estimate, not a proof", NOTHING: "nothing"}


@dataclass(frozen=True, repr=False)
class Guarantee:
    """What is proven about a fitted model, by name: a mistake bound, the normal equations, a fixed point.

    Some methods have an estimate in the place of a proof, such as the error out of bag. Its figures can be recomputed
    and its model can be refuted, but an estimate never holds.

    Attributes
    ----------
    name : str
        The theorem or condition, such as ``"mistake bound"``.
    figures : dict of str to float
        The numbers that it is about, by name, recomputed in float64.
    statement : str
        One sentence that says what is proven, with the figures in it; or plainly that nothing is.
    holds : bool
        Whether the figures bear the statement's claim out; False for everything that is no proof.
    status : Status
        How the fit ended. A fit may end well and prove nothing, or end early and still prove something.
    iterations : int
        Steps of the method, whatever they are called there.
    seconds : float
        Time of fitting and certifying.
    label : str
        Which of several problems this is.
    problems : tuple of Guarantee
        The guarantees of all problems, where there are several; what stands in front is the worst of them.
    kind : {"proof", "estimate", "nothing"}
        Whether the statement follows from the figures, is an estimate, or claims nothing.

    """

    name: str
    figures: dict[str, float] = field(hash=False)
    statement: str
    holds: bool
    status: Status
    iterations: int = 0
    seconds: float = 0.0
    label: str = ""
    problems: tuple[Guarantee, ...] = ()
    kind: str = PROOF
    _recompute: Callable[..., Guarantee] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in (PROOF, ESTIMATE, NOTHING):
            raise ValueError(f"kind must be one of {PROOF!r}, {ESTIMATE!r}, {NOTHING!r}; got {self.kind!r}.")
        if self.holds and self.kind != PROOF:
            raise ValueError(f"only a proof can hold; this guarantee is of the kind {self.kind!r}.")

    @classmethod
    def of_model(cls, parts: Sequence[Guarantee], recompute: Callable[..., Guarantee] | None = None) -> Guarantee:
        """The guarantee of a model from those of its problems: it holds if all do; steps and seconds are sums."""
        worst = max(parts, key=_badness)
        if len(parts) == 1:
            return replace(worst, _recompute=recompute)
        return replace(
            worst,
            holds=all(part.holds for part in parts),
            iterations=sum(part.iterations for part in parts),
            seconds=sum(part.seconds for part in parts),
            problems=tuple(parts),
            _recompute=recompute,
        )

    @property
    def worst(self) -> Guarantee:
        """The problem that stands in front."""
        return max(self.problems, key=_badness, default=self)

    @interruptible
    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        """Recompute every figure in float64 from the model alone and return them as a new guarantee.

        Parameters
        ----------
        X, y : array-like
            The data that the model was trained on, in the same order; `y` only where the method has labels.
        sample_weight : array-like, optional
            The weights that it was trained with.

        """
        if self._recompute is None:
            raise ValueError("this guarantee has lost its model; take it from model.certificate_.")
        try:
            found = found_elsewhere(self._recompute, X, y, sample_weight) or self._recompute(X, y, sample_weight)
        except NotReproducibleError as error:
            found = replace(self, holds=False, status=Status.REFUTED, statement=f"Refuted: {error}")
        if found.status is Status.REFUTED:
            found = replace(
                found, statement=f"{found.statement} {without_weights(self._recompute, sample_weight)}".rstrip()
            )
        return replace(found, _recompute=self._recompute)

    def _lines(self) -> list[tuple[str, str]]:
        what = ("holds", "yes" if self.holds else "no") if self.kind == PROOF else ("claims", _CLAIMS[self.kind])
        lines = [("guarantee", self.name), ("status", str(self.status)), what]
        if len(self.problems) > 1:
            lines.insert(1, ("problems", f"{len(self.problems)}, of which the worst is shown ({self.label})"))
        return [
            *lines,
            *((name, _figure(name, value)) for name, value in self.figures.items()),
            ("iterations", f"{self.iterations}"),
            ("seconds", seconds_text(self.seconds)),
            ("in words", self.statement),
        ]

    def __str__(self) -> str:
        return text_table(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._lines())


def _figure(name: str, value: float) -> str:
    """Six digits, of a bound to its own side."""
    if isnan(value):
        return "not known"
    outwards = rounding_of(name)
    return f"{value:.6g}" if outwards is None else outwards(value, 6)


def _badness(part: Guarantee) -> tuple[bool, bool, bool]:
    """What stands in front of several: one that is refuted, then one that did not converge."""
    return part.status is Status.REFUTED, part.status is not Status.CONVERGED, not part.holds
