"""The ecosystem's own lists of servers."""

import json
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.loaders.mcp_json import McpServers, expand_variables, read_mcp_json

SECRET = "sk-123"


def read(definition: dict[str, Any] | str, **environment: str) -> McpServers:
    text = definition if isinstance(definition, str) else json.dumps({"mcpServers": {"a": definition}})
    return read_mcp_json(text, "mcp.json", environment)


def server(definition: dict[str, Any], **environment: str) -> ServerRef:
    return read(definition, **environment).servers["a"]


def stdio(command: str, *arguments: str, **fields: Any) -> ServerRef:
    return ServerRef(name="a", transport="stdio", command=command, arguments=arguments, **fields)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ({"command": "npx", "args": ["-y", "x"]}, stdio("npx", "-y", "x")),
        ({"type": "stdio", "command": "x", "args": ["--port", 5]}, stdio("x", "--port", "5")),
        ({"command": ["uvx", "x"], "args": ["y"]}, stdio("uvx", "x", "y")),
        ({"command": "x", "env": {"A": 1, "B": True}}, stdio("x", environment={"A": "1", "B": "true"})),
        ({"command": "x", "cwd": "/srv"}, stdio("x", working_directory="/srv")),
        ({"command": "x", "timeout": 300}, stdio("x", timeouts=ServerTimeouts(call_seconds=300))),
        ({"command": "x", "timeout": 90_000}, stdio("x", timeouts=ServerTimeouts(call_seconds=90))),
        ({"command": "x", "timeouts": {"start_seconds": 300}}, stdio("x", timeouts=ServerTimeouts(start_seconds=300))),
        (
            {"url": "https://x.org/mcp", "timeout": 120},
            ServerRef(name="a", transport="http", url="https://x.org/mcp", timeouts=ServerTimeouts(call_seconds=120)),
        ),
        ({"url": "https://x.org/mcp"}, ServerRef(name="a", transport="http", url="https://x.org/mcp")),
        ({"url": "https://x.org/sse"}, ServerRef(name="a", transport="sse", url="https://x.org/sse")),
        ({"type": "sse", "url": "https://x.org"}, ServerRef(name="a", transport="sse", url="https://x.org")),
        (
            {"type": "streamable-http", "url": "https://x.org"},
            ServerRef(name="a", transport="http", url="https://x.org"),
        ),
        ({"serverUrl": "https://x.org"}, ServerRef(name="a", transport="http", url="https://x.org")),
        (
            {"type": "http", "url": "https://x.org", "headers": {"X": "1"}},
            ServerRef(name="a", transport="http", url="https://x.org", headers={"X": "1"}),
        ),
    ],
)
def test_definitions_are_read_in_the_ecosystems_spellings(definition: dict[str, Any], expected: ServerRef) -> None:
    assert server(definition) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}',
        '{"mcp": {"servers": {"a": {"command": "x"}}}}',
        '{"context_servers": {"a": {"command": "x"}}}',
        '{\n// mine\n"mcpServers": {/* only */ "a": {"command": "x",},},\n}',
    ],
    ids=["VS Code", "VS Code settings", "Zed", "comments and commas"],
)
def test_lists_of_other_programs_are_read(text: str) -> None:
    assert read(text).servers == {"a": stdio("x")}


def test_comments_are_not_looked_for_in_texts() -> None:
    assert server({"url": "http://x//y", "headers": {"A": "/* ,} */"}}).headers == {"A": "/* ,} */"}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${KEY}", SECRET),
        ("${env:KEY}", SECRET),
        ("Bearer ${KEY}!", f"Bearer {SECRET}!"),
        ("${NONE:-default}", "default"),
        ("${NONE:-}", ""),
        ("${EMPTY}", ""),
        ("${EMPTY:-default}", "default"),
        ("$KEY", "$KEY"),
        ("${1KEY}", "${1KEY}"),
    ],
)
def test_variables_are_expanded_from_the_environment(written: str, value: str) -> None:
    assert expand_variables({"x": [written]}, {"KEY": SECRET, "EMPTY": ""}) == ({"x": [value]}, ())


def test_a_variable_that_is_not_set_is_the_problem_of_its_server_alone() -> None:
    servers = read(
        '{"mcpServers": {"a": {"command": "x", "env": {"K": "${KEY}", "L": "${OTHER}"}}, "b": {"command": "y"}}}'
    ).servers
    assert servers["b"].problem is None
    assert servers["a"].problem == ("environment variables not set: KEY, OTHER; set them or write a default, ${KEY:-…}")


