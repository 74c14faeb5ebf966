"""The end of a fit: the proof is kept, and what it proves is said if that is less than was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import ConvergenceWarning

from ..certificates import Certificate, ModelCertificate, Status
from ..engine import warn
from ._tracing import keep_trace

if TYPE_CHECKING:
    from ..solvers import Monitor


def keep_proof(estimator: Any, certificates: Iterable[Certificate]) -> Certificate:
    """Give an estimator ``certificate_`` and ``fit_status_``; the worst of its problems."""
    estimator.certificate_ = ModelCertificate(tuple(certificates), estimator._recertify)
    worst = estimator.certificate_.worst
    estimator.fit_status_ = 0 if worst.status in (Status.CONVERGED, Status.STATIONARY) else 1
    return worst


def conclude(
    estimator: Any,
    certificates: Iterable[Certificate],
    monitor: Monitor,
    interrupted: bool,
    advice: Callable[[Certificate], str],
) -> None:
    """Keep the proof, end the display, raise what interrupted the fit, and warn if it has not converged.

    Parameters
    ----------
    estimator : estimator
        Has its fitted attributes already: they are safe to start from again, also after an interrupt.
    certificates : iterable of Certificate
        One a problem.
    monitor : Monitor
        That of the fit.
    interrupted : bool
        Whether Ctrl-C ended it. The interrupt itself belongs to the user's program.
    advice : callable
        From the worst certificate to the text of the warning.

    """
    worst = keep_proof(estimator, certificates)
    keep_trace(estimator, monitor.trace)
    if monitor.verbose:
        violation = estimator.certificate_.kkt_violation
        monitor.close(f"{worst.status}, relative gap {worst.relative_gap:.2e}, violation {violation:.2e}")
    if interrupted:
        raise KeyboardInterrupt
    if estimator.fit_status_:
        warn(advice(worst), ConvergenceWarning, stacklevel=4)
