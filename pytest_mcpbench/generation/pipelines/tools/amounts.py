"""Words for numbers: amounts with their nouns, durations, shares, and limits of results."""

from collections.abc import Collection, Sequence

from pytest_mcpbench.generation.pipelines.tools.words import words

_COUNTING = frozenset({"num", "number", "count", "n", "of"})
"""Words of a name that say that the others are counted: `num_payments`."""
_PERCENT = frozenset({"pct", "percent", "percentage"})


def is_limit(name: Collection[str], *, is_required: bool) -> bool:
    """Return whether a number limits the results: a tool that needs a number of payments does not limit them."""
    return bool(words().limits & set(name)) or (not is_required and bool(words().counts & set(name)))


def is_numbered(name: Sequence[str]) -> bool:
    """Return whether a number stands in place of a name: `page 3`, but neither `3 per page` nor `number_of_pages`."""
    return name[-1] in words().numbered and not {"of", "per"} & set(name)


def has_own_words(name: Sequence[str]) -> bool:
    """Return whether the name of a number says more than the last word of a text's name would."""
    return is_numbered(name) or name[-1] in words().durations or bool((_PERCENT | {"per"}) & set(name))


def amount(name: Sequence[str], slot: str) -> str:
    """Return the words for a number by its name, such as `a price of <1_price>`, without a preposition."""
    noun = [word for word in name if word not in _COUNTING | _PERCENT]
    number = f"{slot} %" if _PERCENT & set(name) else slot
    if noun and noun[-1] in words().durations:
        number, noun = f"{slot} {noun[-1]}", noun[:-1]
    if not noun:
        return number
    text = " ".join(noun)
    if is_numbered(name):
        return f"{text} {number}"
    head = text.partition(" per ")[0]
    is_plural = head.endswith("s") and not head.endswith("ss")
    if is_plural and _COUNTING & set(name):
        return f"{number} {text}"
    return f"{text} of {number}" if is_plural else f"{with_article(text)} of {number}"


def preposition(name: Sequence[str]) -> str:
    """Return the preposition before an amount that stands alone."""
    if len(name) == 1 and name[0] in words().durations:
        return "over"
    return "for" if is_numbered(name) else "with"


def with_article(noun: str) -> str:
    """Return a noun with `a` or `an`."""
    return f"{'an' if noun.startswith(tuple('aeiou')) else 'a'} {noun}"
