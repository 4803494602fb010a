"""The site: lessons and exercises as they are stored (nothing is run), and the reference from the docstrings.

    sphinx-build -W -c docs . site

from the root of the clone, so that links between notebooks work as they stand. Its pages load nothing from elsewhere.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "0")  # the rooms that teach Numba our words load only where CUDA is real
sys.path.insert(0, str(Path(__file__).resolve().parent))

from forms import as_rst

from cutelearn import __version__

project = author = "cutelearn"
version = release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
root_doc = "docs/index"
include_patterns = ["docs/*.md", "docs/reference/*.md", "docs/teaching/*.md", "notebooks/*.ipynb", "exercises/*.ipynb"]

html_theme = "furo"
html_title = "cutelearn"
html_static_path, html_css_files = ["static"], ["site.css"]
html_favicon = "static/icon.svg"
html_extra_path = ["extra"]  # index.html leads to docs/index.html
html_copy_source = False
html_show_copyright = False

nb_execution_mode = "off"
nb_ipywidgets_js = {}  # explorers need a kernel; their still pictures are stored
myst_heading_anchors = 3
myst_heading_slug_func = "forms.anchor"

default_role = "code"  # docstrings write `name`, as the lessons do
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}


def setup(app):
    def rewrite(app, what, name, obj, options, lines):
        lines[:] = as_rst(lines)

    app.connect("autodoc-process-docstring", rewrite)
