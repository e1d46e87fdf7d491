"""Records of MCP-Persona's file format, built from requests (released files; paper, 3.3 and B.2)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from pytest_mcpbench.generation.persona.request import Request, RequestCall
from pytest_mcpbench.generation.source.files import source_directory

_STATEMENTS = 5
"""Number of unnecessary statements in a record."""


def file_content(requests: Iterable[Request]) -> str:
    """Return the text of one task file: a JSON array with one record per line."""
    lines = [json.dumps(record(each), ensure_ascii=False) for each in requests]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def record(request: Request) -> dict[str, Any]:
    """Return one record."""
    return {
        "id": request.number,
        "query_type": request.kind,
        "instruction": request.prompt,
        "context": {
            "necessary_context": {"My name": request.person, **request.necessary_context},
            "unnecessary_context": Random(f"persona/{request.number}").sample(small_talk(), _STATEMENTS),
        },
        "chains": [f"{call.server}:{call.tool}" for call in request.calls],
        "sampled_contexts": dict(request.seeds),
        "gt": [dict(each) for each in request.checkpoints],
        **({"claims": list(request.claims)} if request.claims else {}),
        "gt_annotation": {
            "tool_calling_sequence": "\n".join(_lines(request.calls)),
            "summary": [call.summary for call in request.calls],
        },
    }


def small_talk() -> list[str]:
    """Return statements about the user that no task needs."""
    text = (source_directory("persona") / "small_talk.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]


def _lines(calls: Iterable[RequestCall]) -> Iterator[str]:
    for number, call in enumerate(calls, 1):
        arguments = json.dumps(call.arguments, ensure_ascii=False).replace("<prev_result", f"<{number - 1}_result")
        yield f"{number}. {call.server}:{call.tool}: {_arguments(json.loads(arguments))}"


def _arguments(arguments: Mapping[str, Any]) -> str:
    if not arguments:
        return "[No parameters required]"
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
