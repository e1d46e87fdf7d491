"""Tasks as directories of Harbor: what is written, what Harbor reads of it, and what their commands do."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from pytest_mcpbench import __version__
from pytest_mcpbench.attempt.harbor import serve, verdict
from pytest_mcpbench.attempt.harbor_export import task_files, write_task
from pytest_mcpbench.cli import main
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import load_suite
from tests.servers.subjects import INSTALLED

HARBOR = INSTALLED / "harbor"
SUITE = """\
name: office
title: A week in "the office"
servers:
  mail: {factory: "pytest_mcpbench.simulated.mail.server:server"}
  notes: {factory: "fixtures.notes_server:server"}
tasks:
  - id: plain
    ask: Which mails are unread?
    servers: [mail]
    context: {files: {shelf/list.txt: milk}}
    limits: {seconds: 90}
    expected: {answer: {contains: [secret-reference]}}
  - {id: own-server, ask: Read a note., servers: [notes], answer: {contains: [milk]}}
  - {id: talk, turns: [{user: Hello.}, {user: Which mails are unread?}], servers: [mail], answer: {contains: [a]}}
  - {id: judged, ask: Which mails are unread?, servers: [mail], claims: [Nobody has written.]}
judge: a-model
"""
PLAYED = {"adversarial": "account-of-a-supplier-attacked", "persona": "cross-117", "atlas": "archive-folders"}
"""Task by suite."""
VALIDATION = """
import json, sys, tomllib
from pathlib import Path
from harbor.models.task.config import TaskConfig
from harbor.models.task.paths import TaskPaths

for file in sorted(Path(sys.argv[1]).glob("*/task.toml")):
    paths = TaskPaths(file.parent)
    config = TaskConfig.model_validate_toml(file.read_text(encoding="utf-8"))
    # It ignores what it does not know.
    assert config.model_dump(mode="json", exclude_unset=True) == tomllib.loads(file.read_text(encoding="utf-8"))
    assert paths.instruction_path.is_file() and (paths.environment_dir / "Dockerfile").is_file()
    assert paths.discovered_test_path_for(config.environment.os) and paths.discovered_solve_path_for(None)
    servers = [each.name for each in config.environment.mcp_servers]
    print(json.dumps([config.task.name, config.agent.timeout_sec, servers]))
