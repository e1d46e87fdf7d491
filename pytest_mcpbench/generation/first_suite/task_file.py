"""Text of a task file with proposals."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_mcpbench.generation.first_suite.proposing import Proposal

_HEAD = """\
# Proposals, one for each tool, written by `mcpbench init`. A proposal is no task yet: all agents but `oracle` skip it.
# To make it one, write the request in the words of your users, who do not know the tool's name and description, check
# the arguments, and delete the line `proposal:`. Proposals behind # could not be tried: complete them first.
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
    tasks = "\n".join(_entry(proposal, server) for proposal in proposals)
    return f"{_HEAD}{fields}tasks:{'' if has_tasks else ' [] # delete [] with the first task'}\n{tasks}"


def _entry(proposal: Proposal, server: str | None) -> str:
    text = "".join(f"{line}\n" for line in _lines(proposal, server))
    if proposal.problem is None:
        return text
    commented = "".join(f"  # {line[2:]}\n" for line in text.splitlines())
    return f"  # {proposal.call.tool.name}: {_one_line(proposal.problem)}.\n{commented}"


def _lines(proposal: Proposal, server: str | None) -> Iterator[str]:
    arguments = {**proposal.call.arguments, **{parameter.name: "…" for parameter in proposal.call.missing}}
    yield f"  - ask: {_flow(proposal.request)}"
    yield f"    proposal: {_flow(_LEFT_TO_DO)}"
    if server is not None:
        yield f"    server: {_flow(server)}"
    yield f"    tool: {_flow(proposal.call.tool.name)}"
    if arguments:
        yield f"    arguments: {_flow(arguments)}"
    for parameter in proposal.call.missing:
        kind = " or ".join(sorted(parameter.types)) or "any type"
        described = _one_line(parameter.description)
        yield f"    # {parameter.name}: {kind}" + (f", {described}" if described else "")


def _flow(value: Any) -> str:
    """Return a value as JSON, which is YAML."""
    return json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    shown = " ".join(text.split()).rstrip(".")
    return shown if len(shown) <= 120 else f"{shown[:119]}…"
