"""Tools that only read, by their promise or by their words."""

from collections.abc import Mapping, Sequence

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, all_parameters
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
_PRODUCING = frozenset({"create", "draw", "generate", "make", "plot", "render"})
"""First words of tools that make what somebody sees, even if they promise to change nothing."""
_DELETING = frozenset({"delete", "drop", "erase", "purge", "remove"})
_PATHS = frozenset({"path", "paths", "file", "files", "directory", "folder", "uri", "url"})
_LOOKING = frozenset({"describe", "find", "get", "list", "lookup", "read", "search", "show", "view"})
"""First words of a name by which a tool without annotations shows what is there."""


def only_reads(tool: ToolDefinition) -> bool:
    """Return whether a tool promises to change nothing, or has no annotations and seems so by name and description."""
    if tool.promises_to_read_only or {"readOnlyHint", "destructiveHint"} & set(tool.annotations):
        return tool.promises_to_read_only
    name, description = words_of(tool.name), words_of(tool.description)
    first = {*name[:1], *(word.removesuffix("s") for word in description[:1])}
    # To open the details of a thing is to get them.
    changing = CHANGING - {"open"} if {word.removesuffix("s") for word in description[:1]} & READING else CHANGING
    return bool(first & READING) and not set(name) & changing


def only_looks(tool: ToolDefinition) -> bool:
    """Return whether calls of a tool may be ignored in a verdict: it promises to change nothing, or surely seems so.

    A tool without annotations has a name that begins with a word such as ``list``, and nothing in its name and
    description says that it changes something. A wrong guess of :func:`only_reads` costs a call on a server; here it
    would let a wrong attempt pass.
    """
    if tool.promises_to_read_only or {"readOnlyHint", "destructiveHint"} & set(tool.annotations):
        return tool.promises_to_read_only
    name, description = words_of(tool.name), words_of(tool.description)
    # What a tool such as `open_details` does, only its description says.
    first = [word.removesuffix("s") for word in description[:1]] if name[:1] == ["open"] else name[:1]
    said = {form for word in description for form in (word, word.removesuffix("s"))}
    return not _LOOKING.isdisjoint(first) and CHANGING.isdisjoint({*name[1:], *said})


def looks(tools: Sequence[ToolDefinition]) -> list[str]:
    """Return the tools that an agent may call to look around: they show what is there, and make nothing new."""
    looking = {tool.name for tool in tools if only_looks(tool) and not _PRODUCING & set(words_of(tool.name)[:1])}
    return sorted(looking - {tool.name for tool in tools if not only_looks(tool)})


def deleted_names(tools: Sequence[ToolDefinition]) -> list[str]:
    """Return the parameters, by dotted name, of texts by which tools delete things; paths may be written differently.

    A server that answers a name in another case with success has deleted nothing.
    """
    parameters = [each for tool in tools if _DELETING & set(words_of(tool.name)) for each in all_parameters(tool)]
    return sorted({each.path for each in parameters if _takes_text(each) and not _PATHS & set(words_of(each.name))})


def _takes_text(parameter: Parameter) -> bool:
    """Return whether a parameter takes texts of any kind and form, one or a list of them."""
    options = parameter.options or ()
    items = [each.get("items") for each in options]
    is_text = "string" in parameter.types or any(
        isinstance(each, Mapping) and each.get("type") == "string" for each in items
    )
    return is_text and not parameter.values and "format" not in parameter.schema
