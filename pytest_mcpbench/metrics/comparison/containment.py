"""Containment of one JSON value in another.

Numbers are compared by value (``true`` is no number), texts after NFKC and trimming, dates with times as moments.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.core.call_text import LONGEST_VALUE
from pytest_mcpbench.core.context.journal import ABSENT, field_value
from pytest_mcpbench.metrics.comparison.unix_times import is_zone_of_unix_time
from pytest_mcpbench.text.forms import same_form
from pytest_mcpbench.text.moments import dates, parse_iso, same_moment, times
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.numbers import numbers, parse_quantity, with_commas, without_separators

_LATIN = re.compile(r"[a-z0-9]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
GAP = " … "
"""Separator in an expected text that matches anything between two parts."""
MOST_LISTED = 100
"""Changes or values that one reason lists."""
_ID_NAME = re.compile(r"(^|[_-])(?i:(uu|gu)?id)s?$|[a-z]I[dD]s?$")
_ID_LIKE = re.compile(r"^(?=.*\d)[^\s]{6,}$|^[^\s]+@[^\s]+$")


def satisfies(wanted: Any, found: Any) -> bool:
    """Return whether ``found`` has the value ``wanted``; objects may have more fields, lists may not differ."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(
            satisfies(value, field_value(found, key)) for key, value in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(satisfies, wanted, found))
    return same_scalar(wanted, found)


def equivalent(left: Any, right: Any) -> bool:
    """Return whether two values satisfy each other: equal as by :func:`satisfies`, without additional fields."""
    return satisfies(left, right) and satisfies(right, left)


def same_scalar(wanted: Any, found: Any) -> bool:
    """Return whether two scalars are equal."""
    if isinstance(wanted, bool) or isinstance(found, bool) or wanted is None or found is None:
        return wanted is found
    if isinstance(wanted, str) and isinstance(found, str):
        wanted, found = normalize(wanted), normalize(found)
        if wanted == found or same_form(wanted, found):
            return True
        # One moment or, where a task writes no offset, the same clock time.
        first, second = parse_iso(wanted), parse_iso(found)
        return first is not None and second is not None and same_moment(first, second)
    if isinstance(wanted, int | float) and isinstance(found, int | float):
        return wanted == found
    return False


def disagreements(wanted: Mapping[str, Any], found: Any) -> tuple[str, ...]:
    """Return a sentence for each field, by dotted name, that ``found`` lacks or has with another value."""
    sentences = []
    for name, expected in wanted.items():
        value = field_value(found, name)
        if not satisfies(expected, value) and not is_zone_of_unix_time(name, wanted, found):
            shown = "absent" if value is ABSENT else format_json(value)
            sentences.append(f"{name} is {shown}, expected {format_json(expected)}")
    return tuple(sentences)


def contains(whole: Any, part: Any) -> bool:
    """Return whether ``part`` (fields of an object, items of a list, a scalar) occurs in ``whole`` at any depth.

    In a text, the values of ``part`` must stand as words. An object whose keys are ids also matches a list of objects
    that hold these ids. An empty part is found nowhere.
    """
    if not any(leaf not in (None, "") for leaf in _leaves(part)):
        return False
    if isinstance(whole, str):
        return all(_stands_in(whole, leaf) for leaf in _leaves(part) if leaf is not None)
    return any(_matches(node, part) for node in _nodes(whole))


def find_ids(value: Any) -> frozenset[str]:
    """Return the ids in a value: values of keys that end in ``id``, and keys that look like ids."""
    return frozenset(_ids(value))


def contains_id(whole: Any, wanted: str) -> bool:
    """Return whether an id occurs in ``whole``: as a key, as a value, or as a word inside a text."""
    return any(_stands_in(text, wanted) for text in _texts(whole))


def mentions(whole: Any, text: str) -> bool:
    """Return whether a text occurs in ``whole``, ignoring case; JSON inside texts is decoded.

    Latin letters and digits must not go on at its ends; in Chinese, where nothing parts the words, they may. Between
    parts that are joined by ``GAP`` anything may stand. Separators between groups of digits do not count, and a number
    may be written as a word.
    """
    patterns = [
        re.compile(".*?".join(_pattern(normalize(part).casefold()) for part in form.split(GAP)), re.DOTALL)
        for form in dict.fromkeys((text, without_separators(text)))
    ]
    for each in _readable(whole):
        forms = {normalize(each).casefold(), normalize(without_separators(each)).casefold()}
        if any(pattern.search(form) for pattern in patterns for form in forms):
            return True
    return _states_quantity(whole, text) or _states_moment(whole, text)


def _states_moment(whole: Any, text: str) -> bool:
    """Return whether the time or date that is the whole of ``text`` occurs in ``whole``, however it is written."""
    for find in (times, dates):
        for wanted in find(text):
            if wanted.text.strip() == text.strip():
                return any(wanted.is_met_by(other) for each in _readable(whole) for other in find(normalize(each)))  # type: ignore[arg-type]
    return False


