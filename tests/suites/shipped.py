"""Shipped suites with their tasks, and the tools of their servers."""

import json
import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.suite_files.loading import load_tasks, read_suite

SUITES = Path(__file__).parents[2] / "suites"
NAMES = ("atlas", "finmcp", "persona", "radar", "toolbench")
"""Suites that follow a published benchmark; tests/suites/test_adversarial.py has the rules of the other one."""


@cache
def suite(name: str) -> SuiteManifest:
    return read_suite(SUITES / name / "suite.toml")


@cache
def loaded(name: str) -> tuple[LoadedTask, ...]:
    return load_tasks(suite(name)).records


@cache
def tasks(name: str) -> tuple[Task, ...]:
    return tuple(each.task for each in loaded(name) if each.task is not None)


@cache
def records(name: str) -> tuple[dict[str, Any], ...]:
    """Return the records of the suite's task files as they are written."""
    return tuple(row for file in suite(name).files for row in _rows(SUITES / name / file.path))


@cache
def tools(name: str) -> tuple[ToolSpec, ...]:
    """Return the tools of the suite's servers, under the servers' own names."""
    return anyio.run(partial(_listed, suite(name)))


def tool_of(call: ExpectedCall, name: str) -> ToolSpec:
    """Return the tool that a reference call refers to by its own or its prefixed name."""
    by_name = {each: tool for tool in tools(name) for each in (tool.tool, f"{tool.server}_{tool.tool}")}
    of_server = {(tool.server, tool.tool): tool for tool in tools(name)}
    return of_server.get((call.server or "", call.tool)) or by_name[call.tool]


def runs(text: str, length: int) -> frozenset[tuple[str, ...]]:
    """Return all sequences of ``length`` words; numbers are all alike, and each Chinese character is a word."""
    words = re.findall(r"[\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+|\d+", re.sub(r"\d+", "0", text.lower()))
    return frozenset(tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def request(task: Task) -> str:
    """Return the user messages of a task."""
    return "\n".join(turn.user for turn in task.turns)


def reference(task: Task) -> str:
    """Return the reference calls as one text, equal for tasks that expect the same calls."""
    return json.dumps([[call.tool, call.arguments] for call in task.expected.flat_calls], sort_keys=True)


def _rows(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)


async def _listed(of: SuiteManifest) -> tuple[ToolSpec, ...]:
    async with ServerPool(root=SUITES.parent) as pool:
        definitions = {ref.name: await pool.definition(ref) for ref in of.servers.values()}
    return tuple(tool.spec(server) for server, definition in definitions.items() for tool in definition.tools)
