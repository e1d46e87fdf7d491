"""Arguments of a call from what a request mentions: required ones first, optional ones only with evidence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.text_search.tokens import stem, words
from pytest_mcpbench.runtime.agents.lexical import fit
from pytest_mcpbench.runtime.agents.lexical.leaves import Leaf, Path
from pytest_mcpbench.runtime.agents.lexical.mentions import Mention
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.values import complete_days, value_of, wants_day

_LATITUDE, _LONGITUDE = frozenset(("lat", "latitud")), frozenset(("lon", "lng", "longitud", "long"))
_NEGATION = frozenset(("not", "without", "no", "never", "don", "dont", "exclud", "skip", "disabl"))
_SIGNED = re.compile(r"[-+]?\d+\.\d+")
_TRAILING = re.compile(r",?\s+and\s+(?:give|show|return|tell|list|limit)\b.*$", re.IGNORECASE | re.DOTALL)
"""What is to be done with the answer is no part of a query."""
_LEADING = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you|i want to|i need to|help me|帮我|请|我想)\s*)*"
    r"(?:(?:search(?:\s+the\s+web)?|look(?:\s+up)?|find|google|query|schedule|book|add|create|查询|搜索|查一下|查找)\b\s*)?"
    r"(?:(?:information|results?|news|pages?|articles?)\s+)?(?:(?:for|about|on|of|me)\s+)*(?:the\s+|an?\s+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Filled:
    """The arguments, or what is missing."""

    arguments: dict[str, JsonValue]
    missing: tuple[Leaf, ...] = ()
    """Required, and nothing in the request fits."""
    used: frozenset[Mention] = frozenset()
    values: Mapping[Path, JsonValue] = field(default_factory=dict)
    """The same arguments by their places."""


def fill(all_leaves: Sequence[Leaf], request: Request, given: Mapping[Path, JsonValue] | None = None) -> Filled:
    """A value for each leaf that must or may have one. ``given`` are values that are known already."""
    values: dict[Path, JsonValue] = dict(given or {})
    open_leaves = [leaf for leaf in all_leaves if leaf.path not in values]
    for leaf in open_leaves:
        if (value := _from_words(leaf, request)) is not None:
            values[leaf.path] = value
    assigned = _assigned([leaf for leaf in open_leaves if leaf.path not in values], request.found)
    for leaf, chosen in assigned.items():
        if (value := value_of(leaf, chosen, request)) is not None:
            values[leaf.path] = value
    complete_days(open_leaves, values, request)
    for leaf in open_leaves:
        if leaf.is_required and leaf.path not in values and (value := _last_resort(leaf, request)) is not None:
            values[leaf.path] = value
    missing = tuple(leaf for leaf in open_leaves if leaf.is_required and leaf.path not in values)
    used = frozenset(mention for leaf, chosen in assigned.items() if leaf.path in values for mention in chosen)
    whole = _whole(all_leaves, values)
    return Filled(_nested(whole), missing, used, whole)


def _from_words(leaf: Leaf, request: Request) -> JsonValue:
    """Values that are told by words alone: one of an enum, true or false."""
    if leaf.schema.get("enum"):
        return _of_enum(leaf, request)
    if leaf.type == "boolean":
        return _truth(leaf, request)
    if leaf.type == "number" and leaf.name & (_LATITUDE | _LONGITUDE):
        return _coordinate(leaf, request)
    return None


def _coordinate(leaf: Leaf, request: Request) -> float | None:
    """One half of the first pair of coordinates, latitude first as people write them."""
    for mention in request.found:
        if mention.kind == "coordinates":
            halves = _SIGNED.findall(mention.text)
            return float(halves[0 if leaf.name & _LATITUDE else 1])
    return None


def _of_enum(leaf: Leaf, request: Request) -> JsonValue:
    """The value that the request names; an optional one only if the parameter's own name is near in meaning too."""
    said = list(map(stem, words(request.text)))
    for value in leaf.schema["enum"]:
        stems = [stem(word) for word in words(str(value))]
        if stems and all(one in said for one in stems) and (leaf.is_required or _is_about(leaf, said, stems)):
            return [value] if leaf.is_list else value
    return None


def _is_about(leaf: Leaf, said: Sequence[str], value: Sequence[str]) -> bool:
    """Whether a word of the parameter's name stands close to the value, or the value is one that nothing else means."""
    at = said.index(value[0])
    return bool(leaf.name & frozenset(said[max(0, at - 3) : at + 3]))


