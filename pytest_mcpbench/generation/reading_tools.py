"""Tools that only read, by their promise or by their words."""

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import words_of

READING = frozenset(
    {"calculate", "check", "compare", "compute", "convert", "count", "decode", "describe", "diff", "echo", "encode"}
    | {"explain", "fetch", "find", "format", "get", "hash", "inspect", "list", "lookup", "parse", "ping", "query"}
    | {"read", "retrieve", "return", "reverse", "search", "show", "status", "summarize", "validate", "view"}
)
"""First words of a name or description by which a tool without annotations only reads or computes."""
CHANGING = frozenset(
    {"add", "append", "approve", "assign", "book", "buy", "call", "cancel", "clear", "close", "commit", "create"}
    | {"delete", "drop", "edit", "execute", "insert", "install", "mark", "merge", "move", "open", "order", "pay"}
    | {"post", "publish", "push", "put", "remove", "rename", "replace", "reset", "run", "save", "send", "set", "start"}
    | {"stop", "submit", "trigger", "update", "upload", "write"}
)
"""Words in a name by which it may change something all the same."""


LOOKING = frozenset({"describe", "find", "get", "list", "lookup", "read", "search", "show", "view"})
"""First words of a name by which a tool without annotations shows what is there."""


def only_reads(tool: ToolDefinition) -> bool:
    """Return whether a tool promises to change nothing, or has no annotations and seems so by name and description."""
    if tool.promises_to_read_only or {"readOnlyHint", "destructiveHint"} & set(tool.annotations):
        return tool.promises_to_read_only
    name, description = words_of(tool.name), words_of(tool.description)
    first = {*name[:1], *(word.removesuffix("s") for word in description[:1])}
    return bool(first & READING) and not set(name) & CHANGING


def only_looks(tool: ToolDefinition) -> bool:
    """Return whether calls of a tool may be ignored in a verdict: it promises to change nothing, or surely seems so.

    A tool without annotations has a name that begins with a word such as ``list``, and nothing in its name and
    description says that it changes something. A wrong guess of :func:`only_reads` costs a call on a server; here it
    would let a wrong attempt pass.
    """
    if tool.promises_to_read_only or {"readOnlyHint", "destructiveHint"} & set(tool.annotations):
        return tool.promises_to_read_only
    name = words_of(tool.name)
    said = {form for word in words_of(tool.description) for form in (word, word.removesuffix("s"))}
    return bool(set(name[:1]) & LOOKING) and not (set(name) | said) & CHANGING
