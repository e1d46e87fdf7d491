"""A part of a request, with what it mentions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pytest_mcpbench.core.text_search.tokens import stem, words
from pytest_mcpbench.runtime.agents.lexical.value_mentions import Mention, mask_mentions


@dataclass(frozen=True)
class Request:
    """A part of a request, with what it mentions."""

    text: str
    mentions: tuple[Mention, ...]
    now: datetime | None = None
    stems: frozenset[str] = field(default_factory=frozenset)
    """Of all its words, without what is quoted."""

    @classmethod
    def create(cls, text: str, mentions: Sequence[Mention], now: datetime | None = None) -> "Request":
        exact = [mention for mention in mentions if mention.kind not in ("phrase", "name", "named", "pair")]
        return cls(text, tuple(mentions), now, frozenset(map(stem, words(mask_mentions(text, exact)))))
