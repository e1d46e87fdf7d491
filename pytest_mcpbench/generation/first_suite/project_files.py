"""Texts of the files that a project begins with: its task file, and those around it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.generation.first_suite.proposing import Proposal

_CI_FILES: Mapping[str, Mapping[str, str]] = {
    "github": {".github/actions/mcpbench/action.yml": "action.yml", ".github/workflows/mcpbench.yml": "workflow.yml"},
    "gitlab": {"ci/mcpbench.yml": "gitlab.yml"},
}
"""CI system -> path of each file, and its template."""
CI_SYSTEMS = tuple(_CI_FILES)


def ci_files(system: str) -> dict[str, str]:
    """Return the texts of the files for a CI system, by path."""
    directory = Path(__file__).parent / "files"
    return {path: (directory / name).read_text(encoding="utf-8") for path, name in _CI_FILES[system].items()}


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


# The task file with the proposals.

_HEAD = """\
# Proposals, one for each tool, written by `mcpbench init`. A proposal is no task yet: all agents but `oracle` skip it.
# To make it one, write the request in the words of your users, who do not know the tool's name and description, check
# the arguments, and delete the line `proposal:`. Proposals behind # did not run: fill in what the line above them says,
# or give it to `mcpbench init --example TOOL='{"parameter": "value"}'`, which adds to this file what then runs.
"""
_LEFT_TO_DO = "write the request in the words of a user, then delete this line"


def task_file(head: Mapping[str, Any], proposals: Iterable[Proposal], server: str | None) -> str:
    """Return YAML with the proposals that ``oracle`` passes, and the others as comments.

    Args:
        head: Fields of the file, such as ``server``.
        proposals: The proposals.
        server: Name of the server of each task, if the file has several.
    """
    proposals = list(proposals)
    fields = "".join(f"{name}: {_flow(value)}\n" for name, value in head.items())
    has_tasks = any(proposal.problem is None for proposal in proposals)
    tasks = "\n".join(entry(proposal, server) for proposal in proposals)
    return f"{_HEAD}{fields}tasks:{'' if has_tasks else ' [] # delete [] with the first task'}\n{tasks}"


def entry(proposal: Proposal, server: str | None) -> str:
    """Return the lines of one proposal: a task, or a comment if ``oracle`` does not pass."""
    text = "".join(f"{line}\n" for line in _lines(proposal, server))
    if proposal.problem is None:
        return text
    commented = "".join(f"  # {line[2:]}\n" for line in text.splitlines())
    return f"  # {proposal.tool.name}: {_one_line(proposal.problem)}.\n{commented}"


def with_additions(text: str, proposals: Iterable[Proposal], server: str | None) -> tuple[str, list[str]]:
    """Return a task file with further proposals, and their tools; those that the file has already are left out.

    The comment about a tool, if it is as it was written, is replaced, by another one if the tool did not run; other
    proposals follow the last task.
    """
    content = yaml.safe_load(text)
    tasks = content.get("tasks") if isinstance(content, dict) else None
    present = {_tool_of(task) for task in tasks or () if isinstance(task, dict)}
    added: list[str] = []
    for proposal in proposals:
        name = proposal.tool.name
        if name in present:
            continue
        lines = entry(proposal, server)
        comment = re.compile(rf"^  # {re.escape(name)}: .*\n(?:  #   .*\n|  # - .*\n)*", re.MULTILINE)
        text, replaced = comment.subn(lambda _, lines=lines: lines, text, count=1)  # type: ignore[misc]
        if proposal.problem is None:
            text = text if replaced else f"{text.rstrip()}\n\n{lines}"
            added.append(name)
    if added:
        text = re.sub(r"^tasks: *\[\].*$", "tasks:", text, count=1, flags=re.MULTILINE)
    return text, added


def _tool_of(task: Mapping[str, Any]) -> Any:
    """Return the tool that a proposal is about: that of its last call."""
    calls = task.get("calls")
    last = calls[-1] if isinstance(calls, list) and calls else task
    return last.get("tool") if isinstance(last, dict) else None


def _lines(proposal: Proposal, server: str | None) -> Iterator[str]:
    arguments = {**proposal.arguments, **{parameter.name: "…" for parameter in proposal.missing}}
    yield f"  - ask: {_flow(proposal.request)}"
    yield f"    proposal: {_flow(_LEFT_TO_DO)}"
    if server is not None:
        yield f"    server: {_flow(server)}"
    context = proposal.context.model_dump(exclude_defaults=True)
    if context:
        yield f"    context: {_flow(context)}"
    if proposal.setup:
        yield "    setup:"
        for call in proposal.setup:
            made = {"tool": call.tool, **({"arguments": call.arguments} if call.arguments else {})}
            yield f"      - {_flow(made)}"
    if proposal.maker is not None:
        yield "    calls:"
        made = {"id": "1", "tool": proposal.maker.tool.name, "arguments": proposal.maker.arguments}
        yield f"      - {_flow(made)}"
        yield f"      - {_flow({'tool': proposal.tool.name, 'arguments': arguments})}"
        return
    yield f"    tool: {_flow(proposal.tool.name)}"
    if arguments:
        yield f"    arguments: {_flow(arguments)}"
    for parameter in proposal.missing:
        kind = " or ".join(sorted(parameter.types)) or "any type"
        described = _one_line(parameter.description)
        yield f"    # {parameter.name}: {kind}" + (f", {described}" if described else "")


def _flow(value: Any) -> str:
    """Return a value as JSON, which is YAML."""
    return json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    shown = " ".join(text.split()).rstrip(".")
    return shown if len(shown) <= 120 else f"{shown[:119]}…"
