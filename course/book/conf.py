# SPDX-License-Identifier: Apache-2.0
# The book of the course, for sphinx-build: course/book.sh.
project = "CUDA without a GPU"
author = "the authors of Softwarp"
copyright = author
html_theme = "alabaster"
html_theme_options = {
    "description": "A course in exercises, by Softwarp",
    "fixed_sidebar": False,
    "show_powered_by": False,
    "page_width": "60em",
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_sourcelink = False
html_copy_source = False
highlight_language = "none"
