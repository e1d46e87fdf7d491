"""Marks: the first lines of comments, by which a script finds the comment that it has to replace."""

import re

REPORT = "<!-- pytest-mcpbench report -->"
"""First line of every report."""
COMPARISON = "<!-- pytest-mcpbench comparison -->"
"""First line of every comparison of two runs."""
_MARK = re.compile(r"<!-- pytest-mcpbench(?: (report|comparison))? -->")
_UNSAFE = re.compile(r"[^\w./ ]+")


def mark_of(text: str) -> str:
    """Return the mark with which a text begins; a text without one is marked as a report."""
    match = _MARK.match(text)
    return COMPARISON if match and match.group(1) == "comparison" else REPORT


def without_mark(text: str) -> str:
    """Return the text without its mark."""
    return _MARK.sub("", text, count=1).lstrip() if _MARK.match(text) else text


def with_name(mark: str, name: str) -> str:
    """Return the mark of the comment with that name; characters that could end the mark become hyphens."""
    safe = _UNSAFE.sub("-", name).strip(" -")
    return mark.replace(" -->", f" {safe} -->") if safe else mark
