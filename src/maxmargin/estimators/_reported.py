"""What every estimator has: public methods that Ctrl-C may end, complete docstrings, and `report` if it predicts."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ..engine import interruptible
from ._docstrings import complete_class, complete_method
from ._lazy import ROW_BY_ROW, lazy_on_clusters
from ._parameters import CheckedParameters


class PublicMethods:
    """A class whose public methods hear Ctrl-C, and say what they take.

    Public methods of derived classes become `interruptible` here, and their docstrings and that of the class are
    completed, so that none is forgotten. Those that hide behind ``available_if`` say so themselves, below it.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        complete_class(cls)
        for name, member in list(vars(cls).items()):
            method = getattr(member, "fn", member)  # below ``available_if``
            if isinstance(method, FunctionType) and not name.startswith("_"):
                complete_method(method, cls)
                if method is member:
                    heard = interruptible(method)
                    setattr(cls, name, lazy_on_clusters(heard) if name in ROW_BY_ROW else heard)
                elif name in ROW_BY_ROW:
                    member.fn = lazy_on_clusters(method)
        super().__init_subclass__(**options)


class OwnEstimator(CheckedParameters, PublicMethods):
    """An estimator of this library; one that predicts or clusters is `Reported` as well."""


class Reported(OwnEstimator):
    """An estimator that can be reported on.

    The page is made far above the estimators, which it draws and explains; it is imported when it is asked for, so that
    no estimator depends on it.
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
        from ..report import report

        return report(self, X, y, **options)
