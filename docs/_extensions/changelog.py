"""``.. changelog::``, the project's ``CHANGELOG.md`` as part of a page.

The file is written in a small part of Markdown: headings, paragraphs, lists, code in backticks, and links.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

FILE = Path(__file__).parents[2] / "CHANGELOG.md"
_HEADING = re.compile(r"^(#{2,3}) +\[?(.*?)\]?$")
_INLINE = re.compile(r"`([^`]+)`|\[([^\]]+)\]\((https?://[^)]+)\)|([*_|\\])")


def _inline(match):
    code, words, address, sign = match.groups()
    if code:
        return f"``{code}``"
    return f"`{words} <{address}>`__" if words else f"\\{sign}"


def to_rst(markdown):
    """The text in reStructuredText, without its title."""
    body = markdown.split("\n", 1)[1]
    # Code and links may go over the end of a line.
    body = re.sub(r"`([^`]+)`", lambda m: f"`{' '.join(m.group(1).split())}`", body)
    lines = []
    for line in body.splitlines():
        heading = _HEADING.match(line)
        if heading:
            words = heading.group(2)
            lines += [words, ("-" if len(heading.group(1)) == 2 else "~") * len(words)]
        else:
            lines.append(line)
    return re.sub(r"(?<=[\w(])``(?=[\w])", "`` ", _INLINE.sub(_inline, "\n".join(lines)))


class Changelog(SphinxDirective):
    def run(self):
        self.env.note_dependency(str(FILE))
        lines = to_rst(FILE.read_text(encoding="utf-8")).splitlines()
        holder = nodes.section()
        holder.document = self.state.document
        nested_parse_with_titles(self.state, StringList(lines, source=str(FILE)), holder)
        return holder.children


def setup(app):
    app.add_directive("changelog", Changelog)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
