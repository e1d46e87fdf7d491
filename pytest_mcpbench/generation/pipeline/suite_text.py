"""Texts of the files of a generated suite."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings

TASKS_FILE = "tasks.jsonl"


def suite_toml(
    fields: Mapping[str, Any],
    *,
    servers: Mapping[str, Any],
    categories: Mapping[str, Sequence[str]],
    has_mcp_json: bool,
) -> str:
    """Return the ``suite.toml``.

    Args:
        fields: Its fields; a mapping becomes a table.
        servers: Definitions of servers that are not in the ``mcp.json``: a line or a mapping, by name.
        categories: Category -> names of its servers.
        has_mcp_json: Whether an ``mcp.json`` with servers lies beside it.
    """
    plain = {name: value for name, value in fields.items() if not isinstance(value, Mapping)}
    tables = {name: value for name, value in fields.items() if isinstance(value, Mapping)}
    lines = [f"{name} = {_toml(value)}" for name, value in plain.items()]
    lines += ['mcp_json = "mcp.json"'] if has_mcp_json else []
    lines += ["", "[[files]]", f'path = "{TASKS_FILE}"', 'loader = "native"']
    for name, table in {**tables, "servers": servers, "categories": categories}.items():
        lines += ["", f"[{name}]", *(f"{_key(key)} = {_toml(value)}" for key, value in table.items())] if table else []
    return "\n".join(lines) + "\n"


def tasks_jsonl(candidates: Sequence[TaskCandidate]) -> str:
    """Return the task file."""
    return "".join(json.dumps(each.task, ensure_ascii=False) + "\n" for each in candidates)


def source_md(name: str, source: str, settings: PipelineSettings, summary: str) -> str:
    """Return the ``SOURCE.md``: how the suite was made, and what became of the candidates."""
    made_by = f"the model `{settings.model}`" if settings.model else "rules, without a model"
    servers = "\n".join(
        f"* `{server}` (sha256 of its tools: `{digest[:12]}`)" for server, digest in settings.servers.items()
    )
    return f"""# Origin of the suite `{name}`

`mcpbench generate --pipeline {settings.pipeline}` made these tasks with {made_by}, seed {settings.seed}. {source}

Servers:

{servers}

The reference of every task was played twice from a fresh state. Doing nothing, repeating the request, calling every
tool, and calling for each sentence the tool with most of its words do not pass it. Read the tasks before you publish
numbers: only a person can confirm that a request means what its reference does.

## Candidates

```text
{summary}
```
"""


def _key(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else json.dumps(name)


def _toml(value: Any) -> str:
    """Return a value in TOML, whose texts, numbers and lists are written as in JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
