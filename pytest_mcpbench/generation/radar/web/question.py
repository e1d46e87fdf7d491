"""Questions about the simulated web, with their answers and the passages that contain them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class Question:
    """One question with its answer."""

    prompt: str
    answer: str
    """Answer in the short form that the question asks for."""
    passages: tuple[tuple[str, str], ...]
    """Pairs of page (file name) and required text on it, in the order in which a reader finds them."""


def ask(prompt: str, answer: Any, *passages: tuple[str, Any]) -> Question:
    """Return a question. Values of the passages are formatted as on the pages."""
    return Question(prompt, format_answer(answer), tuple((page, format_as_on_page(text)) for page, text in passages))


def format_answer(answer: Any) -> str:
    """Format an answer: numbers without commas, dates as ``YYYY-MM-DD``, lists separated by commas."""
    if isinstance(answer, list | tuple):
        return ", ".join(map(format_answer, answer))
    return answer.isoformat() if isinstance(answer, date) else str(answer)


def format_as_on_page(value: Any) -> str:
    """Format a value as the pages do: numbers with commas, dates in words."""
    if isinstance(value, date):
        return f"{value.day} {value:%B %Y}"
    return f"{value:,}" if isinstance(value, int) and value > LARGEST_YEAR else str(value)


LARGEST_YEAR = 2200
"""Integers up to this may be years and are written without a comma."""


def single(candidates: Iterable[Any]) -> Any:
    """Return the only candidate. Raises ``ValueError`` if there are several, so that no question has two answers."""
    (one,) = candidates
    return one
