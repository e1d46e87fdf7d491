"""Rules about a server's tools together: pairs that agents confuse, hints, size and style of names."""

import re
from collections.abc import Iterator
from itertools import combinations

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.token_estimate import estimate_tokens
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition, canonical_json
from pytest_mcpbench.definitions.lint.rules import RULES, Finding
from pytest_mcpbench.definitions.lint.words import content_words, similarity, words_of
from pytest_mcpbench.definitions.schema_structure import without_texts

_SAME = 0.9
_ALIKE = 0.6
_STEM = 5
"""Letters in which words of one family agree: integrate, integral."""
_WRITING = frozenset(
    {"delete", "remove", "drop", "write", "create", "update", "insert", "edit", "add", "append", "set", "move"}
    | {"rename", "send", "purge", "destroy"}
)
_CHANGING = _WRITING | {"replace", "clear", "reset", "save", "overwrite", "replaces", "deletes", "removes", "saves"}
_READING = frozenset({"get", "list", "read", "search", "find", "show", "describe", "count", "view", "lookup", "fetch"})
_STYLES = {
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+"),
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+"),
    "camelCase": re.compile(r"[a-z0-9]+(?:[A-Z][a-z0-9]*)+"),
    "PascalCase": re.compile(r"(?:[A-Z][a-z0-9]+){2,}"),
}


def server_findings(server: ServerDefinition, *, max_tokens: int) -> Iterator[Finding]:
    """Yield the findings about a server as a whole; ``max_tokens`` is the budget of its definitions."""
    for one, other in combinations(server.tools, 2):
        yield from _pair_findings(server, one, other)
    for tool in server.tools:
        yield from _hint_findings(server, tool)
    tokens = definition_tokens([tool.spec(server.name) for tool in server.tools]).total
    tokens += estimate_tokens(server.instructions)
    if tokens > max_tokens:
        message = f"about {tokens} tokens are sent with every model call, the budget is {max_tokens}"
        yield Finding(RULES["token-budget"], server.name, message)
    styles = {style: names for style in _STYLES if (names := _names_in(style, server))}
    if len(styles) > 1:
        shown = "; ".join(f"{style}: {', '.join(names[:3])}" for style, names in styles.items())
        yield Finding(RULES["mixed-names"], server.name, shown)


def _pair_findings(server: ServerDefinition, one: ToolDefinition, other: ToolDefinition) -> Iterator[Finding]:
    if not one.description or not other.description or one.name == other.name:
        return
    alike = similarity(one.description, other.description)
    if _differs_as_names(one, other) or _differs_in_verb(one, other):
        return
    if alike >= _SAME:
        message = f"its description is nearly that of {other.name!r}"
        yield Finding(RULES["same-description"], server.name, message, one.name)
    elif alike >= _ALIKE and _takes_the_same(one, other) and not _mentions(one, other):
        message = f"{other.name!r} takes the same arguments and reads alike; say in one when to use the other"
        yield Finding(RULES["substitutable-tools"], server.name, message, one.name)


def _differs_as_names(one: ToolDefinition, other: ToolDefinition) -> bool:
    """Return whether the descriptions differ in the words in which the names differ: "add a row", "add a column"."""
    different = content_words(one.description) ^ content_words(other.description)
    names = content_words(one.name) ^ content_words(other.name)
    return any(word[:_STEM] == name[:_STEM] for word in different for name in names)


def _differs_in_verb(one: ToolDefinition, other: ToolDefinition) -> bool:
    """Return whether the descriptions begin with different verbs: "add a password", "remove a password"."""
    verbs = {next(iter(words_of(tool.description)), "") for tool in (one, other)}
    return len(verbs) == 2 and not verbs <= _READING


def _takes_the_same(one: ToolDefinition, other: ToolDefinition) -> bool:
    if not one.properties:
        return False
    left, right = (
        canonical_json([without_texts(tool.properties), sorted(map(str, tool.required))]) for tool in (one, other)
    )
    return left == right


def _mentions(one: ToolDefinition, other: ToolDefinition) -> bool:
    return other.name in one.description or one.name in other.description


def _hint_findings(server: ServerDefinition, tool: ToolDefinition) -> Iterator[Finding]:
    words = words_of(tool.name)
    verb = next(iter(words), "")
    is_destructive = tool.annotations.get("destructiveHint") is True and not tool.promises_to_read_only
    if verb in _WRITING and tool.promises_to_read_only:
        yield Finding(RULES["contradicting-hint"], server.name, f"{verb!r} and readOnlyHint: true", tool.name)
    if verb in _READING and is_destructive and not {*words, *words_of(tool.description)} & _CHANGING:
        yield Finding(RULES["contradicting-hint"], server.name, f"{verb!r} and destructiveHint: true", tool.name)


def _names_in(style: str, server: ServerDefinition) -> list[str]:
    return [tool.name for tool in server.tools if _STYLES[style].fullmatch(tool.name)]