"""


def test_a_task_is_written_without_its_reference_for_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("office.mcpbench.yaml").write_text(SUITE, encoding="utf-8")
    assert main(["export", "office.mcpbench.yaml", "--format", "harbor", "--out", "harbor"]) == 0
    needs = (
        "1 that need servers that do not ship with pytest-mcpbench",
        "1 that need a user who says more than one message",
        "1 that need a model as judge",
    )
    assert capsys.readouterr().out == f"harbor/office: 1 of 4 tasks; left out: {'; left out: '.join(needs)}\n"
    directory = Path("harbor/office/plain")
    settings = tomllib.loads((directory / "task.toml").read_text(encoding="utf-8"))
    assert settings["task"] == {
        "name": "pytest-mcpbench/office-plain",
        "description": 'A week in "the office"',
        "keywords": ["mcp"],
    }
    assert settings["agent"] == {"timeout_sec": 90}
    (server,) = settings["environment"]["mcp_servers"]
    assert server == {
        "name": "mail",
        "transport": "stdio",
        "command": "mcpbench",
        "args": ["harbor", "connect", "mail"],
    }
    assert f"pytest-mcpbench=={__version__}\n" in (directory / "environment" / "Dockerfile").read_text(encoding="utf-8")
    assert (directory / "tests" / "test.sh").read_bytes().startswith(b"#!/bin/sh\n")
    said = {path.name: "secret-reference" in path.read_text(encoding="utf-8") for path in directory.rglob("*.*")}
    assert said.pop("task.json")
    assert not any(said.values())
    assert "secret-reference" not in (directory / "environment" / "task.json").read_text(encoding="utf-8")


def test_a_directory_has_the_tasks_of_one_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    suite = Path("office.mcpbench.yaml")
    for name in ("plain", "renamed"):
        suite.write_text(SUITE.replace("id: plain", f"id: {name}"), encoding="utf-8")
        status = main(["export", "office.mcpbench.yaml", "--format", "harbor", "--out", "harbor"])
    assert status == 2
    refusal = (
        f"{Path('harbor', 'office')} has tasks that this export does not write (plain), which Harbor would run, too"
    )
    assert refusal in capsys.readouterr().err
    assert [path.name for path in Path("harbor", "office").iterdir()] == ["plain"]
    assert main(["export", "office.mcpbench.yaml:full", "--format", "harbor", "--out", "harbor"]) == 0
    assert [path.name for path in Path("harbor", "office-full").iterdir()] == ["renamed"]


@pytest.mark.extra
@pytest.mark.isolated
@pytest.mark.skipif(not HARBOR.exists(), reason=f"{HARBOR} is missing; .ci/setup installs it")
def test_harbor_reads_every_task_of_a_suite(tmp_path: Path) -> None:
    assert main(["export", "adversarial", "--format", "harbor", "--out", str(tmp_path)]) == 0
    done = subprocess.run(
        [sys.executable, "-c", VALIDATION, str(tmp_path / "adversarial")],
        env={"PYTHONPATH": str(HARBOR), "PATH": "/usr/bin"},
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )
    read = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(read) == 56
    assert read[0] == ["pytest-mcpbench/adversarial-account-of-a-supplier-attacked", 1800, ["toolbox", "files"]]


class Container:
    """Directory that stands for the root of a container."""

    def __init__(self, root: Path, task: Path) -> None:
        self.root = root
        shutil.copytree(task / "environment", root / "mcpbench")
        shutil.copytree(task / "tests", root / "tests")
        shutil.copytree(task / "solution", root / "solution")
        own = str(Path(sys.executable).parent)
        self.environment = {"MCPBENCH_HARBOR_ROOT": str(root), "PATH": os.pathsep.join((own, os.environ["PATH"]))}

    def run(self, script: str) -> int:
        done = subprocess.run(["sh", str(self.root / script)], env=self.environment, check=False, timeout=300)
        return done.returncode

    async def list_tools(self, command: str, arguments: list[str]) -> list[str]:
        """Start a server and return the names of its tools."""
        parameters = StdioServerParameters(command=command, args=arguments, env=self.environment)
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return [tool.name for tool in (await session.list_tools()).tools]

    @property
    def reward(self) -> str:
        return (self.root / "logs" / "verifier" / "reward.txt").read_text(encoding="utf-8")


@pytest.mark.extra
@pytest.mark.skipif(sys.platform == "win32", reason="the containers are Linux")
@pytest.mark.parametrize("suite", PLAYED)
def test_the_reference_gets_the_reward_and_an_attempt_that_does_nothing_gets_none(suite: str, tmp_path: Path) -> None:
    loaded = load_suite(find_suite(suite, Path.cwd()), {})
    tasks = [task for task in loaded.tasks if task.id == PLAYED[suite]]
    (file,), _ = anyio.run(task_files, tasks, loaded.manifest)
    write_task(file, tmp_path / "task")
    servers = tomllib.loads((tmp_path / "task" / "task.toml").read_text(encoding="utf-8"))["environment"]["mcp_servers"]

    solved = Container(tmp_path / "solved", tmp_path / "task")
    for server in servers:
        assert anyio.run(solved.list_tools, server["command"], server["args"])
    assert solved.run("solution/solve.sh") == 0
    assert solved.run("tests/test.sh") == 0
    assert solved.reward == "1\n"
    # The attempt has ended.
    assert solved.run("solution/solve.sh") == 2

    idle = Container(tmp_path / "idle", tmp_path / "task")
    assert idle.run("tests/test.sh") == 0
    assert idle.reward == "0\n"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs the states of processes in /proc")
def test_a_process_that_nobody_has_waited_for_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCPBENCH_HARBOR_ROOT", str(tmp_path))
    attempt = tmp_path / "mcpbench" / "attempt"
    attempt.mkdir(parents=True)
    for name in ("log.txt", "servers.json"):
        (attempt / name).touch()
    with subprocess.Popen(["sleep", "300"]) as process:
        (attempt / "pid").write_text(str(process.pid), encoding="utf-8")
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert verdict().reasons == ("the process that held the servers was killed",)


def test_the_outcome_of_servers_that_ended_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCPBENCH_HARBOR_ROOT", str(tmp_path))
    (tmp_path / "mcpbench" / "attempt").mkdir(parents=True)
    with pytest.raises(FileNotFoundError):
        anyio.run(serve)
    reward = verdict()
    assert reward.reward is None
    assert reward.reasons[0].startswith("the process that held the servers ended: FileNotFoundError: ")
