"""Quotations, identifiers and names in a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.runtime.judges.keyfacts.text import STOPWORDS, words

_QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w))+)'(?!\w)|「([^」]+)」|《([^》]+)》")
_IDENTIFIER = re.compile(
    r"https?://[^\s)>\]\"']+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w/.-])(?:[\w-]*[./_:])+[\w-]*[A-Za-z_][\w-]*(?![\w/])"
    r"|\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b"
)
_NAME = re.compile(
    r"\b[A-Z][\w'-]*(?:\.[a-z]{2,4}\b)?"
    r"(?:\s+(?:(?:of|the|de|la|le|du|des|del|van|von|der|et|and|&|in)\s+){0,2}[A-Z0-9][\w'-]*(?:\.[a-z]{2,4}\b)?)*"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|\n\s*)$")
_ORDINAL_ENDING = re.compile(r"^\d+(st|nd|rd|th|[kKmMbB]|mn|bn)$")


@dataclass(frozen=True)
class Phrase:
    """Words that must be found as they stand, apart from case and spaces."""

    text: str
    start: int

    def is_in(self, text: str, words_of_text: frozenset[str]) -> bool:
        """Whether a casefolded plain text holds the phrase, or at least all of its words."""
        if any(_squeezed(form) in text for form in self._forms):
            return True
        wanted = words(self.text)
        return len(wanted) > 0 and all(word in words_of_text for word in wanted if word not in STOPWORDS)

    @property
    def _forms(self) -> tuple[str, ...]:
        """The phrase and, of ``server:tool``, the tool alone."""
        server, colon, tool = self.text.partition(":")
        is_qualified = colon and tool and "//" not in tool and " " not in self.text and "_" in tool
        return (self.text, tool) if is_qualified and server else (self.text,)


def quotations(text: str) -> tuple[Phrase, ...]:
    """What stands in quotation marks."""
    return tuple(
        Phrase(next(part for part in match.groups() if part is not None).strip(" .,;"), match.start())
        for match in _QUOTED.finditer(text)
    )


def identifiers(text: str) -> tuple[Phrase, ...]:
    """Addresses, paths, hashes and other words that mix letters with digits, dots or underscores."""
    found = (Phrase(match.group().rstrip(".,;:"), match.start()) for match in _IDENTIFIER.finditer(text))
    return tuple(one for one in found if not _ORDINAL_ENDING.match(one.text))


def names(text: str) -> tuple[Phrase, ...]:
    """Runs of capitalised words; a word that is capitalised only because it begins a sentence is no name."""
    return tuple(_names(text))


def without_quotations(text: str) -> str:
    """The text with quotations blanked out, so that nothing in them is found twice."""
    return _QUOTED.sub(lambda match: " " * len(match.group()), text)


def _names(text: str) -> Iterator[Phrase]:
    for match in _NAME.finditer(text):
        parts = match.group().split()
        begins_sentence = _SENTENCE_START.search(text[: match.start()]) is not None
        if begins_sentence and (len(parts) == 1 or parts[0].casefold() in STOPWORDS):
            parts = parts[1:]
        while parts and parts[0].casefold() in STOPWORDS:
            parts = parts[1:]
        if parts and parts[0][:1].isupper() and len(parts[0]) > 1:
            yield Phrase(" ".join(parts).removesuffix("'s"), match.start())


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())
