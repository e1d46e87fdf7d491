"""Text normalised before it is read: one kind of dash, quotation mark and space, no Markdown."""

import re

from pytest_mcpbench.core.unicode_forms import normal_form

_SIGNS = str.maketrans("‐‑‒–—―−“”„«»‘’‚ʼ′", "-------\"\"\"\"\"'''''")
_MARKDOWN = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|^#+\s|`", re.MULTILINE)


def plain(text: str) -> str:
    """Return the text after NFKC, with ASCII dashes and quotation marks and without Markdown's signs."""
    return _MARKDOWN.sub("", normal_form("NFKC", text).translate(_SIGNS))
