"""Sphinx configuration; `make docs` builds the manual."""

import inspect
import os
import re
import sys
import warnings
from importlib.metadata import version as installed_version
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
EXTENSIONS = str(Path(__file__).parent / "_extensions")
sys.path.insert(0, EXTENSIONS)
# The processes that run the gallery find them, too.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [EXTENSIONS, os.environ.get("PYTHONPATH")]))

# The processes that run the gallery are replaced when they have grown: nothing that a reader of the build could change.
warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)

project = "maxmargin"
author = "the maxmargin developers"
copyright = f"2026, {author}"
release = installed_version("maxmargin")
version = ".".join(release.split(".")[:2])

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "answer",
    "changelog",
    "links",
    "mathml",
]
templates_path = ["_templates"]
exclude_patterns = ["generated/.*", "examples", "sg_execution_times.rst", "gallery/sg_execution_times.rst"]
# Every reference has to lead somewhere, but for names of other libraries, private bases, which have no page, and
# inherited properties, which the class that has them describes among its attributes.
nitpicky = True
nitpick_ignore = [("py:func", "train")]  # as the list of the reference quotes the first sentence of `Training`
nitpick_ignore_regex = [
    (r"py:\w+", r"(abc|anywidget|enum|sklearn)\..*"),
    (r"py:class", r"maxmargin\..*\._.*"),
    (r"py:obj", r"\w+_"),
]
# Properties of the same name in several classes are linked by numpydoc without the class.
suppress_warnings = ["ref.python"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings state the types in words
numpydoc_show_class_members = False  # the class template lists them

# The gallery: every script in `examples` runs when the manual is built, and one that fails fails the build.
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": [
        f"examples/{group}"
        for group in ("margins", "kernels", "linear", "regression", "neighbours", "trees", "models", "scale")
    ],
    "capture_repr": (),  # what a script prints, and not what its last line happens to return
    "reset_modules": ("matplotlib", "seaborn", "quiet.silence"),
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("maxmargin",),
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "parallel": 2,
}

html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_theme = "pydata_sphinx_theme"
html_title = f"maxmargin {release}"
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
}
html_sidebars = {name: [] for name in ("index", "start", "choosing", "measured", "changelog")} | {
    "**": ["sidebar-nav-bs"]
}


def skip_what_is_not_ours(app, what, name, obj, skip, options):
    """Leave out what scikit-learn and Python give to classes: it links into manuals of their own."""
    function = obj.fget if isinstance(obj, property) else inspect.unwrap(obj) if callable(obj) else obj
    foreign = not (getattr(function, "__module__", "maxmargin") or "builtins").startswith("maxmargin")
    return True if foreign or re.fullmatch(r"set_\w+_request", name) else None


def setup(app):
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
