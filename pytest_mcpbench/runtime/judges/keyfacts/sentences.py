"""Division of a text into sentences and lines, and the lengths up to which the rules read them."""

import re

from pytest_mcpbench.runtime.judges.keyfacts.text import plain

LONGEST_SENTENCE = 4000
LONGEST_WORD = 1000
"""Characters of a sentence, and of a word or number without spaces, that the rules read.

They take quadratic time for one sentence. Texts that are longer come from models that repeat themselves.
"""

MOST_DIGITS = 300

_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(]?[A-ZÀ-Ý\d一-鿿])|(?<=[。！？；;])\s*|\n+")
_BULLET = re.compile(r"^[^\S\n]*(?:[-*•]|\d{1,2}[.)])\s+", re.MULTILINE)
_HEADING = re.compile(r"^#+(.*)$", re.MULTILINE)
_LONG_WORD = re.compile(rf"[!-~]{{{LONGEST_WORD + 1}}}")
_LONG_NUMBER = re.compile(rf"\d{{{MOST_DIGITS}}}")


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text without Markdown; a heading ends with a colon."""
    lines = plain(_HEADING.sub(_heading, text)).replace("|", ", ")
    parts = _END.split(_BULLET.sub("", lines))
    return [part.strip() for part in parts if part and part.strip(" ,-:.")]


def obstacle(text: str) -> str | None:
    """Return the reason for which the rules do not read a text, if there is one."""
    if _LONG_NUMBER.search(text):
        return f"has a number of {MOST_DIGITS} digits or more"
    if _LONG_WORD.search(text):
        return f"has a word of more than {LONGEST_WORD} characters"
    if any(len(sentence) > LONGEST_SENTENCE for sentence in sentences(text)):
        return f"has a sentence of more than {LONGEST_SENTENCE} characters"
    return None


def _heading(match: re.Match[str]) -> str:
    return f"{match[1].strip().removesuffix(':').rstrip()}:"
