"""``.. answer::``, what a reader opens after an attempt of one's own: HTML's ``details`` element."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Answer(nodes.General, nodes.Element):
    """The text of an answer."""


class AnswerDirective(SphinxDirective):
    has_content = True

    def run(self):
        node = Answer()
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def visit(translator, node):
    translator.body.append('<details class="answer"><summary>Answer</summary>\n')


def depart(translator, node):
    translator.body.append("</details>\n")


def setup(app):
    app.add_node(Answer, html=(visit, depart))
    app.add_directive("answer", AnswerDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
