"""Changes between two versions of a server's definition, each judged by the rule that it falls under."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition, canonical_json
from pytest_mcpbench.definitions.compatibility_rules import RULES, Compatibility, Direction, Rule
from pytest_mcpbench.definitions.schema_changes import SchemaDifference, schema_differences
from pytest_mcpbench.definitions.schema_structure import all_subschemas, without_texts
from pytest_mcpbench.definitions.texts import INPUT, OUTPUT, Place, place_name, texts_of

_PROMISES = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
"""Value of each hint that lets a client do more without asking. The protocol's defaults promise nothing."""
_JUDGED_APART = frozenset({"name", "title", "description", INPUT, OUTPUT, "annotations", "execution"})
_ALIKE = 0.6


@dataclass(frozen=True)
class DefinitionChange:
    """One change of a server."""

    rule: Rule
    tool: str | None
    """``None`` for a change of the server."""
    place: str = ""
    """Name of the parameter, member of the result or text."""
    before: str | None = None
    after: str | None = None
    """For texts the whole texts; for anything else a short form."""

    @property
    def verdict(self) -> Compatibility:
        return self.rule.verdict

    def values(self, longest: int) -> tuple[str, ...]:
        """Return the values before and after, each on one line; of long ones the part that begins before they differ.

        Args:
            longest: Characters of a value at most.
        """
        values = [" ".join(value.split()) for value in (self.before, self.after) if value is not None]
        start = 0
        if len(values) > 1 and any(len(value) > longest for value in values):
            same = takewhile(lambda pair: pair[0] == pair[1], zip(*values, strict=False))
            start = max(0, len(list(same)) - longest // 4)
        shown = [f"…{value[start:]}" if start else value for value in values]
        return tuple((text if len(text) <= longest else f"{text[: longest - 1]}…") or "nothing" for text in shown)

    def __str__(self) -> str:
        where = ": ".join(filter(None, (self.tool, self.place)))
        values = " → ".join(self.values(_LONGEST))
        return f"{where}: {self.rule.id}" + (f" ({values})" if values else "") if where else self.rule.id


def compare_servers(before: ServerDefinition, after: ServerDefinition) -> tuple[DefinitionChange, ...]:
    """Return the changes of a server, tool by tool; the protocol version, which clients negotiate, is not compared."""
    olds, news = _by_name(before.tools), _by_name(after.tools)
    renamed = dict(_renamed_tools(olds, news))
    changes: list[DefinitionChange] = []
    for name, old in olds.items():
        if name in news:
            changes += compare_tools(old, news[name])
        elif name in renamed:
            changes.append(_change("tool-renamed", name, before=name, after=renamed[name]))
        else:
            changes.append(_change("tool-removed", name))
    changes += [_change("tool-added", name) for name in news if name not in olds and name not in renamed.values()]
    if _is_reordered([tool.name for tool in before.tools], [tool.name for tool in after.tools]):
        changes.append(_change("tool-order-changed", None))
    if before.instructions != after.instructions:
        changes.append(_change("instructions-changed", None, before=before.instructions, after=after.instructions))
    if before.implementation and after.implementation and before.implementation != after.implementation:
        changes.append(_change("server-renamed", None, before=before.implementation, after=after.implementation))
    return tuple(changes)


def compare_tools(before: ToolDefinition, after: ToolDefinition) -> tuple[DefinitionChange, ...]:
    """Return the changes of a tool that exists in both versions."""
    changes = [*_schema_changes(before, after), *_annotation_changes(before, after)]
    old_texts, new_texts = texts_of(before), texts_of(after)
    for place in dict.fromkeys((*old_texts, *new_texts)):
        old, new = old_texts.get(place), new_texts.get(place)
        # Texts of new parts belong to the change of the schema.
        if old != new and _has(before, place) and _has(after, place):
            changes.append(_change("text-changed", before.name, place_name(place), before=old or "", after=new or ""))
    if _is_reordered(list(before.properties), list(after.properties)):
        orders = [", ".join(tool.properties) for tool in (before, after)]
        changes.append(_change("parameter-order-changed", before.name, before=orders[0], after=orders[1]))
    return tuple(changes)


def calls_broken_by(changes: Iterable[DefinitionChange]) -> tuple[DefinitionChange, ...]:
    """Return the changes because of which a call that was valid before may be refused.

    Without any, an agent can be shown the earlier definitions while its calls go to the later server.
    """
    return tuple(change for change in changes if change.rule.breaks_calls)


def of_verdict(changes: Iterable[DefinitionChange], verdict: Compatibility) -> tuple[DefinitionChange, ...]:
    """Return the changes with a verdict."""
    return tuple(change for change in changes if change.verdict == verdict)


def require_same_server(before: ServerDefinition, after: ServerDefinition, place: str) -> None:
    """Raise UsageError if two definitions are not versions of one server: other names of their own, no common tool.

    Args:
        before: Definition that was read from a lock.
        after: Definition of the server.
        place: Lock file, for the message.
    """
    have_names = before.implementation and after.implementation and before.implementation != after.implementation
    if have_names and before.tools and after.tools and not _by_name(before.tools).keys() & _by_name(after.tools).keys():
        raise UsageError(
            f"{place}: the file is a lock of the server {before.implementation!r}, and {after.name!r} is "
            f"{after.implementation!r}: they have no tool in common. Name the right file, or write a new one with "
            "`mcpbench lock`."
        )


def _schema_changes(before: ToolDefinition, after: ToolDefinition) -> Iterator[DefinitionChange]:
    for difference in schema_differences(before.input_schema, after.input_schema):
        yield _schema_change(before.name, difference, "input")
    old, new = before.output_schema, after.output_schema
    if old is None or new is None:
        if (old is None) != (new is None):
            yield _change("output-schema-removed" if new is None else "output-schema-added", before.name)
        return
    for difference in schema_differences(old, new):
        yield _schema_change(before.name, difference, "output")


def _schema_change(tool: str, difference: SchemaDifference, direction: Direction) -> DefinitionChange:
    place = difference.path if direction == "input" else f"result.{difference.path}".rstrip(".")
    before, after = (None if value is None else str(value) for value in (difference.before, difference.after))
    return _change(f"{direction}-{difference.kind}", tool, place, before=before, after=after)


def _annotation_changes(before: ToolDefinition, after: ToolDefinition) -> Iterator[DefinitionChange]:
    for hint, promise in _PROMISES.items():
        old, new = (tool.annotations.get(hint) is promise for tool in (before, after))
        if old != new:
            rule = "promise-given" if new else "promise-withdrawn"
            values = (tool.annotations.get(hint) for tool in (before, after))
            was, now = ("not given" if value is None else canonical_json(value) for value in values)
            yield _change(rule, before.name, hint, before=was, after=now)
    if before.canonical.get("execution") != after.canonical.get("execution"):
        yield _change("execution-changed", before.name, "execution")
    for name in sorted(_metadata_names(before) | _metadata_names(after)):
        if canonical_json(_metadata(before, name)) != canonical_json(_metadata(after, name)):
            yield _change("metadata-changed", before.name, name)


def _metadata_names(tool: ToolDefinition) -> set[str]:
    hints = {f"annotations.{name}" for name in tool.annotations if name not in (*_PROMISES, "title")}
    return {name for name in tool.canonical if name not in _JUDGED_APART} | hints


def _metadata(tool: ToolDefinition, name: str) -> Any:
    section, _, hint = name.partition(".")
    return tool.annotations.get(hint) if section == "annotations" else tool.canonical.get(name)


def _has(tool: ToolDefinition, place: Place) -> bool:
    """Return whether the tool has the part that a text belongs to."""
    section, path = place[0], place[1:-1]
    if section not in (INPUT, OUTPUT):
        return True
    schema = tool.canonical.get(section)
    return isinstance(schema, Mapping) and any(path == found for found, _ in all_subschemas(schema))


def _is_reordered(before: list[str], after: list[str]) -> bool:
    """Return whether the names that both lists have are in another order."""
    common = set(before) & set(after)
    return [name for name in before if name in common] != [name for name in after if name in common]


def _renamed_tools(old: Mapping[str, ToolDefinition], new: Mapping[str, ToolDefinition]) -> Iterator[tuple[str, str]]:
    removed = [tool for name, tool in old.items() if name not in new]
    added = [tool for name, tool in new.items() if name not in old]
    for tool in removed:
        renamed = next((other for other in added if _is_same_tool(tool, other)), None)
        if renamed is not None:
            added.remove(renamed)
            yield tool.name, renamed.name


def _is_same_tool(one: ToolDefinition, other: ToolDefinition) -> bool:
    """Return whether two tools of different names take the same arguments and are described or called alike."""
    if canonical_json(without_texts(one.input_schema)) != canonical_json(without_texts(other.input_schema)):
        return False
    has_same_text = bool(one.description) and one.description == other.description
    return has_same_text or SequenceMatcher(None, one.name, other.name).ratio() >= _ALIKE


def _by_name(tools: Iterable[ToolDefinition]) -> dict[str, ToolDefinition]:
    found: dict[str, ToolDefinition] = {}
    for tool in tools:
        found.setdefault(tool.name, tool)
    return found


def _change(
    rule: str, tool: str | None, place: str = "", *, before: str | None = None, after: str | None = None
) -> DefinitionChange:
    return DefinitionChange(RULES[rule], tool, place, before, after)


_LONGEST = 60
