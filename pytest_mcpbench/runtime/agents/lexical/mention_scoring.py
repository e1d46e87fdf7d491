"""How well a mention fits a parameter: by the schema's type and format, by the parameter's name, by the words around.

Points, so that a decision can be read: see the constants. A pair without points is never made.
"""

import re

from pytest_mcpbench.core.text_search.tokens import stem
from pytest_mcpbench.runtime.agents.lexical.schema_leaves import SchemaLeaf
from pytest_mcpbench.runtime.agents.lexical.value_mentions import LONG_TEXTS, Kind, Mention

FORMAT_POINTS = 3.0
"""The schema's format, or the parameter's name, says that values are of this kind."""
POSSIBLE_POINTS = 1.0
"""A string may be of this kind."""
UNLIKELY_POINTS = 0.3
"""Taken only where nothing else is left, and never for a parameter that may be absent."""
NAME_POINTS = 3.0
"""A word of the parameter's name stands right before or after the mention."""
DESCRIPTION_POINTS = 0.5
"""A word of the parameter's description stands there."""
ROLE_POINTS = 2.0
"""``from`` or ``to`` (or a verb that means it) stands before, and the parameter is the one or the other end."""
EVIDENCE_POINTS = 3.0
"""What an optional parameter needs at least, of which :data:`NAME_POINTS` or a role must be a part."""


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


HEADING_TERMS = _stems("subject summary title")
QUERY_TERMS = _stems("query keyword keywords search question prompt topic q term")
"""Words of parameters that take what is asked as a whole, not one name of it."""

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
"""Kinds that a parameter made for another of them never takes."""

_STRICT: tuple[Kind, ...] = ("url", "date", "time", "coordinates", "expression")
"""Of these, kinds that other text never stands for."""

_FROM = _stems("old source src origin from start begin since after departure sender")
_TO = _stems("new destination dest target to end until before replacement arrival")
_FROM_WORDS = _stems(
    "from replace replacing change changing move moving copy copying rename renaming between since after of"
)
_TO_WORDS = _stems("to with into until by and before")


def score_mention(leaf: SchemaLeaf, mention: Mention) -> float:
    """How well they fit; 0: not at all."""
    kind = _kind_points(leaf, mention)
    if kind <= 0:
        return 0.0
    return max(0.0, kind + _word_points(leaf, mention) + _role_points(leaf, mention))


def has_evidence(leaf: SchemaLeaf, mention: Mention, value: float) -> bool:
    """Whether an optional parameter may take it: the words around name it, or it is the only kind it can be."""
    named = bool(leaf.name_terms & _nearby_terms(mention)) or _role_points(leaf, mention) > 0
    return value >= EVIDENCE_POINTS and (named or (mention.kind in _exact_kinds(leaf)))


def _kind_points(leaf: SchemaLeaf, mention: Mention) -> float:
    if leaf.type in ("number", "integer"):
        return _number_points(mention)
    if leaf.type != "string":
        return 0.0
    natural = preferred_kinds(leaf)
    if mention.kind in natural:
        return FORMAT_POINTS - 0.2 * natural.index(mention.kind)
    if accepts_request_text(leaf):
        return POSSIBLE_POINTS if mention.is_quoted or mention.kind in ("labelled", "named") else 0.0
    return _text_points(leaf, mention, natural[0] if natural else None)


def _text_points(leaf: SchemaLeaf, mention: Mention, first: Kind | None) -> float:
    """For a parameter that is made for another kind (``first``), or for none in particular."""
    if mention.kind == "pair" or first in _STRICT:
        return 0.0
    if first in _EXACT and mention.kind in (*_EXACT, "number", "duration"):
        return 0.0
    if mention.is_quoted or mention.kind in _POSSIBLE_TEXT:
        return POSSIBLE_POINTS
    if first in _EXACT:
        # "the file notes", "label Work": nothing but the word before says what it is.
        is_pointed_at = first != "email" and mention.kind in _BARE and leaf.name_terms & set(mention.before[-1:])
        return POSSIBLE_POINTS if is_pointed_at else 0.0
    return _SOME_TEXT.get(mention.kind, 0.0)


def accepts_request_text(leaf: SchemaLeaf) -> bool:
    """Whether the request itself is a value where it holds no better: for queries and texts, never for ids."""
    natural = preferred_kinds(leaf)
    return bool(leaf.name_terms & (QUERY_TERMS | LONG_TEXTS | HEADING_TERMS)) and not set(_EXACT) & set(natural)


def preferred_kinds(leaf: SchemaLeaf) -> tuple[Kind, ...]:
    """Kinds that the parameter is made for, by its format or the words of its name; the last word says most."""
    by_format = _FORMATS.get(str(leaf.schema.get("format")))
    if by_format:
        return by_format
    kinds = [kind for stems, kinds in _KINDS_BY_WORD if stems & leaf.name_terms for kind in kinds]
    if not kinds and re.search(r"YYYY-MM-DD|ISO.?8601", str(leaf.schema.get("description"))):
        kinds = ["time", "date"] if re.search(r"time|HH|T\d", str(leaf.schema.get("description"))) else ["date"]
    return tuple(dict.fromkeys(kinds))


def _exact_kinds(leaf: SchemaLeaf) -> tuple[Kind, ...]:
    return tuple(kind for kind in preferred_kinds(leaf) if kind in ("email", "url", "coordinates"))


def _number_points(mention: Mention) -> float:
    if mention.kind == "number":
        return FORMAT_POINTS - 1
    return POSSIBLE_POINTS if mention.kind == "id" and mention.text.isdigit() else 0.0


def _word_points(leaf: SchemaLeaf, mention: Mention) -> float:
    nearby = _nearby_terms(mention)
    named = NAME_POINTS * bool(leaf.name_terms & nearby) + NAME_POINTS / 2 * bool(leaf.parent_terms & nearby)
    if mention.kind == "labelled" and LONG_TEXTS & leaf.name_terms:
        named += POSSIBLE_POINTS
    return named + DESCRIPTION_POINTS * min(2, len(set(leaf.description_terms) & nearby))


def _nearby_terms(mention: Mention) -> frozenset[str]:
    return frozenset((*mention.before[-4:], *mention.after[:2]))


def _role_points(leaf: SchemaLeaf, mention: Mention) -> float:
    """For the two ends of something: ROLE for the right one, less than nothing for the other."""
    role = _role(leaf.name_terms, _FROM, _TO)
    said = next((found for word in reversed(mention.before) if (found := _role({word}, _FROM_WORDS, _TO_WORDS))), 0)
    return ROLE_POINTS * role * said


def _role(words: frozenset[str] | set[str], one: frozenset[str], other: frozenset[str]) -> int:
    return bool(words & other) - bool(words & one)
