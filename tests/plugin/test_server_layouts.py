"""Task files, tests, servers and ``mcp.json`` in different directories of a project."""

import json
from pathlib import Path

import pytest

from tests.servers.subjects import SCRIPTS

SERVER = (SCRIPTS / "odd.py").read_text()
TASKS = "tasks:\n  - {id: echo, ask: Say hi, tool: echo, arguments: {text: hi}}\n"
TOOLS = """
def test_tools(mcp_tools):
    assert mcp_tools[0]["name"] == "echo"
"""
IN_PROCESS = "servers: {notes: {factory: 'fixtures.notes_server:server'}}\ntasks: []\n"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def mcp_json(*arguments: str, **fields: str) -> str:
    return json.dumps({"mcpServers": {"odd": {"command": "python", "args": ["-S", *arguments], **fields}}})


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {"server.py": SERVER, "tests/a.mcpbench.yaml": f"server: python -S server.py\n{TASKS}"}, id="command"
        ),
        pytest.param(
            {"server.py": SERVER, "mcp.json": mcp_json("server.py"), "tests/a.mcpbench.yaml": TASKS}, id="mcp.json"
        ),
        pytest.param(
            {
                "src/server.py": SERVER,
                "mcp.json": mcp_json("server.py", cwd="src"),
                "tests/unit/a.mcpbench.yaml": TASKS,
            },
            id="working directory",
        ),
        pytest.param(
            {
                "server.py": SERVER,
                ".vscode/mcp.json": mcp_json("${workspaceFolder}/server.py"),
                "tests/a.mcpbench.yaml": TASKS,
            },
            id="workspace folder",
        ),
    ],
)
def test_tasks_and_snapshots_find_the_server_of_the_project(pytester: pytest.Pytester, files: dict[str, str]) -> None:
    pytester.makeini("[pytest]\n")
    tests = next(Path(name).parent for name in files if name.endswith(".yaml"))
    write(pytester.path, {**files, str(tests / "test_tools.py"): TOOLS})
    pytester.runpytest_inprocess("--model=oracle").assert_outcomes(passed=2)


def ids(pytester: pytest.Pytester) -> list[str]:
    lines = pytester.runpytest_inprocess("--collect-only", "-q").outlines
    return [line.partition("[")[2].rstrip("]") for line in lines if "test_tools[" in line]


def test_a_further_task_file_or_mcp_json_leaves_the_ids_of_servers_as_they_are(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\n")
    only = "server: python -S server.py\ntasks: []\n"
    write(pytester.path, {"tests/b.mcpbench.yaml": only, "tests/test_a.py": TOOLS})
    first = ids(pytester)
    added = {
        "tests/a.mcpbench.yaml": only,
        "tests/c.mcpbench.yaml": "server: npx -y @example/other --api-key=sk-1\ntasks: []\n",
        "tests/mcp.json": mcp_json("x.py"),
        "tests/.mcp.json": mcp_json("y.py"),
    }
    write(pytester.path, added)
    assert first == ["server.py"]
    assert ids(pytester) == ["server.py", "other", "odd", "odd@.mcp.json"]


def test_a_configuration_that_was_not_found_is_reported_with_the_places(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\n")
    write(pytester.path, {"tests/a.mcpbench.yaml": TASKS})
    result = pytester.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["tests/a.mcpbench.yaml:2: server: the file defines no server, and no mcp.json, * in tests, .. Write*"]
    )


def test_tools_without_a_configuration_are_reported_with_the_places(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\n")
    write(pytester.path, {"tests/test_a.py": TOOLS})
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*the test uses mcp_tools, and no * is in tests, .:*"])
