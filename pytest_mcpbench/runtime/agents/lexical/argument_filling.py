"""Arguments of a call from the mentions of a request: required ones first, optional ones only with evidence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.text_search.tokens import stem, words
from pytest_mcpbench.runtime.agents.lexical import mention_scoring
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.schema_leaves import Path, SchemaLeaf
from pytest_mcpbench.runtime.agents.lexical.value_conversion import convert_mentions, infer_end, takes_day
from pytest_mcpbench.runtime.agents.lexical.value_mentions import Mention

_LATITUDE, _LONGITUDE = frozenset(("lat", "latitud")), frozenset(("lon", "lng", "longitud", "long"))
_NEGATION = frozenset(("not", "without", "no", "never", "don", "dont", "exclud", "skip", "disabl"))
_SIGNED = re.compile(r"[-+]?\d+\.\d+")
_TRAILING = re.compile(r",?\s+and\s+(?:give|show|return|tell|list|limit)\b.*$", re.IGNORECASE | re.DOTALL)
"""Instructions about the answer, which are not part of a query."""
_LEADING = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you|i want to|i need to|help me|帮我|请|我想)\s*)*"
    r"(?:(?:search(?:\s+the\s+web)?|look(?:\s+up)?|find|google|query|schedule|book|add|create|查询|搜索|查一下|查找)\b\s*)?"
    r"(?:(?:information|results?|news|pages?|articles?)\s+)?(?:(?:for|about|on|of|me)\s+)*(?:the\s+|an?\s+)?",
    re.IGNORECASE,
)
"""Polite phrases and search verbs before the query itself."""


@dataclass(frozen=True)
class FilledArguments:
    """Arguments of a call and the parameters that are missing."""

    arguments: dict[str, JsonValue]
    missing: tuple[SchemaLeaf, ...] = ()
    """Required parameters without a suitable mention."""
    used: frozenset[Mention] = frozenset()
    """Mentions that are values of arguments."""
    values: Mapping[Path, JsonValue] = field(default_factory=dict)
    """The same arguments by their paths."""


def fill_arguments(
    all_leaves: Sequence[SchemaLeaf], request: Request, known_values: Mapping[Path, JsonValue] | None = None
) -> FilledArguments:
    """Return a value for each leaf that requires one or has evidence for one.

    ``known_values`` are kept as they are.
    """
    values: dict[Path, JsonValue] = dict(known_values or {})
    open_leaves = [leaf for leaf in all_leaves if leaf.path not in values]
    for leaf in open_leaves:
        if (value := _from_words(leaf, request)) is not None:
            values[leaf.path] = value
    assignment = _assign_mentions([leaf for leaf in open_leaves if leaf.path not in values], request.mentions)
    for leaf, chosen in assignment.items():
        if (value := convert_mentions(leaf, chosen, request)) is not None:
            values[leaf.path] = value
    infer_end(open_leaves, values, request)
    for leaf in open_leaves:
        if leaf.is_required and leaf.path not in values and (value := _last_resort(leaf, request)) is not None:
            values[leaf.path] = value
    missing = tuple(leaf for leaf in open_leaves if leaf.is_required and leaf.path not in values)
    used = frozenset(mention for leaf, chosen in assignment.items() if leaf.path in values for mention in chosen)
    complete = _drop_incomplete_objects(all_leaves, values)
    return FilledArguments(_nest(complete), missing, used, complete)


def _from_words(leaf: SchemaLeaf, request: Request) -> JsonValue:
    """Return the value of an enum, boolean or coordinate, which the words of the request determine."""
    if leaf.schema.get("enum"):
        return _match_enum(leaf, request)
    if leaf.type == "boolean":
        return _match_boolean(leaf, request)
    if leaf.type == "number" and leaf.name_terms & (_LATITUDE | _LONGITUDE):
        return _coordinate(leaf, request)
    return None


def _coordinate(leaf: SchemaLeaf, request: Request) -> float | None:
    """Return one half of the first pair of coordinates, in the usual order: latitude first."""
    for mention in request.mentions:
        if mention.kind == "coordinates":
            halves = _SIGNED.findall(mention.text)
            return float(halves[0 if leaf.name_terms & _LATITUDE else 1])
    return None


def _match_enum(leaf: SchemaLeaf, request: Request) -> JsonValue:
    """Return the enum value in the request; for an optional leaf only if the parameter's name is near."""
    request_stems = list(map(stem, words(request.text)))
    for value in leaf.schema["enum"]:
        stems = [stem(word) for word in words(str(value))]
        if (
            stems
            and all(one in request_stems for one in stems)
            and (leaf.is_required or _is_named_nearby(leaf, request_stems, stems))
        ):
            return [value] if leaf.is_list else value
    return None


def _is_named_nearby(leaf: SchemaLeaf, request_stems: Sequence[str], value_stems: Sequence[str]) -> bool:
    """Return whether a word of the parameter's name is close to the value."""
    at = request_stems.index(value_stems[0])
    return bool(leaf.name_terms & frozenset(request_stems[max(0, at - 3) : at + 3]))


