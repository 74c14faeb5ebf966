"""Questions as the page asks them, answered without a server."""

from __future__ import annotations

import numpy as np

from maxmargin.playground import _answers, _frames, _presets
from maxmargin.playground._worker import Session


def header_of(method, step=None, cells=(24, 20), **params):
    return {"method": method, "params": params, "view": [-3.0, 3.0, -3.0, 3.0], "cells": list(cells), "step": step}


def arrays_of(points, labels):
    return {"points": np.asarray(points, dtype=np.float64), "labels": np.asarray(labels, dtype=np.uint8)}


def example(name="moons", n=40):
    return arrays_of(*_presets.draw(name, n))


def ask(kind, header, arrays=None, session=None):
    """The answer, there and back as a message."""
    session = Session(lambda *answer: None) if session is None else session
    sent = _frames.unpack(_frames.pack({**header, "kind": kind, "id": 1}, arrays or {}))
    return _frames.unpack(_frames.pack(*_answers.handle(session, *sent, lambda: False)))
