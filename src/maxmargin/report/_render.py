"""From facts and pictures to the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any

from . import _words

# Halves of characters, which UTF-8 cannot write, and control characters, which a page may not have.
_NO_CHARACTERS = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def require_extras() -> None:
    """Raise ImportError, naming the extra, where Jinja2 or Matplotlib is not installed."""
    for module, name in (("jinja2", "Jinja2"), ("matplotlib", "Matplotlib")):
        if find_spec(module) is None:
            raise ImportError(f"a report needs {name}, which is not installed: pip install 'maxmargin[report]'")


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("maxmargin.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "fixed": _words.fixed,
        "number": _words.number,
        "tiny": _words.tiny,
        "percent": _words.percent,
        "count": _words.count,
        "shortened": _words.shortened,
        "plural": _words.plural,
    }
    return environment.get_template("page.html")


def render(data: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    """The page. Texts are escaped by the template; pictures are SVG of our own making."""
    from markupsafe import Markup

    drawn = {name: Markup(svg) for name, svg in pictures.items()}
    return _NO_CHARACTERS.sub("\ufffd", _template().render(**data, drawn=drawn))
