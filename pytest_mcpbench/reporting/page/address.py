"""Addresses of attempts in the page, which stay the same from run to run: ``#radar/email-002/claude/2``."""

from pathlib import PurePath
from urllib.parse import quote

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.display_text import visible

_UNESCAPED = "-_.!~*'()"
"""Characters that ``encodeURIComponent`` of JavaScript leaves as they are."""


def attempt_address(entry: Entry) -> str:
    """Return the address of an attempt within the page: suite, task, model and trial."""
    names = (entry.series, entry.task_id, entry.model, str(entry.trial))
    return "#" + "/".join(quote(visible(name), safe=_UNESCAPED) for name in names)


def file_address(path: PurePath) -> str:
    """Return the address of a file relative to the page that links to it."""
    return quote(path.as_posix()) if not path.is_absolute() else path.as_uri()
