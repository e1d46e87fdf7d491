"""Directives that show declarations of the package, so that a page cannot differ from them.

``mcpbench-option NAME`` shows one option of pytest: its value, help, range and ini value are those of its declaration,
and the content of the directive adds what the help leaves out. Each option has one such directive.
``mcpbench-fixtures`` shows the fixtures with their docstrings.
"""

import inspect
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from pydantic import BaseModel
from sphinx.addnodes import desc_content
from sphinx.application import Sphinx
from sphinx.domains.std import Cmdoption
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

import pytest_mcpbench
from pytest_mcpbench.options.option import ANY, Option
from pytest_mcpbench.options.settings import ALL_OPTIONS
from pytest_mcpbench.plugin import fixtures

# Imported here, because autodoc imports modules with TYPE_CHECKING set, and `mcp` fails then.
PUBLIC_NAMES = {
    f"pytest_mcpbench.{name}"
    for name in pytest_mcpbench.__all__
    if name not in ("__version__", "statistics") and hasattr(pytest_mcpbench, name)
}
OPTIONS = {option.name: option for option in ALL_OPTIONS}
INTERNAL_FIXTURES = {"mcp_item", "mcp_job", "mcp_session"}
FixtureFunctionDefinition = type(fixtures.mcp_task)
_TYPES = {"string": "text", "int": "whole number", "float": "number", "bool": "true or false", "args": "list of texts"}
logger = logging.getLogger(__name__)


class OptionDirective(Cmdoption):
    """An option of pytest, from its declaration."""

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in OPTIONS:
            raise self.error(f"there is no option '{name}'")
        option = OPTIONS[name]
        self.arguments = [", ".join(_signatures(option))]
        described = super().run()
        for node in described:
            for content in node.findall(desc_content):
                content.insert(0, _help(option))
                content.append(_facts(option))
        self.env.metadata[self.env.docname].setdefault("options", []).append(name)
        return described


def _signatures(option: Option) -> Iterator[str]:
    """Yield the option as it is written on the command line, in all ways."""
    value = f" {option.value_name}" if option.value_name else ""
    if option.is_short:
        yield f"--{option.name}{value}"
    yield f"--mcpbench-{option.name}{value}"


def _help(option: Option) -> nodes.paragraph:
    text = option.help.removesuffix(" (repeatable)")
    return nodes.paragraph("", f"{text[0].upper()}{text[1:]}.")


def _facts(option: Option) -> nodes.paragraph:
    facts = f" in the ini file: {_TYPES[option.type]}"
    if option.range != ANY:
        facts += f", {option.range}"
    if option.condition:
        facts += f". Condition {option.condition} of a suite"
    return nodes.paragraph("", "", nodes.literal("", option.dest), nodes.Text(f"{facts}."), classes=["facts"])


def report_what_is_missing(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about each option and each public name that no page shows."""
    options = {name for metadata in env.metadata.values() for name in metadata.get("options", ())}
    for name in sorted(OPTIONS.keys() - options):
        logger.warning("the option '%s' is missing", name, location=("reference/options", None))
    for name in sorted(PUBLIC_NAMES - env.domains.python_domain.objects.keys()):
        logger.warning("the public name '%s' is missing", name, location=("reference/api", None))


class FixturesDirective(SphinxDirective):
    """The fixtures of the plugin with their docstrings."""

    def run(self) -> list[nodes.Node]:
        return [node for fixture in sorted(_fixtures()) for node in self._entry(*fixture)]

    def _entry(self, name: str, docstring: str) -> list[nodes.Node]:
        return self.parse_text_to_nodes(f":::{{py:data}} {name}\n:noindex:\n{docstring}\n:::\n")


def _fixtures() -> Iterator[tuple[str, str]]:
    """Yield name and docstring of each fixture that is meant for tests of users."""
    for module in (fixtures, fixtures, fixtures):
        for name, value in vars(module).items():
            if isinstance(value, FixtureFunctionDefinition) and name not in INTERNAL_FIXTURES:
                yield name, inspect.getdoc(value) or ""


def leave_out_fields(
    _app: Sphinx, _what: str, _name: str, value: object, _options: object, _signature: str, _returns: str
) -> tuple[str, None] | None:
    """Return no signature for a class whose arguments are the fields that are shown below it."""
    return ("", None) if isinstance(value, type) and issubclass(value, BaseModel) else None


def show_sections(app: Sphinx, what: Any, *described: Any) -> None:
    """Show sections such as ``Raises:``.

    The extension napoleon itself would read the text before a colon in the docstring of a field as its type.
    """
    name, value, options, lines = described
    settings: Any = Config()
    if what not in ("attribute", "data", "property"):
        lines[:] = GoogleDocstring(lines, settings, app, what, name, value, options).lines()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    app.add_directive("mcpbench-option", OptionDirective)
    app.add_directive("mcpbench-fixtures", FixturesDirective)
    app.connect("autodoc-process-docstring", show_sections)
    app.connect("autodoc-process-signature", leave_out_fields)
    app.connect("env-check-consistency", report_what_is_missing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
