"""Facts about the servers of MCP-Atlas: tool prefixes, required keys, and servers that no longer exist."""

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
"""Servers that tasks still enable as distractors although they can no longer be started."""

ACCOUNTS = frozenset({"airtable", "github", "google-workspace", "mongodb", "notion", "slack"})
"""Servers on which a call can modify a user's account."""

_ENVIRONMENTS = {
    "ENV-BASIC": (
        "brave-search ddg-search exa weather weather-data google-maps fetch wikipedia osm-mcp-server oxylabs whois"
        " met-museum open-library national-parks lara-translate tavily google-search"
    ),
    "ENV-ANALYTICS": "mongodb airtable calculator database",
    "ENV-PRODUCTIVITY": (
        "filesystem notion slack google-workspace arxiv pubmed clinicaltrialsgov-mcp-server memory calendar documents"
        " messages mail office-mail"
    ),
    "ENV-FINANCIAL": "twelvedata alchemy yfmcp paypal yahoo-finance finance-agent",
    "ENV-CODING": (
        "git github mcp-code-executor cli-mcp-server e2b-server context7 desktop-commander mcp-server-code-runner"
    ),
}
"""Category -> its servers: the examples in the benchmark's table of categories, and our assignment of the others."""

ENVIRONMENTS = {server: category for category, servers in _ENVIRONMENTS.items() for server in servers.split()}
"""Server -> category of MCP-Atlas."""

_LEGACY = {"brave_brave_web_search": "brave-search_brave_web_search"}
_CHANGING_VERBS = re.compile(
    r"(^|[-_])(add|append|archive|batch|create|delete|drop|edit|fork|import|insert|invite|merge|move|patch|post|push|put"
    r"|remove|rename|reply|send|update|upload|upsert|write)([-_]|$)",
    re.IGNORECASE,
)
_READING_VERBS = re.compile(r"(search|query|get|list|retrieve)([-_]|$)|[-_](search|query)$", re.IGNORECASE)


def split_tool_name(name: str) -> tuple[str, str]:
    """Split ``<server>_<tool>`` into server and tool; server names contain no underscore."""
    server, _, tool = name.partition("_")
    return (server, tool) if tool else ("", name)


def current_name(name: str) -> str:
    """Return the current name of a tool that was renamed after the benchmark's release."""
    if name.startswith("MongoDB_"):
        return "mongodb_" + name.removeprefix("MongoDB_")
    return _LEGACY.get(name, name)


def servers_of(tools: Collection[str]) -> tuple[str, ...]:
    """Return the servers of prefixed tool names in order of first occurrence."""
    return tuple(dict.fromkeys(server for server, _ in map(split_tool_name, tools) if server))


def dead_servers(tools: Collection[str]) -> tuple[str, ...]:
    """Return the servers of these tools that no longer exist."""
    return tuple(server for server in servers_of(tools) if server in DEAD)


def server_tags(enabled: Collection[str], called: Collection[str]) -> tuple[str, ...]:
    """Return the tags that follow from a task's enabled tools and from the servers that its reference calls.

    ``keyless``: no enabled server needs a key. ``keyless-gt`` and ``local-gt``: no called server needs a key, or a
    network. ``mutating``: an enabled tool can modify an account.
    """
    enabled_servers = servers_of(enabled)
    conditions = {
        "keyless": bool(enabled_servers) and KEYLESS.issuperset(enabled_servers),
        "keyless-gt": bool(called) and KEYLESS.issuperset(called),
        "local-gt": bool(called) and LOCAL.issuperset(called),
        "mutating": any(
            server in ACCOUNTS and _CHANGING_VERBS.search(tool) and not _READING_VERBS.search(tool)
            for server, tool in map(split_tool_name, enabled)
        ),
    }
    return tuple(mark for mark, holds in conditions.items() if holds)


def environment_tags(servers: Collection[str]) -> tuple[str, ...]:
    """Return the categories (``ENV-BASIC``, …) of the servers, in the order of the benchmark's table."""
    categories = {ENVIRONMENTS.get(server) for server in servers}
    return tuple(category for category in _ENVIRONMENTS if category in categories)
