"""Typeset formulas as MathML when the manual is built, so that a page needs neither a network nor a script.

Browsers draw MathML by themselves: Firefox, Safari and Chromium since version 109. Roles ``:math:`` and directives
``.. math::`` stay what they are in any other Sphinx manual.
"""

import re
from html import escape

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

# What the converter does not know, in words that it does.
_WORDS = {r"\bigl": r"\left", r"\bigr": r"\right"}
_ALIGNED = re.compile(r"\\\\|(?<!\\)&")


def to_mathml(latex, display="inline"):
    """A formula as MathML; one of several lines is aligned at its ``&``."""
    if display == "block" and _ALIGNED.search(latex) and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    for word, known in _WORDS.items():
        latex = latex.replace(word, known)
    return convert(latex.strip(), display=display)


def visit_inline(translator, node):
    translator.body.append(f'<span class="math">{to_mathml(node.astext())}</span>')
    raise SkipNode


def visit_block(translator, node):
    number = ""
    if node["number"]:
        number = f'<span class="eqno">({escape(str(node["number"]))})</span>'
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    for part in node.astext().split("\n\n"):
        if part.strip():
            translator.body.append(to_mathml(part, "block"))
    translator.body.append(f"{number}</div>\n")
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
