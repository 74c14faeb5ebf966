"""Sphinx configuration; `make docs` builds the manual."""

import re
from importlib.metadata import version as installed_version

project = "maxmargin"
author = "the maxmargin developers"
copyright = f"2026, {author}"
release = installed_version("maxmargin")
version = ".".join(release.split(".")[:2])

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
]
templates_path = ["_templates"]
exclude_patterns = ["generated/.*"]
nitpicky = False
# Properties of the same name in several classes are linked by numpydoc without the class.
suppress_warnings = ["ref.python"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings state the types in words
numpydoc_show_class_members = False  # the class template lists them

html_theme = "pydata_sphinx_theme"
html_title = f"maxmargin {release}"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"**": []}


def skip_metadata_routing(app, what, name, obj, skip, options):
    """Leave out ``set_*_request``: scikit-learn generates these methods with links into its own manual."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app):
    app.connect("autodoc-skip-member", skip_metadata_routing)
