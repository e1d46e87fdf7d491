"""Snapshots of tool schemas: one readable JSON file per server."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from pytest_mcpbench.core.sanitizers import Sanitizer
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.definitions.lint.settings import LintResult
    from pytest_mcpbench.servers.secret_filter import SecretFilter


def snapshot_extension() -> type[Any]:
    """Return the syrupy extension; a function, because importing its base class takes long."""
    from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

    class ToolSchemaSnapshotExtension(SingleFileSnapshotExtension):
        """JSON with the tools in the server's order, sorted keys and unescaped text."""

        file_extension = "tools.json"
        _write_mode = WriteMode.TEXT

        def serialize(self, data: Any, **_options: Any) -> str:
            return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

        def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
            """Yield what changed, how to accept it, and the lines that differ."""
            yield from _explanation(str(snapshot_data), str(serialized_data))
            yield from super().diff_lines(serialized_data, snapshot_data)

    return ToolSchemaSnapshotExtension


def _explanation(before: str, after: str) -> Iterator[str]:
    from pytest_mcpbench.reporting.texts.tool_changes import changes
    from pytest_mcpbench.text.json_reading import read_json

    if not before:
        yield "There is no snapshot yet. Write it with: pytest --snapshot-update"
        return
    try:
        snapshot = read_json(before)
    except ValueError as error:
        yield f"the snapshot is not valid JSON: {error}. Write it anew with: pytest --snapshot-update"
        return
    yield from changes(snapshot, json.loads(after))
    yield "If that is right, accept it with: pytest --snapshot-update"
    yield ""


def response_extension(sanitizers: "list[Sanitizer]", directory: str, secrets: "SecretFilter") -> type[Any]:
    """Return the syrupy extension for responses of tools, in which ``directory`` and all matches are replaced."""
    from pytest_mcpbench.core.sanitizers import sanitize

    class ToolResponseSnapshotExtension(snapshot_extension()):  # type: ignore[misc]  # the base is made at run time
        """JSON with the content of a response, sorted keys and unescaped text."""

        file_extension = "response.json"

        def serialize(self, data: Any, **_options: Any) -> str:
            response = data.model_dump(mode="json", exclude_defaults=True) if hasattr(data, "model_dump") else data
            response = sanitize(response, [(re.escape(directory), "{sandbox}"), *sanitizers])
            return super().serialize(secrets.remove_from(response))  # type: ignore[no-any-return]  # as above

    return ToolResponseSnapshotExtension


@pytest.fixture
def mcp_server(request: pytest.FixtureRequest) -> "ServerRef":
    """A server; parametrized with those of the test's marker or directory."""
    server: ServerRef = request.param
    return server


@pytest.fixture
def mcp_tools(mcp_server: "ServerRef", mcp_session: Any, request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """The server's tools in the canonical form that lock files have: all pages, in the server's order."""
    try:
        definition = mcp_session.local.definition(mcp_server)
    except McpBenchError as error:
        raise AttemptError(error) from None
    shown = known_secrets(request.config).remove_from_definition(definition)
    return [dict(tool.canonical) for tool in shown.tools]


@pytest.fixture
def mcp_lint(mcp_server: "ServerRef", mcp_session: Any, request: pytest.FixtureRequest) -> "LintResult":
    """The findings about the server that the project does not ignore: ``assert not mcp_lint.errors``."""
    from pytest_mcpbench.definitions.lint.settings import apply_settings
    from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
    from pytest_mcpbench.suite_files.linting import lint_servers, lint_settings

    try:
        settings = lint_settings(request.config.rootpath)
        server = ConfiguredServer(mcp_server.name, mcp_server, ())
        findings = lint_servers([(server, mcp_session.local.definition(mcp_server))], settings)
    except McpBenchError as error:
        raise AttemptError(error) from None
    return apply_settings(findings, settings)


@pytest.fixture
def tool_schema_snapshot(snapshot: "SnapshotAssertion") -> "SnapshotAssertion":
    """``assert mcp_tools == tool_schema_snapshot`` shows what changed; ``--snapshot-update`` accepts it."""
    return snapshot.use_extension(snapshot_extension())


@pytest.fixture
def tool_response_snapshot(
    snapshot: "SnapshotAssertion", mcp_call: Any, mcp_sanitizers: "list[Sanitizer]", request: pytest.FixtureRequest
) -> "SnapshotAssertion":
    """``assert mcp_call("add", a=2, b=3) == tool_response_snapshot`` compares a response without what varies."""
    secrets = known_secrets(request.config)
    return snapshot.use_extension(response_extension(mcp_sanitizers, str(mcp_call.directory), secrets))
