"""What is known of the servers of MCP-Atlas: their names, which need no key, which are gone."""

import re
from collections.abc import Collection

LOCAL = frozenset(
    {
        "filesystem",
        "git",
        "calculator",
        "memory",
        "cli-mcp-server",
        "desktop-commander",
        "mcp-code-executor",
        "mcp-server-code-runner",
    }
)
"""Servers that need no key, no account and no network."""

KEYLESS = LOCAL | {
    "arxiv",
    "clinicaltrialsgov-mcp-server",
    "context7",
    "ddg-search",
    "fetch",
    "met-museum",
    "open-library",
    "osm-mcp-server",
    "pubmed",
    "weather",
    "whois",
    "wikipedia",
}
"""Servers that need neither a key nor an account."""

DEAD = frozenset({"anili", "balldontlie", "f1-mcp-server", "rijksmuseum-server"})
"""Servers that tasks still enable as distractors and that nobody can start."""

ACCOUNTS = frozenset({"airtable", "github", "google-workspace", "mongodb", "notion", "slack"})
"""Servers on which a call can change somebody's account."""

_LEGACY = {"brave_brave_web_search": "brave-search_brave_web_search"}
_CHANGES = re.compile(
    r"(^|[-_])(add|append|archive|batch|create|delete|drop|edit|fork|import|insert|invite|merge|move|patch|post|push|put"
    r"|remove|rename|reply|send|update|upload|upsert|write)([-_]|$)",
    re.IGNORECASE,
)
_ONLY_READS = re.compile(r"(search|query|get|list|retrieve)([-_]|$)|[-_](search|query)$", re.IGNORECASE)


def parts(name: str) -> tuple[str, str]:
    """Server and tool of ``<server>_<tool>``; the server's name holds no underscore."""
    server, _, tool = name.partition("_")
    return (server, tool) if tool else ("", name)


def current_name(name: str) -> str:
    """The name that a tool has today."""
    if name.startswith("MongoDB_"):
        return "mongodb_" + name.removeprefix("MongoDB_")
    return _LEGACY.get(name, name)


def servers_of(tools: Collection[str]) -> tuple[str, ...]:
    """The servers of prefixed tool names, in the order in which they are first named."""
    return tuple(dict.fromkeys(server for server, _ in map(parts, tools) if server))


def dead(tools: Collection[str]) -> tuple[str, ...]:
    """The servers that are gone."""
    return tuple(server for server in servers_of(tools) if server in DEAD)


def marks(enabled: Collection[str], called: Collection[str]) -> tuple[str, ...]:
    """What can be said of a task by the servers of its enabled tools and those that its reference calls.

    ``keyless``: all enabled ones; ``keyless-gt`` and ``local-gt``: all called ones; ``mutating``: a tool is enabled
    that changes an account.
    """
    enabled_servers = servers_of(enabled)
    found = {
        "keyless": bool(enabled_servers) and KEYLESS.issuperset(enabled_servers),
        "keyless-gt": bool(called) and KEYLESS.issuperset(called),
        "local-gt": bool(called) and LOCAL.issuperset(called),
        "mutating": any(_is_mutating(name) for name in enabled),
    }
    return tuple(mark for mark, holds in found.items() if holds)


def _is_mutating(name: str) -> bool:
    server, tool = parts(name)
    return server in ACCOUNTS and _CHANGES.search(tool) is not None and _ONLY_READS.search(tool) is None