def _states_quantity(whole: Any, text: str) -> bool:
    """Return whether the number that is the whole of ``text`` occurs in ``whole``, in words or with another unit."""
    wanted = parse_quantity(text)
    if wanted is None:
        return False
    for each in _readable(whole):
        readable = normalize(with_commas(each))
        for number in numbers(readable):
            # 14 is no value of its own in 14:30 and 14/3.
            around = readable[max(number.start - 1, 0) : number.start] + readable[number.end : number.end + 1]
            if not set(around) & set(":/") and number.is_same(wanted):
                return True
    return False


def _pattern(wanted: str) -> str:
    begins, ends = (_LATIN.fullmatch(each) is not None for each in (wanted[:1], wanted[-1:]))
    return (r"(?<![a-z0-9])" if begins else "") + re.escape(wanted) + (r"(?![a-z0-9])" if ends else "")


def normalize(text: str) -> str:
    """Return the text after NFKC, trimmed."""
    return normal_form("NFKC", text).strip()


def format_json(value: Any, limit: int = LONGEST_VALUE) -> str:
    """Return a value for a message, cut to ``limit`` characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _matches(node: Any, part: Any) -> bool:
    if isinstance(part, Mapping):
        return all(any(_matches(child, value) for child in _members(node, key)) for key, value in part.items())
    if isinstance(part, list | tuple):
        inside = list(_nodes(node))
        return all(any(_matches(child, item) for child in inside) for item in part)
    if isinstance(part, str) and isinstance(node, str):
        return same_scalar(part, node) or (_is_distinct(normalize(part)) and _stands_in(node, part))
    # Servers write ids as numbers and as their digits.
    return same_scalar(part, node) or ({type(part), type(node)} == {str, int} and str(part) == str(node))


def _is_distinct(text: str) -> bool:
    """Return whether a text is long enough to be looked for in longer ones: a Chinese sign says more than a letter."""
    return len(text) > 3 or len(_CJK.findall(text)) == 3


def _members(node: Any, key: str) -> Iterator[Any]:
    """Yield the value of a key or, if the key is an id, the objects that contain the id."""
    found = field_value(node, key)
    if found is not ABSENT:
        yield found
    elif _ID_LIKE.match(key):
        for child in _children(node):
            if isinstance(child, Mapping) and key in (str(value) for value in child.values()):
                yield child


def _nodes(value: Any) -> Iterator[Any]:
    yield value
    for child in _children(value):
        yield from _nodes(child)


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping | list | tuple):
        for child in _children(value):
            yield from _leaves(child)
    else:
        yield value


def _ids(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, child in value.items():
            if _ID_NAME.search(key):
                yield from (str(leaf) for leaf in _leaves(child) if isinstance(leaf, str | int) and str(leaf))
            elif _ID_LIKE.match(key):
                yield key
    for child in _children(value):
        yield from _ids(child)


def _texts(value: Any) -> Iterator[str]:
    for node in _nodes(value):
        if isinstance(node, Mapping):
            yield from node
        elif isinstance(node, str | int) and not isinstance(node, bool):
            yield str(node)


def _readable(value: Any) -> Iterator[str]:
    """Return every text of a value; one that is JSON as the texts in it."""
    for text in _texts(value):
        if not text.lstrip().startswith(("{", "[")):
            inside = None
        else:
            try:
                inside = json.loads(text)
            except (ValueError, RecursionError):
                inside = None
        if inside is None:
            yield text
        else:
            yield from _texts(inside)


def _stands_in(text: str, leaf: Any) -> bool:
    """Return whether a value stands in a text as a word.

    Chinese and Japanese have no spaces: beside their signs a word may begin and end. One of their own words that is
    short may not, as it may be a part of another (王明 of 王明月), nor a number in front of 万 or behind 负, 零下 or
    万. A minus behind them may join two ends (3月-5月).
    """
    if isinstance(leaf, bool):
        return False
    word = normalize(str(leaf))
    no_sign = "(?<![负万亿千百十])(?<!零下)" if word[:1].isdecimal() else ""
    no_scale = "(?![万亿千百十])" if word[-1:].isdecimal() else ""
    begins = r"(?<![\w.-])" + ("" if word[:1] == "-" else f"|{_beside(word[:1], word, '<=')}{no_sign}")
    ends = rf"(?![\w-]|\.\d)|{_beside(word[-1:], word, '=')}{no_scale}"
    return re.search(f"(?:{begins}){re.escape(word)}(?:{ends})", normalize(text)) is not None


def _beside(end: str, word: str, look: str) -> str:
    """Return the pattern of a sign without a space at an end of a word that may be the end of another word."""
    if not _CJK.fullmatch(end):
        return f"(?{look}{_CJK.pattern})"
    return rf"(?{look}\w)" if _is_distinct(word) else rf"(?{look}(?!{_CJK.pattern})\w)"
