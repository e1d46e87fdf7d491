"""Scores of mentions for parameters: by the schema's type and format, the parameter's name and the words nearby.

The scores are sums of the named constants, so that a decision can be traced. A pair with 0 points is never used.
"""

import re

from pytest_mcpbench.agents.lexical.schema_leaves import SchemaLeaf
from pytest_mcpbench.agents.lexical.value_mentions import LONG_TEXTS, Kind, Mention
from pytest_mcpbench.text.words import stem

FORMAT_POINTS = 3.0
"""Points if the schema's format, or the parameter's name, calls for values of this kind."""
POSSIBLE_POINTS = 1.0
"""Points if a string may be of this kind."""
UNLIKELY_POINTS = 0.3
"""Points of a last choice; never enough for an optional parameter."""
NAME_POINTS = 3.0
"""Points if a word of the parameter's name precedes or follows the mention."""
DESCRIPTION_POINTS = 0.5
"""Points for each such word of the parameter's description, up to two."""
ROLE_POINTS = 2.0
"""Points if ``from`` or ``to``, or a verb with that meaning, precedes and the parameter is the matching end."""
EVIDENCE_POINTS = 3.0
"""Points that an optional parameter requires; :data:`NAME_POINTS`, a role or its exact kind must be among them."""


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


HEADING_TERMS = _stems("subject summary title")
"""Stems of words for parameters that contain a heading."""
QUERY_TERMS = _stems("query keyword keywords search question prompt topic q term")
"""Stems of words for parameters that contain a question or topic, not a single name."""

_KINDS_BY_WORD: tuple[tuple[frozenset[str], tuple[Kind, ...]], ...] = (
    (_stems("url uri link href website webpage"), ("url",)),
    (_stems("email mail recipient attendee cc bcc to sender invitee participant"), ("email",)),
    (_stems("path file directory folder filename filepath dir source destination attachment src dest"), ("path",)),
    (_stems("coordinates"), ("coordinates",)),
    (_stems("duration length minutes hours"), ("duration", "number")),
    (_stems("date day deadline due birthday"), ("date",)),
    (_stems("time datetime start end when timestamp since until"), ("time", "date")),
    (_stems("id ids uuid key identifier pid uid"), ("id",)),
    (_stems("symbol ticker currency airport iata"), ("code", "id")),
    (_stems("code"), ("code", "id")),
    (_stems("expression equation formula"), ("expression",)),
    (_stems("amount price cost value total fee quantity count"), ("number",)),
    (_stems("pattern regex old new find replacement"), ("quoted", "pair")),
    (_stems("content text body message description notes comment"), ("labelled", "quoted")),
    (_stems("query keyword keywords search term question topic"), ("quoted", "named")),
    (_stems("title name subject label summary"), ("quoted", "named")),
    (_stems("city location place address region country origin destination"), ("name", "coordinates")),
    (_stems("person user author owner company business customer name"), ("name",)),
)
"""Kinds of values by the words of a parameter's name, most specific first."""
_FORMATS: dict[str, tuple[Kind, ...]] = {
    "date": ("date",),
    "date-time": ("time", "date"),
    "time": ("time",),
    "duration": ("duration",),
    "email": ("email",),
    "uri": ("url",),
    "url": ("url",),
    "uuid": ("id",),
}
_POSSIBLE_TEXT: tuple[Kind, ...] = ("quoted", "named", "labelled", "identifier")
_SOME_TEXT: dict[Kind, float] = {
    "name": 2 * UNLIKELY_POINTS,
    "code": 2 * UNLIKELY_POINTS,
    **dict.fromkeys(("phrase", "email", "url", "path", "id", "number"), UNLIKELY_POINTS),
}
_BARE: tuple[Kind, ...] = ("identifier", "name", "named", "code")
_EXACT: tuple[Kind, ...] = ("url", "email", "path", "date", "time", "coordinates", "id", "expression")
"""Kinds with a fixed form: a parameter for one of them never takes another of them."""

_STRICT: tuple[Kind, ...] = ("url", "date", "time", "coordinates", "expression")
"""Exact kinds for which no other text is ever a substitute."""

_FROM = _stems("old source src origin from start begin since after departure sender")
_TO = _stems("new destination dest target to end until before replacement arrival")
_FROM_WORDS = _stems(
    "from replace replacing change changing move moving copy copying rename renaming between since after of"
)
_TO_WORDS = _stems("to with into until by and before")


