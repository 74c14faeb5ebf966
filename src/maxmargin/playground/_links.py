"""Links that hold the whole state behind their ``#``."""

from __future__ import annotations

import re

from ..messages import Argument, InputError

_STATE = re.compile(r"#?1[a-z]?\.[A-Za-z0-9_-]+")


def fragment_of(link: str | None) -> str:
    """The state of a link, with its ``#``; empty for none."""
    if link is None:
        return ""
    fragment = link[link.find("#") :] if "#" in link else f"#{link}"
    if not _STATE.fullmatch(fragment) or len(fragment) > 400_000:
        raise InputError(Argument("link"), " has no state of a playground in it; copy the whole link, with its #.")
    return fragment
