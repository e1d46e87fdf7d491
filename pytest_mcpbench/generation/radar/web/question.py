"""A question about the small web, with its answer and where that is read."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class Question:
    """What a user wants to know."""

    prompt: str
    answer: str
    """As short as the question asks for it."""
    passages: tuple[tuple[str, str], ...]
    """Page, by the name of its file, and the text on it that is needed; in the order in which one finds them."""


def ask(prompt: str, answer: Any, *passages: tuple[str, Any]) -> Question:
    """A question; the texts that are seen are written as pages write them."""
    return Question(prompt, format_answer(answer), tuple((page, format_as_on_page(text)) for page, text in passages))


def format_answer(answer: Any) -> str:
    """An answer: numbers without commas, days as ``YYYY-MM-DD``, lists with commas."""
    if isinstance(answer, list | tuple):
        return ", ".join(map(format_answer, answer))
    return answer.isoformat() if isinstance(answer, date) else str(answer)


def format_as_on_page(value: Any) -> str:
    """A value as pages have it: numbers with commas, days in words."""
    if isinstance(value, date):
        return f"{value.day} {value:%B %Y}"
    return f"{value:,}" if isinstance(value, int) and value > LARGEST_YEAR else str(value)


LARGEST_YEAR = 2200
"""Whole numbers up to this are years, or as short: they are written without a comma."""


def single(candidates: Iterable[Any]) -> Any:
    """The one that there is; raises where the facts leave a choice, so that no question has two answers."""
    (one,) = candidates
    return one
