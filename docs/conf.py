"""Settings of the documentation site; ``.ci/site`` builds it."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "_ext"), str(Path(__file__).parents[1])]

from pytest_mcpbench import __version__  # noqa: E402 (the checkout that the pages belong to is on the path from here on)

project = "pytest-mcpbench"
author = "The authors of pytest-mcpbench"
release = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "declarations",
    "live_page",
    "repository_links",
]
exclude_patterns = ["_build", "_generated"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"pytest-mcpbench {release}"
html_static_path = ["_static"]
# Pages of the gallery, which docs/gallery/make.py writes before the build.
html_extra_path = ["_generated/site"]
html_css_files = ["site.css"]
html_show_copyright = False
html_copy_source = False

# The sign of a prompt is no part of a command, and output is not copied.
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

add_module_names = False
# Beside a page stand its sections, not the hundreds of names in them.
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "undoc-members": True, "exclude-members": "model_config, model_post_init"}
# Docstrings and types also name what the package does not export, and other packages, whose pages are not at hand.
nitpick_ignore_regex = [("py:.*", r"(?!pytest_mcpbench\.[A-Z]).*")]
