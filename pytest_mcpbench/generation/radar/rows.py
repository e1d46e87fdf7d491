"""Rows of MCP-RADAR's file format (paper, A.1), one JSON object per line."""

import json
from collections.abc import Iterable
from random import Random
from typing import Any
from uuid import UUID

from pytest_mcpbench.generation.radar.math.problem import Problem
from pytest_mcpbench.generation.radar.request import RadarRequest
from pytest_mcpbench.generation.radar.web.question import WebQuestion


def jsonl(rows: Iterable[dict[str, Any]], name: str, seed: int) -> str:
    """Return the text of a task file. Row ids are derived from the file name, the seed and the row's position."""
    draw = Random(f"{seed}/{name}/ids")
    return "".join(
        json.dumps({"unique_id": str(UUID(int=draw.getrandbits(128), version=4)), **row}, ensure_ascii=False) + "\n"
        for row in rows
    )


def precise_row(problem: Problem | WebQuestion, derivation: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a task with one correct answer.

    ``Derivation`` is our own key: the calls with which ``oracle`` finds the answer.
    """
    return {"Prompt": problem.prompt, "Answer": problem.answer, "Derivation": derivation}


def fuzzy_row(request: RadarRequest) -> dict[str, Any]:
    """Return the row of a task with one or several calls; several are lists of names and arguments.

    ``Says`` is our own key: the facts that free text must state. So is ``Answer`` beside calls: the value that the user
    asks for.
    """
    stated: dict[str, Any] = {"Answer": request.answer} if request.answer is not None else {}
    if request.required_facts:
        stated["Says"] = [list(fact) for fact in request.required_facts]
    tools, arguments = [call.tool for call in request.calls], [call.arguments for call in request.calls]
    if len(tools) == 1:
        return {"Prompt": request.prompt, "Toolname": tools[0], "Toolargs": arguments[0], **stated}
    return {"Prompt": request.prompt, "Toolname": tools, "Toolargs": arguments, **stated}
