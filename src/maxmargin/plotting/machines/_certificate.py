"""How the proof of a fit came about: both objectives, and the gap between them, against time."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from ...certificates import ModelCertificate, rounded_down, rounded_up
from ...messages import counted
from .._curve_axes import HELD_OUT, TRAINING, dress, write_title
from .._display import Display
from .._features import check_count
from .._look import FAINT, INK, line
from .._matplotlib import Axes, given_panels, new_panels
from ._recorder import Recorder

_LEAST = 1e-17  # gaps below are rounding errors: they are drawn here
_AROUND = 1.3  # how far from the optimum objectives are drawn, in units of its size
_LOG_FROM = 50.0
_LONG = 1.0  # seconds from which on the time of a fit is not mostly that of its beginning and end


@dataclass(kw_only=True, eq=False, repr=False)
class CertificateDisplay(Display):
    """Both objectives of a fit and the gap between them against time.

    `from_fit` draws what is *proven* at each moment. The fit is repeated and stopped after more and more iterations;
    each point is the certificate of such a fit: the objectives, recomputed in float64 from its variables. The optimum
    lies between the two curves at every moment, in the band. With more than two classes, the objectives of all binary
    problems are added up, and gap and violation are those of the worst.

    `from_recorder` draws what the solver *reported* while it worked, without repeating anything: the gap and the
    violation as it saw them, which is a claim and no proof. There are no objectives in it.

    Parameters
    ----------
    iterations, seconds : ndarray of shape (n_moments,)
        How far the fit was, and after what time.
    gap : ndarray of shape (n_moments,)
        Duality gap.
    violation : ndarray of shape (n_moments,) or None
        Violation of the optimality conditions, which is what ends the fit of a kernel machine; None for linear ones,
        whose fits end by the gap.
    primal, dual : ndarray of shape (n_moments,) or None
        Both objectives; None where they are not known.
    tol : float or None, default=None
        The tolerance that the fit was asked for, to be drawn as a line.
    tol_name : str, default=""
        What the tolerance is about.
    gap_name : str, default="relative duality gap"
        What the gap is.

    Attributes
    ----------
    axes_ : tuple of matplotlib Axes
        Axes with the objectives (if they are known) and with the gap.
    primal_, dual_ : matplotlib Line2D or None
        The objectives.
    gap_, violation_ : matplotlib Line2D
        The gap and the violation (None if that is not known).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.plotting import CertificateDisplay
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(300, noise=0.3, random_state=0)
    >>> display = CertificateDisplay.from_fit(SVC(C=10), X, y, moments=8)
    >>> bool((display.dual <= display.primal * (1 + 1e-12)).all())
    True
    >>> display.figure_.savefig("certificate.png")  # doctest: +SKIP

    """

    _arguments = {
        "ax": "ax : sequence of matplotlib Axes, optional\n"
        "    Axes for objectives and gap, or for the gap alone; by default in a new figure."
    }

    iterations: np.ndarray
    seconds: np.ndarray
    gap: np.ndarray
    violation: np.ndarray | None = None
    primal: np.ndarray | None = None
    dual: np.ndarray | None = None
    title: str = ""
    tol: float | None = None
    tol_name: str = ""
    gap_name: str = "relative duality gap"

    @classmethod
    def from_fit(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        moments: int = 16,
        against: str | None = None,
        legend: bool = True,
        ax: Any = None,
    ) -> CertificateDisplay:
        """Repeat a fit, stopped after more and more iterations, and draw the certificates.

        Parameters
        ----------
        estimator : estimator or Pipeline
            A machine whose certificate has a duality gap and that has a `max_iter`, such as `maxmargin.svm.SVC` or
            `maxmargin.linear_model.LogisticRegression`; or a pipeline that ends in one. It is cloned and stays as it
            is.
        X, y : array-like
            What to train on.
        sample_weight : array-like, optional
            Weights of the samples.
        moments : int, default=16
            The largest number of fits. Together they take up to so many times as long as one.
        against : {"seconds", "iterations"}, optional
            What is along the axis; by default seconds if the whole fit takes one second or more, as below it the
            constant costs of a fit hide its course. Seconds are those of each fit, or of a later one that took less.

        """
        check_count("moments", moments, 2)
        _check_against(against)
        if isinstance(estimator, Pipeline):
            if len(estimator) > 1:
                X = clone(estimator[:-1]).fit_transform(X, y)
            estimator = estimator[-1]
        _check_machine(estimator)
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        whole = clone(estimator).fit(X, y, **weight)
        _check_proof(whole)
        found, certificate = _stopped(estimator, whole, X, y, weight, int(moments))
        return cls(
            **found,
            title=_words(certificate),
            tol=float(estimator.tol),
            tol_name="violation" if hasattr(estimator, "gap_tol") else "gap",
        ).plot(against=against, legend=legend, ax=ax)

    @classmethod
    def from_recorder(
        cls,
        recorder: Recorder,
        *,
        problem: str | None = None,
        against: str = "seconds",
        legend: bool = True,
        ax: Any = None,
    ) -> CertificateDisplay:
        """Draw what a solver reported.

        Parameters
        ----------
        recorder : Recorder
            That was the ``callback`` of a fit.
        problem : str, optional
            Which of several problems; by default the first that reported.
        against : {"seconds", "iterations"}, default="seconds"
            What is along the axis.

        """
        _check_against(against)
        if not isinstance(recorder, Recorder):
            raise TypeError(f"recorder must be a maxmargin.plotting.Recorder; got {type(recorder).__name__}.")
        if not len(recorder):
            raise ValueError("recorder has no report: it must be the callback of a fit (clone copies it: look there).")
        name = recorder.problems[0] if problem is None else problem
        if name not in recorder.problems:
            raise ValueError(f"problem must be one of {', '.join(map(repr, recorder.problems))}; got {problem!r}.")
        reports = recorder.of(name)
        of = f"{name}: " if name else ""
        return cls(
            iterations=np.array([r["iteration"] for r in reports]),
            seconds=np.array([r["seconds"] for r in reports]),
            gap=np.abs(np.array([r["gap"] for r in reports], dtype=np.float64)),
            violation=np.abs(np.array([r["violation"] for r in reports], dtype=np.float64)),
            title=f"{of}What the solver reported while it worked ({len(reports)} reports): its own figures, no proof.",
            gap_name="relative gap, as the solver saw it",
        ).plot(against=against, legend=legend, ax=ax)

    def plot(self, *, against: str | None = None, legend: bool = True, ax: Any = None) -> Self:
        """Draw the curves once more.

        Parameters
        ----------
        against
            As in `from_fit`.

        """
        _check_against(against)
        self._against = against or ("seconds" if self.seconds[-1] >= _LONG else "iterations")
        return super().plot(legend=legend, ax=ax)

    def _new_panels(self) -> tuple[Any, ...]:
        return new_panels(8.0, 4.5) if self.primal is None else new_panels(8.0, 7.0, 2, sharex=True)

    def _given_panels(self, ax: Any) -> tuple[Any, ...]:
        if self.primal is None:
            return given_panels(ax, (1,), "1 axes, for the gap")
        return given_panels(ax, (2,), "2 axes, for objectives and gap, one each")

    def _draw(self) -> None:
        against = self._against
        x = self.seconds if against == "seconds" else self.iterations
        self.primal_: Any = None
        self.dual_: Any = None
        if self.primal is not None:
            self._draw_objectives(self.axes_[0], x)
        self._draw_gap(self.axes_[-1], x)
        for panel in self.axes_:
            dress(panel)
            if (x > 0).all() and x.max() >= _LOG_FROM * x.min():
                panel.set_xscale("log")
        self.axes_[-1].set_xlabel(against)
        write_title(self.axes_[0], self.title)

    def _draw_objectives(self, ax: Axes, x: np.ndarray) -> None:
        primal, dual = self.primal, self.dual
        assert primal is not None and dual is not None
        ax.fill_between(x, dual, primal, color="#EDEDED", linewidth=0, zorder=1)
        (self.primal_,) = ax.plot(x, primal, color=HELD_OUT, linewidth=1.8, marker="s", markersize=4, zorder=3)
        (self.dual_,) = ax.plot(x, dual, color=TRAINING, linewidth=1.8, marker="o", markersize=4, zorder=3)
        best = (primal.min() + dual.max()) / 2
        size = _AROUND * abs(best)
        if size > 0:  # what begins far away comes into the picture from its edge
            low, high = max(dual.min(), best - size), min(primal.max(), best + size)
            pad = 0.06 * (high - low) or 0.1 * size
            ax.set_ylim(low - pad, high + pad)
        ax.set_ylabel("objective")

    def _draw_gap(self, ax: Axes, x: np.ndarray) -> None:
        style: dict[str, Any] = {"linewidth": 1.8, "markersize": 4, "zorder": 3}
        self.violation_: Any = None
        if self.violation is not None:
            sizes = np.maximum(self.violation, _LEAST)
            (self.violation_,) = ax.plot(x, sizes, color=FAINT, marker="D", linestyle="--", **style)
        (self.gap_,) = ax.plot(x, np.maximum(self.gap, _LEAST), color=INK, marker="o", **style)
        if self.tol is not None:
            ax.axhline(self.tol, color="#7A3A46", linewidth=1.2, linestyle=":", zorder=2)
        ax.set_yscale("log")
        ax.set_ylabel("gap" if self.violation is None else "gap and violation")

    def _handles(self) -> list[Any]:
        handles = []
        if self.primal is not None:
            handles += [
                line("primal objective", HELD_OUT, width=1.8, marker="s", markersize=4),
                line("dual objective", TRAINING, width=1.8, marker="o", markersize=4),
            ]
        handles.append(line(self.gap_name, INK, width=1.8, marker="o", markersize=4))
        if self.violation is not None:
            handles.append(line("violation of the conditions", FAINT, "--", 1.8, marker="D", markersize=4))
        if self.tol is not None:
            handles.append(line(f"tol = {self.tol:g}, for the {self.tol_name}", "#7A3A46", ":", 1.2))
        return handles


def _check_against(against: Any) -> None:
    if against not in (None, "seconds", "iterations"):
        raise ValueError(f"against must be 'seconds' or 'iterations'; got {against!r}.")


def _check_machine(estimator: Any) -> None:
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "max_iter"):
        raise TypeError(
            "CertificateDisplay repeats fits of estimators with a max_iter, such as maxmargin.svm.SVC; got "
            f"{estimator!r}."
        )


def _check_proof(model: Any) -> None:
    if not isinstance(getattr(model, "certificate_", None), ModelCertificate):
        raise TypeError(
            "CertificateDisplay draws duality gaps, as maxmargin.svm.SVC and maxmargin.linear_model.LogisticRegression "
            f"have them; the certificate of a {type(model).__name__} has none."
        )


def _stopped(
    estimator: Any, whole: Any, X: Any, y: Any, weight: dict[str, Any], moments: int
) -> tuple[dict[str, Any], ModelCertificate]:
    """Certificates of fits that were stopped after more and more iterations, and of the one that was not."""
    most = max(problem.iterations for problem in whole.certificate_.problems)
    budgets = np.unique(np.geomspace(1, max(1, most), moments).round().astype(int))
    budgets = budgets[budgets < most]
    proofs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # to end early is the purpose
        for budget in budgets.tolist():
            proofs.append(clone(estimator).set_params(max_iter=budget).fit(X, y, **weight).certificate_)
        # once more: the first one may have waited for a compiler
        proofs.append(clone(estimator).fit(X, y, **weight).certificate_)
    return dict(
        iterations=np.append(budgets, most),
        # who has made more iterations has made these as well: it took no longer than any of the fits that follow
        seconds=np.minimum.accumulate([proof.seconds for proof in proofs[::-1]])[::-1],
        gap=np.array([proof.relative_gap for proof in proofs]),
        violation=np.array([proof.kkt_violation for proof in proofs]) if hasattr(estimator, "gap_tol") else None,
        primal=np.array([sum(part.primal for part in proof.problems) for proof in proofs]),
        dual=np.array([sum(part.dual for part in proof.problems) for proof in proofs]),
    ), proofs[-1]


def _words(proof: ModelCertificate) -> str:
    """What is proven at the end."""
    primal, dual = (sum(getattr(part, name) for part in proof.problems) for name in ("primal", "dual"))
    of = "" if len(proof.problems) == 1 else f" of {len(proof.problems)} problems together"
    return (
        f"{str(proof.status).capitalize()} after {proof.seconds:.3g} s and {counted(proof.iterations, 'iteration')}: "
        f"the optimum{of} {_between(dual, primal)}. Relative gap {proof.relative_gap:.1e}."
    )


def _between(low: float, high: float) -> str:
    """Two numbers with as many figures as tell them apart, up to twelve."""
    for figures in range(4, 13):
        if f"{low:.{figures}g}" != f"{high:.{figures}g}":
            return f"lies between {rounded_down(low, figures)} and {rounded_up(high, figures)}"
    return f"is {low:.12g} to twelve figures"