def _match_boolean(leaf: SchemaLeaf, request: Request) -> JsonValue:
    """Return true if the request contains the name, or the first two words of the description; false if negated."""
    stems = [stem(word) for word in words(request.text)]
    description = [term for term in leaf.description_terms if term not in ("wheth", "if", "true", "fals", "set")][:2]
    for terms in (leaf.name_terms, frozenset(description) if len(description) > 1 else frozenset()):
        if terms and terms <= frozenset(stems):
            first = min(stems.index(one) for one in terms)
            return not _NEGATION & frozenset(stems[max(0, first - 3) : first])
    return None


def _assign_mentions(open_leaves: Sequence[SchemaLeaf], mentions: Sequence[Mention]) -> dict[SchemaLeaf, list[Mention]]:
    """Assign mentions to leaves, best pair first, each mention once; ties in the order of both."""
    pairs = sorted(_scored_pairs(open_leaves, mentions), key=lambda pair: -pair[0])
    chosen: dict[Path, list[Mention]] = {}
    used: list[Mention] = []
    for _, leaf, mention in pairs:
        own = chosen.setdefault(leaf.path, [])
        is_full = bool(own) and not (leaf.is_list and _is_same_sort(own[0], mention))
        is_free = not any(_overlap(mention, other) for other in used)
        if is_free and not is_full:
            own.append(mention)
            used.append(mention)
    return {leaf: sorted(chosen[leaf.path], key=_place) for leaf in open_leaves if chosen.get(leaf.path)}


def _scored_pairs(
    open_leaves: Sequence[SchemaLeaf], mentions: Sequence[Mention]
) -> Iterator[tuple[float, SchemaLeaf, Mention]]:
    for leaf in open_leaves:
        for mention in mentions:
            if mention.kind == "date" and _belongs_to_time(leaf, mentions):
                continue
            value = mention_scoring.score_mention(leaf, mention)
            if leaf.is_required and value > 0:
                yield value + 0.5, leaf, mention
            elif value > 0 and mention_scoring.has_evidence(leaf, mention, value):
                yield value, leaf, mention


def _belongs_to_time(leaf: SchemaLeaf, mentions: Sequence[Mention]) -> bool:
    """Return whether the dates only supply the day for the times that the leaf may take."""
    kinds = [mention.kind for mention in mentions]
    return (
        kinds.count("time") >= kinds.count("date")
        and mention_scoring.preferred_kinds(leaf)[:1] == ("time",)
        and not takes_day(leaf)
    )


def _is_same_sort(one: Mention, other: Mention) -> bool:
    return one.kind == other.kind and one.is_quoted == other.is_quoted


def _overlap(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _place(mention: Mention) -> int:
    return mention.start


def _last_resort(leaf: SchemaLeaf, request: Request) -> JsonValue:
    """Return a required leaf's default or constant or, for a query or text, the request itself."""
    if "default" in leaf.schema:
        return leaf.schema["default"]  # type: ignore[no-any-return]
    if "const" in leaf.schema:
        return leaf.schema["const"]  # type: ignore[no-any-return]
    if leaf.type == "string" and mention_scoring.accepts_request_text(leaf):
        text = _text_before_dates(request) if leaf.name_terms & mention_scoring.HEADING_TERMS else request.text
        asked = _TRAILING.sub("", _LEADING.sub("", text, count=1)).strip(" \n.?!。？！")
        return ([asked] if leaf.is_list else asked) if asked else None
    return None


def _text_before_dates(request: Request) -> str:
    """Return the text before the first date, time or duration, or the complete text if there is none."""
    starts = [mention.start for mention in request.mentions if mention.kind in ("date", "time", "duration")]
    return request.text[: min(starts, default=0)] or request.text


def _drop_incomplete_objects(
    all_leaves: Sequence[SchemaLeaf], values: Mapping[Path, JsonValue]
) -> dict[Path, JsonValue]:
    """Remove the values of objects that lack a required part."""
    broken = {leaf.path[:-1] for leaf in all_leaves if leaf.is_required_in_parent and leaf.path not in values} - {()}
    return {path: value for path, value in values.items() if not any(path[: len(one)] == one for one in broken)}


def _nest(values: Mapping[Path, JsonValue]) -> dict[str, JsonValue]:
    root: dict[str, Any] = {}
    for path, value in values.items():
        _set_value(root, path, value)
    return root


def _set_value(target: Any, path: Path, value: JsonValue) -> None:
    """Set a value in nested objects and one-item lists, which are created as needed."""
    for step, following in pairwise(path):
        target = _child(target, step, [] if isinstance(following, int) else {})
    if isinstance(target, dict):
        target[path[-1]] = value


def _child(target: Any, step: str | int, default: Any) -> Any:
    if isinstance(target, list):
        if not target:
            target.append(default)
        return target[0]
    return target.setdefault(step, default)
