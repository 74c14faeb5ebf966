"""What gives every estimator its method `report`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Reported:
    """An estimator that can be reported on.

    The page is made in a room far above the estimators, which it draws and explains; it is imported when it is asked
    for, so that no estimator depends on it.
    """

    def report(self, X: Any, y: Any = None, **options: Any) -> Any:
        """A page about this fitted model: data, result, proof, pictures and the rows that deserve a look.

        Parameters
        ----------
        X, y : array-like
            The rows that it was trained on, or others to judge it by; `y` only where the model has targets.
        **options
            What `maxmargin.report.report` takes: held-out rows (``test=(X, y)``), names, a title.

        Returns
        -------
        maxmargin.report.Report
            A notebook shows it; ``.save(path)`` writes it as one HTML file.

        """
        return import_module("maxmargin.report").report(self, X, y, **options)
