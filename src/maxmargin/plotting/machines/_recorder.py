"""What solvers report while they work, collected."""

from __future__ import annotations

from typing import Any

import numpy as np


class Recorder:
    """Collects what a fit reports: give it as ``callback`` to an estimator, then draw it.

    Reports come from the solver while it works, as often as it looks up from its work. They are its own figures and not
    a proof: ``gap`` is relative to the objective, an estimate for Newton's methods, and NaN where a solver has none.
    The proof is the ``certificate_`` at the end.

    Attributes
    ----------
    reports : list of dict
        As they came, each with ``problem, iteration, violation, gap, seconds``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.plotting import Recorder
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(500, noise=0.3, random_state=0)
    >>> recorder = Recorder()
    >>> model = SVC(C=100, callback=recorder).fit(X, y)
    >>> recorder.iterations[0], len(recorder) > 0
    (np.int64(0), True)

    """

    def __init__(self) -> None:
        self.reports: list[dict[str, Any]] = []

    def __call__(self, report: dict[str, Any]) -> None:
        """Keep a report; the fit goes on."""
        self.reports.append(dict(report))

    def __len__(self) -> int:
        return len(self.reports)

    @property
    def problems(self) -> list[str]:
        """Names of the problems that reported, in the order of their first report."""
        return list(dict.fromkeys(str(report["problem"]) for report in self.reports))

    def of(self, problem: str) -> list[dict[str, Any]]:
        """The reports of one problem.

        Parameters
        ----------
        problem : str
            Its name, one of `problems`.

        Returns
        -------
        list of dict

        """
        return [report for report in self.reports if report["problem"] == problem]

    @property
    def iterations(self) -> np.ndarray:
        """Iterations of all reports."""
        return np.array([report["iteration"] for report in self.reports], dtype=np.int64)

    @property
    def seconds(self) -> np.ndarray:
        """Seconds since the start of the fit."""
        return np.array([report["seconds"] for report in self.reports], dtype=np.float64)

    @property
    def gaps(self) -> np.ndarray:
        """Relative gaps as the solver saw them."""
        return np.array([report["gap"] for report in self.reports], dtype=np.float64)

    @property
    def violations(self) -> np.ndarray:
        """Violations of the optimality conditions as the solver saw them."""
        return np.array([report["violation"] for report in self.reports], dtype=np.float64)
