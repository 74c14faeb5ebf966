"""``maxmargin playground``: points to draw, models that follow, in the browser."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ._errors import DONE
from ._options import flag


def playground(
    link: Annotated[str | None, Parameter(help="A link copied from a playground, here or elsewhere, to open.")] = None,
    /,
    *,
    no_browser: Annotated[bool, flag("Print the address only.")] = False,
    port: Annotated[int, Parameter(help="Port on this computer; 0 is any that is free.")] = 0,
) -> int:
    """Draw points and watch models and their proofs, in the browser."""
    from ..playground import serve

    serve(link, port=port, browser=not no_browser)
    return DONE