def test_what_vs_code_would_ask_a_person_for_is_a_problem() -> None:
    found = server({"command": "x", "env": {"K": "${input:api-key}"}})
    assert (found.problem or "").startswith("${input:api-key} asks a user of VS Code")


def test_secrets_are_not_shown_by_a_server() -> None:
    shown = server({"url": "https://x.org", "headers": {"Authorization": "Bearer ${KEY}"}}, KEY=SECRET)
    assert shown.headers == {"Authorization": f"Bearer {SECRET}"}
    assert SECRET not in repr(shown)


def test_unknown_keys_are_warnings() -> None:
    found = read({"command": "x", "autoApprove": ["y"], "description": "z", "network": False, "timeouts": {}})
    assert found == McpServers(
        {"a": stdio("x")}, ("mcp.json: server 'a': 'autoApprove' is not supported and was ignored",)
    )


@pytest.mark.parametrize("off", [{"disabled": True}, {"enabled": False}])
def test_a_server_that_is_switched_off_is_left_out(off: dict[str, bool]) -> None:
    assert read({"command": "x", **off}).servers == {}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            '{\n "mcpServers": {\n',
            "mcp.json:3: not valid JSON: Expecting property name enclosed in double quotes (column 1).",
        ),
        ("[]", "mcp.json: must be an object with `mcpServers`, not a list."),
        (
            "{}",
            "mcp.json: the file has neither `mcpServers` nor VS Code's `servers`. "
            'Write {"mcpServers": {"name": {"command": "…", "args": []}}}.',
        ),
        ('{"mcpServers": []}', "mcp.json: mcpServers: must map names to servers, not be a list."),
        ('{"mcpServers": {"a": "x"}}', "mcp.json: mcpServers.a: must be an object with `command` or `url`, not text."),
        ('{"mcpServers": {"a": {}}}', "mcp.json: mcpServers.a: server 'a' (stdio) needs a command."),
        ('{"mcpServers": {"a": {"type": "http"}}}', "mcp.json: mcpServers.a: server 'a' (http) needs a url."),
        (
            '{"mcpServers": {"a": {"type": "carrier-pigeon"}}}',
            "mcp.json: mcpServers.a: the type 'carrier-pigeon' is unknown. "
            "Use one of: stdio, http, streamable-http, sse, atlas.",
        ),
        (
            '{"mcpServers": {"a": {"command": "x", "args": "y"}}}',
            "mcp.json: mcpServers.a.arguments: must be a list, not text.",
        ),
        (
            '{"mcpServers": {"my server": {"command": "x"}}}',
            "mcp.json: mcpServers.my server.name: "
            "'my server' may only contain letters, digits, dots, dashes and underscores.",
        ),
    ],
)
def test_what_is_no_list_of_servers_is_an_error(text: str, error: str) -> None:
    with pytest.raises(TaskError) as caught:
        read(text)
    assert str(caught.value) == error


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"mcpServers": {"a": {"command": "x", "timeout": ' + "7" * 5000 + "}}}", id="5,000 digits"),
        pytest.param('{"mcpServers": {"a": {"command": "x", "timeout": 1e999}}}', id="endless timeout"),
        pytest.param('{"mcpServers": {"a": {"command": "x", "timeouts": 300}}}', id="timeouts without names"),
        pytest.param('{"mcpServers": {"a": {"b": ' + "[" * 500 + "]" * 500 + "}}}", id="500 levels"),
        pytest.param("[" * 100_000, id="100,000 levels"),
        pytest.param("/* " * 50_000, id="comments without end"),
        pytest.param('"\\' * 50_000, id="texts without end"),
    ],
)
def test_a_file_made_to_overload_its_reader_is_one_error_at_once(text: str) -> None:
    with pytest.raises(TaskError, match=r"^mcp\.json"):
        read_mcp_json(text, "mcp.json", {})


@pytest.mark.parametrize("beginning", ["${A", "${A:-", "${input:a"])
def test_variables_without_end_are_read_in_linear_time(beginning: str) -> None:
    text = beginning * 30_000
    assert expand_variables(text, {"A": "1"}) == (text, ())
