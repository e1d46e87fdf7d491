"""Differences of two texts word by word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Change = Literal["same", "removed", "added"]
_WORD = re.compile(r"\s+|[\w'-]+|[^\w\s]")


@dataclass(frozen=True)
class Part:
    """Stretch of words that both texts have, or one of them."""

    change: Change
    text: str


def word_diff(before: str, after: str) -> tuple[Part, ...]:
    """Return the parts of both texts in order; those that are not removed make up the text after the change."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    return tuple(_parts(old, new))


def _parts(old: list[str], new: list[str]) -> Iterator[Part]:
    for kind, left, right, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Part("same", "".join(old[left:right]))
            continue
        if left < right:
            yield Part("removed", "".join(old[left:right]))
        if start < end:
            yield Part("added", "".join(new[start:end]))
