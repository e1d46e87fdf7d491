"""A small suite under review, and decisions about its tasks."""

import json
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.review import DIMENSIONS, Decision
from pytest_mcpbench.generation.review.decision_file import DecisionFile, decision_line
from pytest_mcpbench.generation.review.recording import Review
from pytest_mcpbench.generation.review.reviewed_suite import read_reviewed_suite

MANIFEST = """
[[files]]
path = "tasks.jsonl"
loader = "native"

[servers.math]
factory = "pytest_mcpbench.simulated.math.server:server"
"""
ANY = {"any": True, "example": 7}
ROWS: tuple[dict[str, Any], ...] = (
    {"id": "add", "ask": "What is 1 + 2?", "calls": [{"tool": "add", "arguments": {"a": 1, "b": 2}}]},
    {
        "id": "pick",
        "ask": "Pick one.",
        "calls": ["list", [{"tool": "get", "arguments": {"id": {"any": True, "example": 7}}}]],
    },
    {"id": "talk", "turns": ["First.", {"user": "Then.", "tool": "add", "arguments": {"a": 1}}]},
)
FIVE = dict.fromkeys(DIMENSIONS, 5)


def write_suite(directory: Path, *rows: dict[str, Any]) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "suite.toml").write_text(MANIFEST)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows or ROWS]
    (directory / "tasks.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return directory


def review_of(directory: Path, reviewers: int = 1) -> Review:
    suite = read_reviewed_suite("mine", [directory / "suite.toml"])
    return Review(suite, DecisionFile(directory / "review.jsonl"), reviewers)


def decide(directory: Path, task: str, reviewer: str = "Ada", decision: str = "accept", **fields: Any) -> Decision:
    """Append a decision about the present version of a task."""
    review = review_of(directory)
    version = review.task(task).version.hash
    made = Decision.model_validate(
        {"task": task, "hash": version, "reviewer": reviewer, "decision": decision, **fields}
    )
    with review.file.path.open("a", encoding="utf-8") as file:
        file.write(decision_line(made) + "\n")
    return made
