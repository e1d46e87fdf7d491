"""Real servers for tasks of MCP-Atlas: definitions, reference calls on the installed ones, the suite ``atlas-real``."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.loaders.atlas import load
from pytest_mcpbench.loaders.atlas_servers import ENVIRONMENTS, KEYLESS
from pytest_mcpbench.loaders.mcp_json import read_mcp_json
from pytest_mcpbench.suite_files.discovery import shipped_directory
from pytest_mcpbench.suite_files.real_servers import write_real_servers
from tests.servers.subjects import INSTALLED, open_connection
from tests.shared_data import shared_file
from tests.suites import shipped

REAL = shipped_directory() / "atlas" / "real"
SIMULATED_ONLY = {"yfmcp", "calendar", "documents", "messages", "database"} | (
    {"mail", "office-mail", "tavily", "google-search", "paypal", "yahoo-finance", "finance-agent"}
)
"""Servers of the table of categories that are not among the 36."""
HAIRCUT = "6888e207a34beb25cfedda3b"
"""Task whose reference calls ``cli-mcp-server`` and ``calculator``."""
NEEDS_CODE = "689bd255c0422b257e7dfcc5"
"""Task whose reference also calls ``mcp-code-executor``."""
SAME_ANSWERS = {
    "calculator": {"calculate"},
    "cli-mcp-server": {"run_command"},
    "filesystem": {"list_allowed_directories", "list_directory", "read_file", "read_text_file"},
    "desktop-commander": {"list_directory", "read_file"},
}
"""Tools by server that answer as recorded, apart from the path of the files."""


def _servers(file: str, environment: dict[str, str] | None = None) -> dict[str, ServerRef]:
    found = read_mcp_json((REAL / file).read_text(encoding="utf-8"), file, environment or {})
    assert found.warnings == ()
    return found.servers


def test_every_server_is_defined_once_and_those_without_a_key_need_no_variable() -> None:
    every, keyless = _servers("mcp.json"), _servers("keyless.mcp.json")
    assert every.keys() == ENVIRONMENTS.keys() - SIMULATED_ONLY
    assert len(every) == 36
    assert {name for name, server in every.items() if server.problem is None} == KEYLESS
    assert keyless == {name: server for name, server in every.items() if name in KEYLESS}


def test_every_package_has_one_version() -> None:
    loose = [
        name
        for name, server in _servers("mcp.json").items()
        if not any(re.search(r"[^@]@\d|[a-z]==\d|[@#][0-9a-f]{40}$", argument) for argument in server.arguments)
    ]
    assert loose == ["weather-data"]


def test_the_containers_servers_are_reached_by_its_rest_interface() -> None:
    servers = _servers("container.mcp.json", {"ATLAS_CONTAINER": "http://atlas:1984"})
    assert servers.keys() == _servers("mcp.json").keys()
    assert {(server.transport, server.url, server.is_shared) for server in servers.values()} == {
        ("atlas", "http://atlas:1984", True)
    }


def test_definitions_are_written_beside_the_files_and_never_over_others(tmp_path: Path) -> None:
    assert write_real_servers("atlas", "keyless", tmp_path) == tmp_path / "mcp.json"
    write_real_servers("atlas", "keyless", tmp_path)
    with pytest.raises(UsageError, match="exists and differs"):
        write_real_servers("atlas", "all", tmp_path)
    assert (tmp_path / "mcp.json").read_bytes() == (REAL / "keyless.mcp.json").read_bytes()
    with pytest.raises(UsageError, match="the suite 'radar' has no definitions of real servers"):
        write_real_servers("radar", "all", tmp_path / "radar")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Directory with the benchmark's CSV files and an empty repository, for the installed servers."""
    if not (INSTALLED / "atlas.installed").is_file():
        pytest.skip(f"{INSTALLED / 'atlas.installed'} is missing; .ci/setup installs the servers")
    directory = tmp_path / "data"
    directory.mkdir()
    for file in shared_file("atlas/sample_tasks.csv").parent.glob("*.csv"):
        if file.name != "sample_tasks.csv":
            shutil.copy(file, directory)
    monkeypatch.setenv("ATLAS_DATA", str(directory))
    monkeypatch.setenv("PATH", f"{INSTALLED / 'uv' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return directory


def _reference_calls(server: str) -> list[ExpectedCall]:
    """Return the reference calls of a server in the public tasks, with their recorded results."""
    sample = shared_file("atlas/sample_tasks.csv")
    records = load(sample.read_bytes(), LoadOptions(sample.name, {"results": True}))
    tasks = [record.task for record in records if record.task is not None]
    return [call for task in tasks for call in task.expected.flat_calls if call.server == server]


def _play(server: str, data: Path, directory: Path) -> list[tuple[ExpectedCall, ToolResult]]:
    """Play the reference calls of a server on the real one, with the directory of the files in place of ``/data``."""
    ref = _servers("mcp.json", {"ATLAS_DATA": str(data)})[server]

    async def play() -> list[tuple[ExpectedCall, ToolResult]]:
        async with open_connection(ref, directory) as connection:
            return [(call, await connection.call(call.tool, _below(data, call))) for call in _reference_calls(server)]

    return anyio.run(play)


def _below(directory: Path, call: ExpectedCall) -> dict[str, Any]:
    arguments: dict[str, Any] = json.loads(json.dumps(call.arguments).replace("/data", str(directory)))
    return arguments


def _text(result: str) -> str:
    """Return a recorded result without the directory of repositories, which the shared files lack."""
    return re.sub(r"\n(\[DIR\] )?repos$", "", result, flags=re.MULTILINE)


@pytest.mark.extra
@pytest.mark.npm
@pytest.mark.parametrize(("server", "tools"), SAME_ANSWERS.items(), ids=SAME_ANSWERS)
def test_real_servers_answer_the_reference_calls_of_public_tasks_as_recorded(
    server: str, tools: set[str], data: Path, tmp_path: Path
) -> None:
    played = _play(server, data, tmp_path)
    compared = [
        (result.text.replace(str(data), "/data"), _text(str(call.result)))
        for call, result in played
        if call.tool in tools and "/data/repos" not in str(call.arguments)
    ]
    assert {call.tool for call, _ in played} >= tools
    assert [answer for answer, _ in compared] == [recorded for _, recorded in compared]


@pytest.mark.extra
@pytest.mark.npm
def test_the_real_git_server_shows_the_commits_of_a_repository(data: Path, tmp_path: Path) -> None:
    repository = data / "repos" / "storyteller"
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for command in (["init", "--quiet"], [*identity, "commit", "--quiet", "--allow-empty", "-m", "Begin a story"]):
        repository.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", *command], cwd=repository, check=True)
    ((call, result),) = _play("git", data, tmp_path)
    assert (call.tool, result.is_error) == ("git_log", False)
    assert "Begin a story" in result.text


@pytest.mark.extra
@pytest.mark.npm
def test_a_public_task_has_a_verdict_if_the_servers_of_its_reference_are_real(data: Path, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    shutil.copy(shared_file("atlas/sample_tasks.csv"), files)
    definitions = json.loads(re.sub(r"(?m)^\s*//.*$", "", (REAL / "keyless.mcp.json").read_text(encoding="utf-8")))
    real = {name: definitions["mcpServers"][name] for name in (*SAME_ANSWERS, "git")}
    (files / "mcp.json").write_text(json.dumps({"mcpServers": real}), encoding="utf-8")
    records = _records(files, tmp_path / "out")
    oracle, noop = records[HAIRCUT, "oracle"], records[HAIRCUT, "noop"]
    assert (oracle["outcome"], noop["outcome"]) == ("passed", "failed")
    assert records[NEEDS_CODE, "oracle"]["outcome"] == "unscored"
    assert [call["result"]["is_error"] for call in oracle["run"]["trajectory"]["steps"][0]["calls"]] == [False]
    assert {tool["server"] for tool in oracle["run"]["tools"]} <= set(real)
    assert "notion_API-post-search" in oracle["run"]["unavailable_tools"]


def _records(data: Path, out: Path) -> dict[tuple[str, str], dict[str, Any]]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "--suite=atlas"]
    options = [f"--mcpbench-data={data}", "--model=oracle", "--model=noop", f"--mcpbench-out={out}"]
    selection = ["-k", f"{HAIRCUT} or {NEEDS_CODE}"]
    run = subprocess.run(
        [*command, *options, *selection], capture_output=True, text=True, cwd=data, timeout=120, check=False
    )
    assert run.returncode == 1, run.stdout[-3000:]
    lines = (out / "records-main.jsonl").read_text(encoding="utf-8").splitlines()
    return {(record["task_id"], record["model"]): record for record in map(json.loads, lines)}


def _packages(servers: Iterable[ServerRef]) -> dict[str, str]:
    spec = re.compile(r"@?[\w./-]+(?:@|==)\d[\w.]*")
    return {server.name: spec.findall(" ".join(server.arguments))[0] for server in servers}


def test_the_suite_on_real_servers_has_their_versions_and_tasks_that_need_several() -> None:
    suite, tasks = shipped.suite("atlas-real"), shipped.tasks("atlas-real")
    every = _servers("mcp.json")
    assert len(suite.servers) == 7
    assert _packages(suite.servers.values()) == _packages(every[name] for name in suite.servers)
    needed = [{call.server for call in task.expected.flat_calls} for task in tasks]
    assert (len(tasks), sum(len(servers) > 1 for servers in needed)) == (41, 36)
    assert set().union(*needed) == set(suite.servers)
    assert sum(task.tags["conditional"] == "yes" for task in tasks) == 22
    setup = (Path(__file__).parents[2] / ".ci" / "setup").read_text(encoding="utf-8")
    installed = re.search(r"atlas_servers=[(](.+)[)]", setup)
    assert installed is not None
    assert set(installed[1].split()) == set(suite.servers)


@pytest.mark.extra
@pytest.mark.npm
@pytest.mark.usefixtures("data")
def test_the_references_of_the_suite_on_real_servers_are_answered_as_recorded_and_pass(tmp_path: Path) -> None:
    records, facts = _attempts("oracle", tmp_path)
    assert {record["task_id"]: record["outcome"] for record in records} == dict.fromkeys(_rows(), "passed")
    for record in records:
        calls = [call for step in record["run"]["trajectory"]["steps"] for call in step["calls"]]
        answers = [_comparable(call["result"]["content"]) for call in calls]
        recorded = [message for message in _rows()[record["task_id"]] if message["role"] == "tool"]
        assert answers == [_comparable(message["content"]) for message in recorded]
    assert "git: mcp-server-git==2026.1.14" in facts["suites"]["atlas-real"]["servers"]


@pytest.mark.extra
def test_doing_nothing_passes_no_task_of_a_sample_on_real_servers(tmp_path: Path) -> None:
    records, _ = _attempts("noop", tmp_path, "--mcpbench-exposure=none", "--mcpbench-sample=5")
    assert [record["outcome"] for record in records] == ["failed"] * 5


def _attempts(model: str, directory: Path, *options: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the records of a run of the suite, and the facts of the run."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "--suite=atlas-real"]
    own = [f"--model={model}", "--mcpbench-out=out", *options]
    subprocess.run([*command, *own], capture_output=True, cwd=directory, timeout=900, check=False)
    out = directory / "out"
    lines = (out / "records-main.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], json.loads((out / "run.json").read_text(encoding="utf-8"))


@cache
def _rows() -> dict[str, list[dict[str, Any]]]:
    """Return the recorded trajectory of each task."""
    return {row["TASK"]: row["TRAJECTORY"] for row in shipped.records("atlas-real")}


def _comparable(content: list[dict[str, Any]]) -> list[str]:
    """Return the lines of a result without what differs in each process: addresses, and the order of files searched."""
    text = "\n".join(str(block["text"]) for block in content)
    return sorted(re.sub("0x[0-9a-f]+", "0x", text).splitlines())
