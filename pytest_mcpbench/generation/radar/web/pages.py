"""Pages of the simulated web, rendered from its facts with one template per kind of page."""

import re
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.radar.request import source
from pytest_mcpbench.generation.radar.web.facts import facts, standings
from pytest_mcpbench.generation.source.files import file_place
from pytest_mcpbench.simulated.websearch.page import Page, page_file, read_page
from pytest_mcpbench.text.moments import long_date

ENTRIES_BY_TEMPLATE = {
    "island": "islands",
    "town": "towns",
    "company": "companies",
    "person": "people",
    "lighthouse": "lighthouses",
    "ferry": "ferries",
    "club": "clubs",
    "season": "league",
    "marathon": "marathon",
    "prize": "prizes",
    "election": "assembly",
}
"""Template -> topic whose entries get one page each. Every other template renders a single page."""


def pages() -> dict[str, Page]:
    """Return the pages by file name, without the suffix."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

    environment = Environment(
        loader=FileSystemLoader(source("web/pages")),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(slug=slug, day=long_date, n=lambda number: f"{number:,}", standings=standings)
    found: dict[str, Page] = {}
    for file in sorted(source("web/pages").glob("*.md")):
        try:
            # The pages that a template renders: one, or one for each entry of its topic.
            template = environment.get_template(file.name)
            topic = ENTRIES_BY_TEMPLATE.get(file.stem)
            entries: Mapping[Any, Any] = facts()[topic] if topic else {None: None}
            for number, (name, it) in enumerate(entries.items(), start=1):
                text = template.render(**facts(), name=str(name), it=it, loop=number)
                page_name = file.stem if name is None else f"{file.stem}-{slug(str(name))}"
                found[page_name] = read_page(_normalise_blank_lines(text))
        except TemplateError as error:
            raise TaskError(f"the page cannot be rendered: {error}.", file_place(file)) from error
    return found


def page_files() -> dict[str, str]:
    """Return the content of each page file by file name."""
    return {f"{name}.md": page_file(page) for name, page in pages().items()}


def slug(name: str) -> str:
    """Convert a name to the form that it has in a URL."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("'", "")).strip("-")


def _normalise_blank_lines(text: str) -> str:
    """Remove blank lines inside tables, and put one around headings, tables and lists."""
    text = re.sub(r"\| *\n\n+(?=\|)", "|\n", re.sub(r"\| +$", "|", text, flags=re.MULTILINE))
    text = re.sub(r"^(\|.*|- .*|\d+\. .*)\n(?=[A-Z#])", r"\1\n\n", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text)
