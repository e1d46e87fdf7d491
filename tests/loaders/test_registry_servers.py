"""Servers of registries' ``server.json`` files."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli.generation import defined_servers
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.loaders.registry_servers import read_registry_servers


def entry(**fields: Any) -> Any:
    (server,) = read_registry_servers(json.dumps({"name": "io.github.ann/weather", **fields}), "server.json")
    assert server.name == "weather"
    return server.entry


def package(kind: str = "npm", **fields: Any) -> dict[str, Any]:
    return {"registryType": kind, "identifier": "@ann/weather", "version": "1.2.0", **fields}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"packages": [package()]}, {"command": "npx", "args": ["-y", "@ann/weather@1.2.0"]}),
        (
            {"packages": [package("pypi", identifier="weather", runtimeHint="pipx")]},
            {"command": "pipx", "args": ["weather==1.2.0"]},
        ),
        (
            {
                "packages": [
                    package(
                        "oci",
                        identifier="docker.io/ann/weather",
                        environmentVariables=[{"name": "KEY", "isRequired": True, "isSecret": True}, {"name": "NO"}],
                    )
                ]
            },
            {
                "command": "docker",
                "args": ["run", "-i", "--rm", "-e", "KEY", "docker.io/ann/weather:1.2.0"],
                "env": {"KEY": "${KEY}"},
            },
        ),
        (
            {
                "packages": [
                    package(
                        runtimeArguments=[
                            {"type": "positional", "value": "-y"},
                            {"type": "named", "name": "--no-color"},
                        ],
                        packageArguments=[
                            {"type": "named", "name": "--units", "default": "metric"},
                            {"type": "positional", "value": "stdio"},
                        ],
                        environmentVariables=[{"name": "MODE", "default": "test"}],
                    )
                ]
            },
            {
                "command": "npx",
                "args": ["-y", "@ann/weather@1.2.0", "--units", "metric", "stdio"],
                "env": {"MODE": "test"},
            },
        ),
        (
            {
                "packages": [package("mcpb")],
                "remotes": [
                    {
                        "type": "streamable-http",
                        "url": "https://weather.example/mcp",
                        "headers": [
                            {"name": "Authorization", "value": "Bearer {token}", "isSecret": True},
                            {"name": "X-Api-Key", "isRequired": True},
                            {"name": "X-Client", "value": "tests"},
                        ],
                    }
                ],
            },
            {
                "type": "http",
                "url": "https://weather.example/mcp",
                "headers": {
                    "Authorization": "Bearer ${AUTHORIZATION}",
                    "X-Api-Key": "${X_API_KEY}",
                    "X-Client": "tests",
                },
            },
        ),
    ],
    ids=["npm", "pypi", "docker", "arguments", "remote"],
)
def test_a_server_is_started_or_reached_as_its_registry_says(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    assert entry(**fields) == expected


def test_of_a_variable_that_is_declared_twice_the_first_needed_entry_counts() -> None:
    variables = [{"name": "B"}, {"name": "B", "default": "first"}, {"name": "B", "value": "second"}]
    assert entry(packages=[package("oci", identifier="ann/weather", environmentVariables=variables)]) == {
        "command": "docker",
        "args": ["run", "-i", "--rm", "-e", "B", "ann/weather:1.2.0"],
        "env": {"B": "first"},
    }


def test_the_name_of_a_variable_that_is_no_text_is_written_as_one() -> None:
    variables = [{"name": 7, "isRequired": True}, {"name": 8, "default": 9}]
    assert entry(packages=[package(environmentVariables=variables)])["env"] == {"7": "${7}", "8": "9"}


def test_the_list_of_a_registry_gives_servers_with_categories(tmp_path: Path) -> None:
    servers = [
        {"server": {"name": "a/maps", "packages": [package()]}, "category": "MAP"},
        {"server": {"name": "b/quotes", "remotes": [{"type": "sse", "url": "https://q.example/sse"}]}},
    ]
    (tmp_path / "list.json").write_text(json.dumps({"servers": servers}))
    found = defined_servers([], [], [tmp_path / "list.json"])
    assert found.categories == {"map": ["maps"]}
    assert found.in_mcp_json["quotes"] == {"type": "sse", "url": "https://q.example/sse"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "server.json: not valid JSON"),
        ('{"mcpServers": {}}', "mcp.json is for --mcp-config"),
        ('[{"tools": [{"name": "a"}, {"name": "b"}]}]', "has 2 tools, but no server that answers calls of them"),
        (json.dumps({"packages": [package("mcpb")]}), "none of its packages (mcpb) can be started"),
        (
            json.dumps(
                {"name": "x/y", "packages": [package(packageArguments=[{"valueHint": "dir", "isRequired": True}])]}
            ),
            "x/y: dir has no value; name the server with --server",
        ),
        (json.dumps({"remotes": [{"type": "sse", "url": "https://{host}/"}]}), "has variables"),
    ],
)
def test_what_is_missing_is_said(content: str, problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_registry_servers(content, "server.json")
    assert problem in str(raised.value)
