"""Values put into the order of a tool, where the order speaks of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.generation.pipelines.tools.amounts import is_limit, with_article
from pytest_mcpbench.generation.pipelines.tools.orders import nouns_of, singular
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.metrics.comparison.arguments import is_number

_STANDS_FOR_VALUE = (
    r"\b(?:(?:a|an|the|any|one|some)\s+)?"
    r"(?:specific|given|specified|particular|certain|input|provided|single|multiple|several)\s+"
)
_BEFORE_NOUN = r"(?:\b(?:a|an|one)\s+(?:(?!of\b|or\b)\w+\s+)?)"
_ALTERNATIVE = (
    r"(?:\s+or\s+(?:(?:a|an|the)\s+\w+(?:\s+of\s+(?:a|an|the)\s+\w+)?|\w+(?=$|\s(?:in|of|for|to|with|from|at|by)\b)))?"
)
"""``or the name of a place`` after the value that was put in its place."""

_MEASURED = re.compile(r"(\w+) (?:the |an? )?(?:between )?((?:(?!between)[a-z]+ )?[a-z]+?(?:[^s\W]|ss))(?: units)?")
"""Order about one thing that is measured: ``convert computer storage``, ``convert between volume units``."""


@dataclass(frozen=True)
class SaidValue:
    """Value that a clause says, with the words of its parameter."""

    path: str
    name: list[str]
    """Words of the parameter's name."""
    slot: str
    value: Any
    is_required: bool = False
    is_referent: bool = False

    @property
    def is_limit(self) -> bool:
        return is_number(self.value) and "." not in self.path and is_limit(self.name, is_required=self.is_required)

    @property
    def identifies(self) -> bool:
        return bool(self.name) and self.name[-1] in words().identifying

    @property
    def owner(self) -> list[str]:
        """Return the words of the thing that the value is of: `order` for `order_id`."""
        return (self.name[:-1] if self.identifies else self.name) or self.name

    @property
    def slot_with_noun(self) -> str:
        """Return the slot with the noun that a person says before it: ``order <1_order_id>``, ``page <1_page>``."""
        if is_number(self.value) and self.name[-1] in words().numbered:
            return f"{self.name[-1]} {self.slot}"
        is_named = self.identifies and len(self.name) > 1 and not self.is_referent
        return f"{' '.join(self.owner)} {self.slot}" if is_named else self.slot


def place_values(text: str, values: Sequence[SaidValue]) -> tuple[str, list[SaidValue]]:
    """Return an order with the values that it speaks of, and the values that it has no place for.

    Truth values have none: they are put into words.
    """
    left = list(values)
    for place in (_in_place_of_noun, _in_place_of_only_noun, _behind_plural, _behind_what_is_measured):
        for value in list(left):
            changed = None if isinstance(value.value, bool) else place(text, value, is_only=len(left) == 1)
            if changed is not None:
                text = changed
                left.remove(value)
    return text, left


def last_name(path: str) -> str:
    """Return the last name of a path that is not a position in a list."""
    return next(part for part in reversed(path.split(".")) if not part.isdigit())


def makes_something(order: str) -> bool:
    """Return whether an order is to make a new thing."""
    return order.partition(" ")[0] in words().making_verbs


def _in_place_of_noun(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put a value where the text speaks of it, such as `a specific timezone`; ``None`` if it does not."""
    own = "|".join(nouns_of([singular(value.owner[-1])])) if value.owner else ""
    every = "|".join(nouns_of([singular(word) for word in value.name]))
    patterns = [
        rf"{_STANDS_FOR_VALUE}(?:\w+\s+)?(?:{every})s?\b(?:\s+(?:names?|symbols?|ids?)\b)?",
        rf"{_BEFORE_NOUN}(?:{own})\b{_ALTERNATIVE}",
        rf"\bthe\s+(?:{own})$",
        *([rf"{_STANDS_FOR_VALUE}\w+\b"] if is_only else []),
    ]
    changed, number = re.subn("|".join(patterns), lambda _: value.slot_with_noun, text, count=1, flags=re.IGNORECASE)
    return changed if number else None


def _in_place_of_only_noun(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put an id behind the only thing that the text speaks of, and any only value in its place at the end."""
    nouns = re.findall(r"\b(?:a|an|one)\s+(\w+)", text)
    if len(nouns) != 1 or nouns[0] in ("of", "or", "and") or makes_something(text):
        return None
    if value.identifies:
        thing = "" if value.is_referent else f"{nouns[0]} "
        return re.sub(rf"\b(?:a|an|one)\s+\w+{_ALTERNATIVE}", lambda _: f"{thing}{value.slot}", text)
    end = re.compile(r"(\s(?:of|for|in|about|to)\s)(?:a|an|one)\s+\w+$")
    changed, number = end.subn(lambda found: f"{found[1]}{value.slot}", text)
    return changed if number and is_only else None


def _behind_plural(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put a value behind the things that the order is about: `convert lunar dates` is of one date."""
    if not is_only or text.partition(" ")[0] not in words().treating_verbs:
        return None
    own = "|".join(nouns_of([singular(value.name[-1])]))
    changed, number = re.subn(rf"^(\w+ (?:\w+ ){{0,4}}?(?:{own}))s\b", lambda found: f"{found[1]} {value.slot}", text)
    return changed if number else None


def _behind_what_is_measured(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put a bare `value` behind the only thing that the order names: `convert a temperature of 25`."""
    is_bare = value.name in (["value"], ["amount"], ["quantity"]) and (is_number(value.value) or value.value == "…")
    measured = _MEASURED.fullmatch(text) if is_bare and not is_only else None
    return measured and f"{measured[1]} {with_article(measured[2])} of {value.slot}"
