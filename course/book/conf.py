"""Sphinx's settings for the book. Its pages are written by make.py; nothing on them is fetched from elsewhere."""

import minigrad

project, author, copyright = "minigrad", "the authors of minigrad", "the authors of minigrad, MIT licence"
version = release = minigrad.__version__
extensions = ["myst_nb", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["downloads"]
nb_execution_mode = "off"  # outputs are those that are stored
nb_ipywidgets_js = {}
nb_render_markdown_format = "myst"
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 3
nitpick_ignore_regex = [("py:class", ".*")]  # types in signatures
suppress_warnings = ["ref.python"]  # of two Variables either may be meant
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "minigrad"
html_static_path = ["static"]
html_css_files = ["inspector.css", "book.css"]
html_js_files = ["book.js"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": False}
