"""Lint of one server."""

from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lint.rules import Finding
from pytest_mcpbench.definitions.lint.schema_rules import schema_findings
from pytest_mcpbench.definitions.lint.server_rules import server_findings
from pytest_mcpbench.definitions.lint.text_rules import text_findings

DEFAULT_MAX_TOKENS = 10_000


def lint_server(server: ServerDefinition, *, max_tokens: int = DEFAULT_MAX_TOKENS) -> tuple[Finding, ...]:
    """Return the findings about a server's definitions, errors first, in the order of the tools."""
    found = (*schema_findings(server), *text_findings(server), *server_findings(server, max_tokens=max_tokens))
    order = {tool.name: position for position, tool in enumerate(server.tools)}
    return tuple(sorted(found, key=lambda finding: (finding.rule.id, order.get(finding.tool or "", -1))))
