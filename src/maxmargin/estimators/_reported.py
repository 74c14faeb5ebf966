"""What every estimator has: its method `report`, and public methods that Ctrl-C may end and that say what they take."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ..engine import interruptible
from ._docstrings import complete_method


class Reported:
    """An estimator that can be reported on, and that hears Ctrl-C.

    The page is made far above the estimators, which it draws and explains; it is imported when it is asked for, so that
    no estimator depends on it.

    Public methods of derived classes become `interruptible` here, and their docstrings are completed, so that none is
    forgotten. Those that hide behind ``available_if`` say so themselves, below it.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        for name, member in list(vars(cls).items()):
            method = getattr(member, "fn", member)  # below ``available_if``
            if isinstance(method, FunctionType) and not name.startswith("_"):
                complete_method(method, cls)
                if method is member:
                    setattr(cls, name, interruptible(method))
        super().__init_subclass__(**options)

    @interruptible
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
        from ..report import report

        return report(self, X, y, **options)
