"""Page on which people review tasks; it loads nothing and runs only its own script."""

import functools
import json
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from pytest_mcpbench.reporting.page.document import script_hash, stylesheet
from pytest_mcpbench.reporting.tables.section import plain

_TEMPLATES = files("pytest_mcpbench.reporting") / "templates"


def review_page(title: str, *, data: Any = None) -> str:
    """Return the page.

    Without ``data`` it belongs to a server: the script fetches ``tasks`` and sends each decision to ``decisions``. With
    the data of all tasks it is a file, whose decisions are downloaded as JSON lines.
    """
    script, data_block = review_script(), ""
    if data is not None:
        # No text of a task may end the element: "<" does not occur in it.
        content = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")
        data_block = f'<script type="application/json" id="data">{content}</script>'
    return _source("review/review.html").format(
        title=plain(title),
        style=stylesheet() + _source("review/review.css"),
        script_hash=script_hash(script),
        connections="'self'" if data is None else "'none'",
        data=data_block,
        script=Markup("<script>{}</script>").format(Markup(script)),
    )


def review_script() -> str:
    """Return the script of the page."""
    return '"use strict";\n(() => {\n' + _source("page/dom.js") + "\n" + _source("review/review.js") + "})();\n"


@functools.cache
def _source(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
