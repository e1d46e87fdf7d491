"""Rules that say whether a change of a server's definition breaks its users: the table of the documentation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Compatibility = Literal["breaking", "measure", "compatible"]
"""``breaking``: clients or recorded calls fail; ``measure``: agents read something else; ``compatible``: neither."""

Direction = Literal["input", "output"]


@dataclass(frozen=True)
class Rule:
    """One kind of change and its verdict."""

    id: str
    verdict: Compatibility
    meaning: str
    breaks_calls: bool = False
    """True if calls that were valid before may be refused now."""


@dataclass(frozen=True)
class _SchemaRule:
    """A kind of change of a schema, which means the opposite for arguments and for results."""

    kind: str
    input: Compatibility
    output: Compatibility
    meaning: str
    breaks_calls: bool = True
    """If it is breaking in the input."""


_SCHEMA_RULES = (
    _SchemaRule("property-removed", "breaking", "breaking", "{a_property} was removed"),
    _SchemaRule("property-renamed", "breaking", "breaking", "{a_property} has another name"),
    _SchemaRule("property-added", "compatible", "compatible", "an optional {property} was added"),
    _SchemaRule("property-added-required", "breaking", "compatible", "a required {property} was added"),
    _SchemaRule("became-required", "breaking", "compatible", "an optional {property} is required now"),
    _SchemaRule("became-optional", "compatible", "breaking", "a required {property} is optional now"),
    _SchemaRule("type-narrowed", "breaking", "compatible", "a type is no longer allowed (number → integer, null)"),
    _SchemaRule("type-widened", "compatible", "breaking", "a further type is allowed (integer → number, or null)"),
    _SchemaRule("type-changed", "breaking", "breaking", "the type is another one"),
    _SchemaRule("values-removed", "breaking", "compatible", "values of an enum were removed, or an enum was added"),
    _SchemaRule("values-added", "compatible", "breaking", "values of an enum were added, or the enum was removed"),
    _SchemaRule("range-narrowed", "breaking", "compatible", "a bound of values, lengths or sizes is tighter"),
    _SchemaRule("range-widened", "compatible", "breaking", "a bound of values, lengths or sizes is wider"),
    _SchemaRule("range-changed", "breaking", "breaking", "a bound is another one, neither tighter nor wider"),
    _SchemaRule("format-added", "breaking", "compatible", "a pattern or format was added"),
    _SchemaRule("format-removed", "compatible", "breaking", "a pattern or format was removed"),
    _SchemaRule("format-changed", "breaking", "breaking", "a pattern or format is another one"),
    _SchemaRule("default-added", "compatible", "compatible", "a default was added"),
    _SchemaRule("default-changed", "breaking", "compatible", "the default is another one, or none", breaks_calls=False),
    _SchemaRule("closed", "breaking", "compatible", "further members are no longer allowed"),
    _SchemaRule("opened", "compatible", "compatible", "further members are allowed now"),
    _SchemaRule("not-comparable", "breaking", "breaking", "a keyword changed whose effect cannot be compared"),
    _SchemaRule("extension-changed", "measure", "compatible", "a keyword that is not part of JSON Schema changed"),
)

_NOUNS = {
    "input": {"a_property": "a parameter", "property": "parameter"},
    "output": {"a_property": "a member of the result", "property": "member of the result"},
}

_OTHER_RULES = (
    Rule("tool-removed", "breaking", "a tool was removed", breaks_calls=True),
    Rule("tool-renamed", "breaking", "a tool has another name", breaks_calls=True),
    Rule("tool-added", "compatible", "a tool was added"),
    Rule("output-schema-removed", "breaking", "a tool no longer has an output schema"),
    Rule("output-schema-added", "compatible", "a tool has an output schema now"),
    Rule("promise-withdrawn", "breaking", "a tool is no longer read-only, harmless, idempotent or closed to the world"),
    Rule("promise-given", "compatible", "a tool is read-only, harmless, idempotent or closed to the world now"),
    Rule("execution-changed", "breaking", "`execution` changed, which says whether a call runs as a task"),
    Rule("metadata-changed", "compatible", "`_meta`, icons or another annotation changed"),
    Rule("text-changed", "measure", "a title, a description or examples changed, appeared or disappeared"),
    Rule("parameter-order-changed", "measure", "the parameters are in another order"),
    Rule("tool-order-changed", "measure", "the tools are in another order"),
    Rule("instructions-changed", "measure", "the instructions of the server changed"),
    Rule("server-renamed", "compatible", "the server gives itself another name"),
)


def _rules_of(rule: _SchemaRule) -> tuple[Rule, Rule]:
    return (
        Rule(
            f"input-{rule.kind}",
            rule.input,
            rule.meaning.format_map(_NOUNS["input"]),
            breaks_calls=rule.breaks_calls and rule.input == "breaking",
        ),
        Rule(f"output-{rule.kind}", rule.output, rule.meaning.format_map(_NOUNS["output"])),
    )


RULES: Mapping[str, Rule] = {
    rule.id: rule for rule in (*(rule for schema in _SCHEMA_RULES for rule in _rules_of(schema)), *_OTHER_RULES)
}
"""All rules, by id."""
