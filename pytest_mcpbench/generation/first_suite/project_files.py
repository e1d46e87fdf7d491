"""Texts of the other files that a project begins with."""

import json
from string import Template
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.definitions.canonical import ServerDefinition

_SNAPSHOT_TEST = Template('''\
import pytest


@pytest.mark.mcpbench(server=$server)
def test_tools(mcp_tools, tool_schema_snapshot):
    """A changed name, description or schema fails; `pytest --snapshot-update` accepts it."""
    assert mcp_tools == tool_schema_snapshot
''')

_GITHUB_WORKFLOW = """\
name: mcpbench
on: [push, pull_request]
permissions:
  contents: read
  pull-requests: write # for the comment
jobs:
  mcpbench:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      # Install here what your server needs, too.
      - run: pip install pytest-mcpbench
      # Offline: lock, lint and tasks without a model. With a key in the secrets, add --model=claude.
      - run: pytest --mcpbench-markdown=comment.md --junitxml=junit.xml
      - run: mcpbench lint --format github
        if: always()
      - run: mcpbench comment comment.md
        if: always() && github.event_name == 'pull_request'
        env: {GITHUB_TOKEN: "${{ github.token }}"}
"""

_GITLAB_JOB = """\
mcpbench:
  image: python:3.12
  script:
    # Install here what your server needs, too.
    - pip install pytest-mcpbench
    # Offline: lock, lint and tasks without a model. With a key in the variables, add --model=claude.
    - pytest --mcpbench-markdown=comment.md --junitxml=junit.xml
  after_script:
    # MCPBENCH_GITLAB_TOKEN: a project access token with the scope api; without it the comment is left out.
    - if [ -n "$CI_MERGE_REQUEST_IID" ]; then mcpbench comment comment.md; fi
  artifacts:
    when: always
    reports: {junit: junit.xml}
"""

WORKFLOWS = {"github": (".github/workflows/mcpbench.yml", _GITHUB_WORKFLOW), "gitlab": ("ci/mcpbench.yml", _GITLAB_JOB)}
"""CI system -> path and text of its file."""


def snapshot_test(server: str) -> str:
    """Return a test file that compares the tools of a server with a snapshot."""
    return _SNAPSHOT_TEST.substitute(server=json.dumps(server))


def snapshot(server: ServerDefinition) -> str:
    """Return the snapshot of that test."""
    tools = [dict(tool.canonical) for tool in server.tools]
    return json.dumps(tools, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def mcp_json(ref: ServerRef) -> str:
    """Return an ``mcp.json`` with one server, whose environment variables are taken from the environment."""
    entry: dict[str, Any] = {"url": ref.url} if ref.url else {"command": ref.command, "args": list(ref.arguments)}
    if ref.environment:
        entry["env"] = {name: f"${{{name}}}" for name in ref.environment}
    if ref.headers:
        entry["headers"] = {name: f"${{{_variable(name)}}}" for name in ref.headers}
    return json.dumps({"mcpServers": {ref.name: entry}}, indent=2, ensure_ascii=False) + "\n"


def variables(ref: ServerRef) -> list[str]:
    """Return the environment variables that :func:`mcp_json` refers to."""
    return [*ref.environment, *map(_variable, ref.headers)]


def _variable(header: str) -> str:
    return header.upper().replace("-", "_")
