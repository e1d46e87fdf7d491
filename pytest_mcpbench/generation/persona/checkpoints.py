"""Execution checkpoints in the benchmark's format, by which the calls of an agent are verified."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pytest_mcpbench.generation.source.files import SourceEntry, read_entry, source_directory

GENERIC_SERVERS = frozenset(
    (
        *("amap-maps", "baidu-maps", "context7", "deep-research", "deepseek", "mcp-monitor", "mcpollinations"),
        *("medical-mcp", "tushare", "websearch"),
    )
)
"""Servers that look something up for anybody, without an account: nine of the paper (Table 8), and the small web."""

Checkpoint = dict[str, Any]


def search_checkpoint(server: str, tool: str, values: Sequence[Any]) -> Checkpoint:
    """Return the checkpoint of a lookup: the values must be in the results of lookups or in the answer."""
    kind = "generic_search" if server in GENERIC_SERVERS else "personalized_search"
    expected = values[0] if len(values) == 1 else list(values)
    return {
        "checkpoint_type": kind,
        "tool": f"{server}:{tool}",
        "GT_value": json.dumps(expected, ensure_ascii=False),
    }


def other_checkpoint(server: str, tool: str, purpose: str) -> Checkpoint:
    """Return the checkpoint of a call that neither finds nor changes anything: only its success can be checked."""
    return {"checkpoint_type": "other", "tool": f"{server}:{tool}", "summary": _summary(server, tool, purpose)}


def operate_checkpoint(  # noqa: PLR0913 (each is a keyword of its own)
    operation: str,
    call: tuple[str, str],
    purpose: str,
    *,
    collection: str,
    entity: str | None,
    fields: Mapping[str, Any],
    facts: Iterable[Sequence[str]],
    context: tuple[str, str],
) -> Checkpoint:
    """Return the checkpoint of a call that creates, modifies or deletes an entity.

    ``call`` is the server and its tool, ``context`` the server whose world changes and the key of the person.
    """
    server, tool = call
    expected = {
        "collection": collection,
        "entity": entity,
        "fields": dict(fields),
        "contains": [with_plurals(each) for each in facts],
    }
    return {
        "checkpoint_type": "operate",
        "tool": f"{server}:{tool}",
        "operate_type": operation,
        "summary": _summary(server, tool, purpose),
        "context": [{"server_name": context[0], "context_id": context[1]}],
        **{name: value for name, value in expected.items() if value},
    }


def with_plurals(spellings: Sequence[str]) -> list[str]:
    """Return the spellings of a fact and, of nouns in ``source/nouns.yaml``, both singular and plural."""
    forms = [form for each in spellings for pair in _nouns() if each in pair for form in pair]
    return list(dict.fromkeys((*spellings, *forms)))


class _Nouns(SourceEntry):
    plurals: Mapping[str, str]


@cache
def _nouns() -> tuple[tuple[str, str], ...]:
    return tuple(read_entry(source_directory("persona") / "nouns.yaml", _Nouns).plurals.items())


def _summary(server: str, tool: str, purpose: str) -> str:
    return f"Call `{server}:{tool}` to {purpose}."
