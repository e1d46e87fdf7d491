"""A part of a request, with what it mentions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pytest_mcpbench.core.text_search.tokens import stem, words
from pytest_mcpbench.runtime.agents.lexical.mentions import Mention, without


@dataclass(frozen=True)
class Request:
    """A part of a request, with what it mentions."""

    text: str
    found: tuple[Mention, ...]
    now: datetime | None = None
    stems: frozenset[str] = field(default_factory=frozenset)
    """Of all its words, without what is quoted."""

    @classmethod
    def of(cls, text: str, found: Sequence[Mention], now: datetime | None = None) -> "Request":
        exact = [mention for mention in found if mention.kind not in ("phrase", "name", "named", "pair")]
        return cls(text, tuple(found), now, frozenset(map(stem, words(without(text, exact)))))
