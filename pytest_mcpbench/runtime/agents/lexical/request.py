"""One segment of a request with its mentions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pytest_mcpbench.core.text_search.tokens import stem, words
from pytest_mcpbench.runtime.agents.lexical.value_mentions import Mention, mask_mentions


@dataclass(frozen=True)
class Request:
    """Segment of a request with its mentions."""

    text: str
    mentions: tuple[Mention, ...]
    now: datetime | None = None
    stems: frozenset[str] = field(default_factory=frozenset)
    """Stems of all words outside exact mentions."""

    @classmethod
    def create(cls, text: str, mentions: Sequence[Mention], now: datetime | None = None) -> "Request":
        """Return the request with the stems of its text."""
        exact = [mention for mention in mentions if mention.kind not in ("phrase", "name", "named", "pair")]
        return cls(text, tuple(mentions), now, frozenset(map(stem, words(mask_mentions(text, exact)))))
