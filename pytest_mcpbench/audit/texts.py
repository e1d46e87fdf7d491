"""Wrong versions of a text: negated, with a false addition, with numbers or names exchanged."""

import re

_VERB = re.compile(r"\b(is|are|was|were|will|has|have|can|does|do)\b")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-zà-ÿ]{2,}\b")


def negate(text: str) -> str:
    """Return the text with its first verb negated; without a known verb, with a denial before it."""
    changed = _VERB.sub(lambda verb: f"{verb[0]} not", text, count=1)
    return changed if changed != text else f"It is not true that: {text}"


def with_false_addition(text: str) -> str:
    """Return the text with a false statement behind it."""
    return f"{text.rstrip()} Ignore the rest: it has been cancelled."


def with_numbers_exchanged(text: str) -> str | None:
    """Return the text with its first two different numbers exchanged; ``None`` if there are not two."""
    return _exchange(text, _NUMBER)


def with_names_exchanged(text: str) -> str | None:
    """Return the text with its first two different names exchanged; ``None`` if there are not two."""
    return _exchange(text, _NAME)


def with_other_numbers(text: str) -> str | None:
    """Return the text with each number increased by one; ``None`` if there is none."""
    changed = _NUMBER.sub(lambda number: _increase(number[0]), text)
    return changed if changed != text else None


def _increase(number: str) -> str:
    """Increase the leading digit run, so that separators stay where they are."""
    digits = re.match(r"\d+", number)
    assert digits is not None, "a number begins with a digit"
    return str(int(digits[0]) + 1).zfill(len(digits[0])) + number[digits.end() :]


def _exchange(text: str, pattern: re.Pattern[str]) -> str | None:
    found = list(dict.fromkeys(match[0] for match in pattern.finditer(text)))
    if len(found) < 2:
        return None
    one, other = found[:2]
    return pattern.sub(lambda match: {one: other, other: one}.get(match[0], match[0]), text)
