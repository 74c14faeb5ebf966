"""Each kind of request, and what answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..messages import Argument, InputError
from ._request import read_question, whole
from ._worker import Message, Session


def handle(
    session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable[[], bool]
) -> Message:
    """The answer to one request."""
    return _KINDS[header["kind"]](session, header, arrays, stopped)


def _fit(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._fit import answer, fit

    session.fitted = None
    fitted = fit(read_question(header, arrays))
    found = answer(fitted)
    session.fitted = fitted
    return found


def _frame(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    """A step for an animation: what the page shows, and asks about, stays as it is."""
    from ._fit import answer, fit

    return answer(fit(read_question(header, arrays)))


def _course(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._course import course

    return course(read_question(header, arrays), stopped)


def _cases(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._points import cases

    return cases(_model_of(session))


def _without(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._points import without

    return without(_model_of(session), whole(header, "point", 0, 2**31))


def _probe(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._points import probe

    place = header.get("place")
    if not isinstance(place, list) or len(place) != 2 or not all(_is_coordinate(v) for v in place):
        raise InputError(Argument("place"), " has to be two numbers.")
    return probe(_model_of(session), *map(float, place))


def _python(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._python import as_python

    return {"text": as_python(read_question(header, arrays))}, {}


def _preset(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._presets import draw

    n = whole(header, "n", 1, 5000) if header.get("n") is not None else None
    points, labels = draw(header.get("name"), n, whole(header, "seed", 0, 10**6))
    return {}, {"points": points, "labels": labels}


def _table(session: Session, header: dict[str, Any], arrays: dict[str, np.ndarray], stopped: Callable) -> Message:
    from ._table import read_text

    return read_text(header.get("text"))


def _model_of(session: Session) -> Any:
    if session.fitted is None:
        raise InputError("There is no model yet.")
    return session.fitted


def _is_coordinate(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= 1e11


_KINDS: dict[str, Callable[..., Message]] = {
    "fit": _fit,
    "course": _course,
    "frames": _course,
    "frame": _frame,
    "cases": _cases,
    "without": _without,
    "probe": _probe,
    "python": _python,
    "preset": _preset,
    "table": _table,
}
