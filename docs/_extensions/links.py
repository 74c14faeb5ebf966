"""Refuse a manual in which a link leads nowhere: files, and places within pages, once all pages are written.

Sphinx checks what its own roles refer to. This looks at the pages as readers get them: links of the theme and of raw
HTML, pictures, downloads and anchors among them. Nothing may be loaded from elsewhere, either: the manual is read
without a network. Addresses that readers may click on are not followed.
"""

import logging
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

logger = logging.getLogger(
    "sphinx.links"
)  # below Sphinx's own logger: its warnings are counted, and are errors with -W


class Page(HTMLParser):
    """The anchors of a page, and what it links to or loads: (tag, address)."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.update(found[key] for key in ("id", "name") if found.get(key))
        loads = tag != "link" or found.get("rel") != "canonical"
        self.links += [(tag, found[key]) for key in ("href", "src") if found.get(key) and loads]


def read_pages(folder):
    """Every page below `folder`, without those of `_static`, which are templates of the theme."""
    files = (path for path in folder.rglob("*.html") if "_static" not in path.relative_to(folder).parts)
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(files)}


def complaints(folder):
    """What is wrong with the links of a manual, in words."""
    folder = Path(folder).resolve()
    pages = read_pages(folder)
    for path, page in pages.items():
        place = path.relative_to(folder)
        for tag, address in dict.fromkeys(page.links):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if tag != "a" and parts.scheme != "data":
                    yield f"{place}: <{tag}> loads {address}, which takes a network"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{place}: {address} leads to no file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{place}: {address} leads to no place of that page"


def check(app, error):
    if error is None and app.builder.format == "html":
        for complaint in complaints(app.outdir):
            logger.warning(complaint)


def setup(app):
    app.connect("build-finished", check, priority=900)  # after whatever else writes files
    return {"parallel_read_safe": True, "parallel_write_safe": True}