def _truth(leaf: Leaf, request: Request) -> JsonValue:
    """True where all words of the name, or the first two of the description, are said; false where negated."""
    said = [stem(word) for word in words(request.text)]
    about = [term for term in leaf.about if term not in ("wheth", "if", "true", "fals", "set")][:2]
    for wanted in (leaf.name, frozenset(about) if len(about) > 1 else frozenset()):
        if wanted and wanted <= frozenset(said):
            first = min(said.index(one) for one in wanted)
            return not _NEGATION & frozenset(said[max(0, first - 3) : first])
    return None


def _assigned(open_leaves: Sequence[Leaf], found: Sequence[Mention]) -> dict[Leaf, list[Mention]]:
    """Which mentions each leaf takes: best pair first, a mention once; ties by the order of both."""
    pairs = sorted(_pairs(open_leaves, found), key=lambda pair: -pair[0])
    chosen: dict[Path, list[Mention]] = {}
    taken: list[Mention] = []
    for _, leaf, mention in pairs:
        mine = chosen.setdefault(leaf.path, [])
        is_full = bool(mine) and not (leaf.is_list and _is_same_sort(mine[0], mention))
        is_free = not any(_overlap(mention, other) for other in taken)
        if is_free and not is_full:
            mine.append(mention)
            taken.append(mention)
    return {leaf: sorted(chosen[leaf.path], key=_place) for leaf in open_leaves if chosen.get(leaf.path)}


def _pairs(open_leaves: Sequence[Leaf], found: Sequence[Mention]) -> Iterator[tuple[float, Leaf, Mention]]:
    for leaf in open_leaves:
        for mention in found:
            if mention.kind == "date" and _is_told_with_time(leaf, found):
                continue
            value = fit.points(leaf, mention)
            if leaf.is_required and value > 0:
                yield value + 0.5, leaf, mention
            elif value > 0 and fit.is_evident(leaf, mention, value):
                yield value, leaf, mention


def _is_told_with_time(leaf: Leaf, found: Sequence[Mention]) -> bool:
    """Whether the dates only say on which day the times are that the leaf may take."""
    kinds = [mention.kind for mention in found]
    return (
        kinds.count("time") >= kinds.count("date") and fit.natural_kinds(leaf)[:1] == ("time",) and not wants_day(leaf)
    )


def _is_same_sort(one: Mention, other: Mention) -> bool:
    return one.kind == other.kind and one.is_quoted == other.is_quoted


def _overlap(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _place(mention: Mention) -> int:
    return mention.start


def _last_resort(leaf: Leaf, request: Request) -> JsonValue:
    """For a required leaf: its default, its one possible value or, for a query or a text, the request itself."""
    if "default" in leaf.schema:
        return leaf.schema["default"]  # type: ignore[no-any-return]
    if "const" in leaf.schema:
        return leaf.schema["const"]  # type: ignore[no-any-return]
    if leaf.type == "string" and fit.takes_request(leaf):
        text = _before_exact(request) if leaf.name & fit.HEADINGS else request.text
        asked = _TRAILING.sub("", _LEADING.sub("", text, count=1)).strip(" \n.?!。？！")
        return ([asked] if leaf.is_list else asked) if asked else None
    return None


def _before_exact(request: Request) -> str:
    """What the request begins with, up to the first date, number or address, as far as that is any words."""
    starts = [mention.start for mention in request.found if mention.kind in ("date", "time", "duration")]
    return request.text[: min(starts, default=0)] or request.text


def _whole(all_leaves: Sequence[Leaf], values: Mapping[Path, JsonValue]) -> dict[Path, JsonValue]:
    """Without what lies in an object of which a part that it needs is missing."""
    broken = {leaf.path[:-1] for leaf in all_leaves if leaf.is_needed_inside and leaf.path not in values} - {()}
    return {path: value for path, value in values.items() if not any(path[: len(one)] == one for one in broken)}


def _nested(values: Mapping[Path, JsonValue]) -> dict[str, JsonValue]:
    root: dict[str, Any] = {}
    for path, value in values.items():
        _put(root, path, value)
    return root


def _put(target: Any, path: Path, value: JsonValue) -> None:
    """Set a value in nested objects and one-item lists, which are made on the way."""
    for step, following in pairwise(path):
        target = _entered(target, step, [] if isinstance(following, int) else {})
    if isinstance(target, dict):
        target[path[-1]] = value


def _entered(target: Any, step: str | int, made: Any) -> Any:
    if isinstance(target, list):
        if not target:
            target.append(made)
        return target[0]
    return target.setdefault(step, made)
