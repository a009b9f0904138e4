"""How Sphinx makes the site: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

from gridhouse import __version__

sys.path.insert(0, str(Path(__file__).parent))

project = "Gridhouse"
author = "the Gridhouse authors"
copyright = author  # noqa: A001  # Sphinx wants this name
release = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "reference_pages",
]
exclude_patterns = ["research/data/README.md"]
suppress_warnings = ["myst.header"]  # notes begin at the level that fits them

myst_enable_extensions = ["dollarmath", "fieldlist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "Gridhouse"
html_static_path = ["_static", "../src/gridhouse/server/pages/static/fonts"]
html_css_files = ["site.css"]
html_favicon = "../src/gridhouse/server/pages/static/icon.svg"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#463a96",
        "color-brand-content": "#463a96",
        "color-sidebar-background": "#f3f1fa",
    },
    "dark_css_variables": {
        "color-brand-primary": "#f5b53f",
        "color-brand-content": "#f5b53f",
        "color-background-primary": "#14122a",
        "color-sidebar-background": "#1d1a3a",
    },
}
