"""Typeset formulas as MathML when the manual is built, so that a page needs neither a network nor a script.

Browsers draw MathML by themselves: Firefox, Safari and Chromium since version 109. For large operators and parentheses
that grow they need a font with a table of mathematics; the part of STIX Two Math that formulas use goes into a style
sheet of the manual. Roles ``:math:`` and directives ``.. math::`` are what they are in any other Sphinx manual.
"""

import base64
import re
from html import escape
from importlib.resources import as_file, files
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from docutils.nodes import SkipNode
from fontTools import subset
from latex2mathml.converter import convert
from mathml_spaces import core_of, name_of, set_bold, set_spaces, text_of
from sphinx.errors import ExtensionError

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ALIGNED = re.compile(r"\\\\|(?<!\\)&")
# Operators that have what they range over below them, where there is room.
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_WITH_LIMITS = {"min", "max", "lim", "sup", "inf", "∑", "∏"}
# Letters, Greek, arrows, operators, brackets, braces over and under, and the alphabets of mathematics.
_RANGES = [(0x20, 0x7E), (0xA0, 0xFF), (0x300, 0x36F), (0x370, 0x3FF), (0x2000, 0x206F), (0x2100, 0x22FF)]
_RANGES += [(0x2308, 0x230B), (0x239B, 0x23BF), (0x23DC, 0x23E1), (0x27E6, 0x27EF), (0x1D434, 0x1D467)]
_RANGES += [(0x1D6E2, 0x1D71B), (0x1D7CE, 0x1D7D7)]


def to_mathml(latex, display="inline"):
    """A formula as MathML; one of several lines is aligned at its ``&``."""
    if display == "block" and _ALIGNED.search(latex) and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    latex = latex.replace("{aligned}", "{align*}")  # as the converter calls it
    tree = ElementTree.fromstring(convert(_grow(latex).strip(), display=display))
    for part in tree.iter():
        if display == "block" and name_of(part) in _LIMITS and text_of(core_of(part)) in _WITH_LIMITS:
            part.tag = part.tag.replace(name_of(part), _LIMITS[name_of(part)])
        set_spaces(part)
        set_bold(part)
    ElementTree.register_namespace("", NAMESPACE)
    return ElementTree.tostring(tree, encoding="unicode")


def _grow(latex):
    """Parentheses that were made large by hand grow by themselves."""
    return re.sub(r"\\[bB]igg?l(?![a-z])", r"\\left", re.sub(r"\\[bB]igg?r(?![a-z])", r"\\right", latex))


def visit_inline(translator, node):
    translator.body.append(f'<span class="math">{_checked(node, "inline")}</span>')
    raise SkipNode


def visit_block(translator, node):
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(_checked(node, "block"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({escape(str(node["number"]))})</span>')
    translator.body.append("</div>\n")
    raise SkipNode


def _checked(node, display):
    try:
        made = to_mathml(node.astext(), display)
    except Exception as error:
        raise ExtensionError(f"{node.source}:{node.line}: no formula: {node.astext()}: {error}") from error
    if "\\" in re.sub(r"<[^>]*>", "", made).replace("∖", ""):
        raise ExtensionError(f"{node.source}:{node.line}: not all of this is understood: {node.astext()}")
    return made


def font_sheet():
    """A style sheet that carries the part of the font that formulas use."""
    options = subset.Options(layout_features=["*"], flavor="woff", hinting=False, notdef_outline=True)
    with as_file(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf") as path:
        font = subset.load_font(str(path), options)
    wanted = subset.Subsetter(options)
    wanted.populate(unicodes=[code for first, last in _RANGES for code in range(first, last + 1)])
    wanted.subset(font)
    _narrow_roots(font)
    data = BytesIO()
    subset.save_font(font, data, options)
    text = base64.b64encode(data.getvalue()).decode()
    return f'@font-face {{ font-family: "Manual Math"; src: url(data:font/woff;base64,{text}) format("woff"); }}\n'


def _narrow_roots(font):
    """Give the taller signs of a root the width of the smallest: Chromium leaves room for the widest after each."""
    variants, smallest = font["MATH"].table.MathVariants, font.getBestCmap()[ord("√")]
    signs = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(smallest)]
    taller = {record.VariantGlyph for record in signs.MathGlyphVariantRecord}
    taller |= {record.glyph for record in signs.GlyphAssembly.PartRecords}
    width = font["hmtx"][smallest][0]
    for name in taller - {smallest}:
        factor = width / font["hmtx"][name][0]
        glyph = font["glyf"][name]
        glyph.coordinates.scale((factor, 1))
        glyph.coordinates.toInt()
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (width, glyph.xMin)


def write_font(app, error):
    if error is None and app.builder.format == "html":
        Path(app.outdir, "_static", "math-font.css").write_text(font_sheet(), encoding="utf-8")


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    app.add_css_file("math-font.css")
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