def score_mention(leaf: SchemaLeaf, mention: Mention) -> float:
    """Return how well a mention fits a parameter; 0 if it does not fit."""
    kind = _kind_points(leaf, mention)
    if kind <= 0:
        return 0.0
    nearby = _nearby_terms(mention)
    points = NAME_POINTS * bool(leaf.name_terms & nearby) + NAME_POINTS / 2 * bool(leaf.parent_terms & nearby)
    if mention.kind == "labelled" and LONG_TEXTS & leaf.name_terms:
        points += POSSIBLE_POINTS
    points += DESCRIPTION_POINTS * min(2, len(set(leaf.description_terms) & nearby))
    return max(0.0, kind + points + _role_points(leaf, mention))


def has_evidence(leaf: SchemaLeaf, mention: Mention, points: float) -> bool:
    """Return whether an optional parameter may take a mention: words nearby refer to it, or its kind is exact."""
    is_named = bool(leaf.name_terms & _nearby_terms(mention)) or _role_points(leaf, mention) > 0
    is_exact = mention.kind in ("email", "url", "coordinates") and mention.kind in preferred_kinds(leaf)
    return points >= EVIDENCE_POINTS and (is_named or is_exact)


def _kind_points(leaf: SchemaLeaf, mention: Mention) -> float:
    if leaf.type in ("number", "integer"):
        if mention.kind == "number":
            return FORMAT_POINTS - 1
        return POSSIBLE_POINTS if mention.kind == "id" and mention.text.isdigit() else 0.0
    if leaf.type != "string":
        return 0.0
    preferred = preferred_kinds(leaf)
    if mention.kind in preferred:
        return FORMAT_POINTS - 0.2 * preferred.index(mention.kind)
    if accepts_request_text(leaf):
        return POSSIBLE_POINTS if mention.is_quoted or mention.kind in ("labelled", "named") else 0.0
    return _text_points(leaf, mention, preferred[0] if preferred else None)


def _text_points(leaf: SchemaLeaf, mention: Mention, first: Kind | None) -> float:
    """Return the points for a parameter whose first kind is another one (``first``), or that has none."""
    if mention.kind == "pair" or first in _STRICT:
        return 0.0
    if first in _EXACT and mention.kind in (*_EXACT, "number", "duration"):
        return 0.0
    if mention.is_quoted or mention.kind in _POSSIBLE_TEXT:
        return POSSIBLE_POINTS
    if first in _EXACT:
        # "the file notes", "label Work": only the word before indicates the parameter.
        is_announced = first != "email" and mention.kind in _BARE and leaf.name_terms & set(mention.before[-1:])
        return POSSIBLE_POINTS if is_announced else 0.0
    return _SOME_TEXT.get(mention.kind, 0.0)


def accepts_request_text(leaf: SchemaLeaf) -> bool:
    """Return whether the request itself may be the value: true for queries and texts, never for ids."""
    preferred = preferred_kinds(leaf)
    return bool(leaf.name_terms & (QUERY_TERMS | LONG_TEXTS | HEADING_TERMS)) and not set(_EXACT) & set(preferred)


def preferred_kinds(leaf: SchemaLeaf) -> tuple[Kind, ...]:
    """Return the kinds that the parameter's format, name or description calls for, best first."""
    by_format = _FORMATS.get(str(leaf.schema.get("format")))
    if by_format:
        return by_format
    kinds = [kind for stems, kinds in _KINDS_BY_WORD if stems & leaf.name_terms for kind in kinds]
    if not kinds and re.search(r"YYYY-MM-DD|ISO.?8601", str(leaf.schema.get("description"))):
        kinds = ["time", "date"] if re.search(r"time|HH|T\d", str(leaf.schema.get("description"))) else ["date"]
    return tuple(dict.fromkeys(kinds))


def _nearby_terms(mention: Mention) -> frozenset[str]:
    return frozenset((*mention.before[-4:], *mention.after[:2]))


def _role_points(leaf: SchemaLeaf, mention: Mention) -> float:
    """Return positive points for the matching end of a range or change, negative ones for the opposite end."""
    role = _role(leaf.name_terms, _FROM, _TO)
    role_in_text = next(
        (direction for word in reversed(mention.before) if (direction := _role({word}, _FROM_WORDS, _TO_WORDS))), 0
    )
    return ROLE_POINTS * role * role_in_text


def _role(words: frozenset[str] | set[str], one: frozenset[str], other: frozenset[str]) -> int:
    return bool(words & other) - bool(words & one)
