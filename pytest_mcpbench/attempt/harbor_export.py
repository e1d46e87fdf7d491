"""Tasks as directories of Harbor: container, servers, instruction, tests and solution."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from pytest_mcpbench import __version__
from pytest_mcpbench.agents.programs.call_recorder import tools_of_servers
from pytest_mcpbench.agents.programs.proxy import plain_names
from pytest_mcpbench.attempt.harbor import ANSWER, SOLUTION, TASK, TESTS, HarborTask
from pytest_mcpbench.attempt.sandbox import open_sandbox
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.conditions import NO_DISPATCHER
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL
from pytest_mcpbench.core.prompt import system_prompt
from pytest_mcpbench.core.score import JudgedMetric
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Expected, Limits, Task
from pytest_mcpbench.loaders.recorded_servers import FACTORY as RECORDED
from pytest_mcpbench.servers.exposure import servers_needed
from pytest_mcpbench.text.paths import SANDBOX

# Harbor copies `tests` and `solution` into the container when the agent has ended, so that only they have references.

_CONTAINER = """\
FROM python:3.12-slim
RUN pip install --no-cache-dir pytest-mcpbench=={version}
# Without the suites, which contain the references.
RUN rm -r "$(python -c 'from pytest_mcpbench.suite_files.discovery import *; print(shipped_directory())')"
COPY . /{directory}
WORKDIR /app
"""
_SETTINGS = """\
schema_version = "1.4"

[task]
name = {name}
description = {description}
keywords = ["mcp"]

[metadata]
suite = {suite}
task = {task}
hash = {hash}
tags = {tags}

[agent]
{timeout}"""
_SERVER = """
[[environment.mcp_servers]]
name = {name}
transport = "stdio"
command = "mcpbench"
args = ["harbor", "connect", {name}]
"""
_SCRIPT = "#!/bin/sh\nexec mcpbench harbor {action}\n"
_ENDING = "When you have finished, write your final answer, and nothing else, to the file `/{answer}`."


def obstacle(file: HarborTask) -> str | None:
    """Return what a task needs that a container does not have, as in "3 need …"; ``None`` if it can be exported."""
    task, suite = file.task, file.suite
    if suite.route or suite.exposure == "needed" or suite.distractors or suite.dispatcher != NO_DISPATCHER:
        return "need a choice of tools that is made by the run"
    if task.user is not None or len(task.turns) > 1:
        return "need a user who says more than one message"
    if task.proposal is not None:
        return "need their author, as they are proposals"
    if not all(map(_ships, servers_needed(task, suite))):
        return "need servers that do not ship with pytest-mcpbench"
    if task.expected.verify or task.offered_skills or SANDBOX in task.model_dump_json():
        return "need skills, the path of their directory or calls that verify them"
    if "emr" in file.plan.floors:
        # It compares groups, and the servers see only which calls overlapped in time.
        return "need to know which calls a message made together (the metric emr)"
    is_judged = any(isinstance(metric, JudgedMetric) for metric in file.metrics.values())
    return "need a model as judge" if is_judged and file.judge not in JUDGES_WITHOUT_MODEL else None


def _ships(server: ServerRef) -> bool:
    # Results that a server replays would be those of the reference.
    return str(server.factory).startswith("pytest_mcpbench.simulated.") and server.factory != RECORDED


async def task_files(tasks: Sequence[Task], suite: SuiteManifest) -> tuple[list[HarborTask], dict[str, int]]:
    """Return the tasks that can be exported, and how many others need what."""
    files: list[HarborTask] = []
    left_out: dict[str, int] = {}
    async with ServerPool() as pool:
        for task in tasks:
            file = HarborTask(suite=_reduced(suite, task), task=task, servers={})
            if (needed := obstacle(file)) is not None:
                left_out[needed] = left_out.get(needed, 0) + 1
                continue
            # Opened and not only listed: the tools of a server may depend on its seed.
            with open_sandbox(task, suite.directory) as sandbox:
                async with pool.arena(task, suite, sandbox) as arena:
                    servers = plain_names(tools_of_servers(arena.tools))
            files.append(file.model_copy(update={"servers": servers}))
    return files, left_out


def _reduced(suite: SuiteManifest, task: Task) -> SuiteManifest:
    servers = {server.name: server for server in servers_needed(task, suite)}
    return suite.model_copy(update={"servers": servers, "files": suite.files[:1], "warnings": ()})


def write_task(file: HarborTask, directory: Path) -> None:
    """Write a task as a directory of Harbor, in place of what is there."""
    for part in ("environment", "tests", "solution"):
        shutil.rmtree(directory / part, ignore_errors=True)
        (directory / part).mkdir(parents=True)
    (directory / "task.toml").write_text(_settings(file), encoding="utf-8", newline="\n")
    task = file.task
    parts = (system_prompt(task), task.prompt, _ENDING.format(answer=ANSWER))
    (directory / "instruction.md").write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8", newline="\n")
    container = _CONTAINER.format(version=__version__, directory=Path(TASK).parent)
    environment = directory / "environment"
    (environment / "Dockerfile").write_text(container, encoding="utf-8", newline="\n")
    _write_task_file(_without_reference(file, environment), environment / Path(TASK).name)
    for place, script, action in ((TESTS, "test.sh", "score"), (SOLUTION, "solve.sh", "solve")):
        _write_task_file(file, directory / place)
        path = (directory / place).with_name(script)
        path.write_text(_SCRIPT.format(action=action), encoding="utf-8", newline="\n")
        path.chmod(0o755)


def _write_task_file(file: HarborTask, path: Path) -> None:
    # The place of the suite is another one in the container.
    placed = file.model_copy(update={"suite": file.suite.model_copy(update={"directory": "."})})
    path.write_text(placed.model_dump_json(exclude_unset=True), encoding="utf-8", newline="\n")


def _without_reference(file: HarborTask, environment: Path) -> HarborTask:
    """Return the task as its agent may read it, and copy the files of its context."""
    task, suite = file.task, file.suite
    context = task.context
    if isinstance(context.files, str):
        shutil.copytree(Path(suite.directory, context.files), environment / "files", symlinks=True)
        context = context.model_copy(update={"files": "files"})
    if isinstance(context.git, str):
        shutil.copy(Path(suite.directory, context.git), environment / "history")
        context = context.model_copy(update={"git": "history"})
    # Harbor has the limit of time.
    limits = Limits.model_validate({**(task.limits or Limits()).model_dump(exclude_unset=True), "seconds": None})
    own = {"expected": Expected(), "floors": {}, "guards": {}, "context": context, "limits": limits}
    return file.model_copy(update={"task": task.model_copy(update=own)})


def _settings(file: HarborTask) -> str:
    task, suite = file.task, file.suite
    limits = file.plan.task.limits or Limits()
    name = re.sub(r"[^A-Za-z0-9_]+", "-", f"{suite.name}-{task.id}")
    tags = ", ".join(f"{_text(key)} = {_text(value)}" for key, value in task.tags.items())
    settings = _SETTINGS.format(
        name=_text(f"pytest-mcpbench/{name.strip('-')}"),
        description=_text(suite.title),
        suite=_text(suite.name),
        task=_text(task.id),
        hash=_text(task.hash),
        tags=f"{{ {tags} }}",
        timeout=f"timeout_sec = {limits.seconds:g}\n" if limits.seconds else "",
    )
    return settings + "".join(_SERVER.format(name=_text(server)) for server in file.servers.values())


def _text(value: str) -> str:
    # A string of JSON is one of TOML, too.
    return json.dumps(value, ensure_ascii=False)
