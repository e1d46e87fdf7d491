"""Glob patterns with the semantics of minimatch 10 and ``dot: true``, which the filesystem server uses.

Supported are ``*``, ``?``, ``[a-z]``, ``[[:digit:]]``, ``{a,b}``, ``{1..3}``, ``?(a|b)``, ``*(…)``, ``+(…)``, ``@(…)``,
``**`` as a complete path segment, and a leading ``!`` that negates the pattern. Two rare cases differ: a group ``!(…)``
inside a name is treated as text, and repeated groups are possessive (``*(a)a`` matches no name), so that no pattern
causes exponential backtracking.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_CLASSES = {
    "[:alnum:]": "a-zA-Z0-9",
    "[:alpha:]": "a-zA-Z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:space:]": r"\s",
    "[:upper:]": "A-Z",
    "[:word:]": r"\w",
    "[:xdigit:]": "A-Fa-f0-9",
}
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)|([A-Za-z])\.\.([A-Za-z])")
_MAX_ALTERNATIVES = 1000
_LONGEST_PATTERN = 1000
_STAR = "[^/]*?"


def matches(path: str, pattern: str) -> bool:
    """Return whether a relative path matches a pattern."""
    if pattern.startswith("#") or len(pattern) > _LONGEST_PATTERN:
        return False
    positive_pattern = pattern.lstrip("!")
    is_negated = (len(pattern) - len(positive_pattern)) % 2 == 1
    return (
        any(_matches_alternative(path, alternative) for alternative in _brace_alternatives(positive_pattern))
        != is_negated
    )


def _matches_alternative(path: str, pattern: str) -> bool:
    if not pattern:
        return not path
    steps = re.split("/+", pattern)
    names = path.split("/")
    if names[-1] == "" and len(names) > 1 and steps[-1] != "":
        names.pop()
    reachable = [True] + [False] * len(names)
    for index, step in enumerate(steps):
        if step == "**":
            reachable = _after_globstar(names, reachable, at_least=int(0 < index == len(steps) - 1))
        else:
            fits = [_name_matches(name, step) for name in names]
            reachable = [False, *(before and fit for before, fit in zip(reachable, fits, strict=False))]
    return reachable[-1]


def _after_globstar(names: list[str], reachable: list[bool], *, at_least: int) -> list[bool]:
    """Return the positions reachable after ``**``, which matches any number of names except ``.`` and ``..``."""
    after = []
    is_inside = False
    for end, possible in enumerate(reachable):
        is_inside = is_inside and names[end - 1] not in (".", "..")
        after.append(is_inside or (possible and not at_least))
        is_inside = is_inside or possible
    return after


def _name_matches(name: str, step: str) -> bool:
    if name in (".", ".."):
        return name == step
    return (bool(name) or step == "") and _segment_pattern(step).fullmatch(name) is not None


@lru_cache(maxsize=512)
def _segment_pattern(step: str) -> re.Pattern[str]:
    return re.compile(_translate(step), re.DOTALL)


def _translate(step: str) -> str:
    """Translate a segment to a regular expression.

    Text between two stars becomes an atomic group, so that the expression cannot backtrack exponentially.
    """
    parts: list[str] = [""]
    position = 0
    while position < len(step):
        text, position = _next_element(step, position)
        if text != "*":
            parts[-1] += text
        elif len(parts) == 1 or parts[-1]:
            parts.append("")
    first, *others = parts
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>{_STAR}{part})" for part in middle) + f"[^/]*{last}"


def _next_element(step: str, position: int) -> tuple[str, int]:
    """Return the regular expression of the next element (``*`` for a star) and the position after it."""
    character = step[position]
    if character == "\\" and position + 1 < len(step):
        return re.escape(step[position + 1]), position + 2
    if (
        character in "?*+@"
        and step[position + 1 : position + 2] == "("
        and (end := _closing_position(step, position + 1, "(", ")"))
    ):
        inner = "|".join(_translate(part) for part in _split_outside_groups(step[position + 2 : end], "|"))
        return f"(?:{inner})" + {"@": "", "?": "?"}.get(character, f"{character}+"), end + 1
    if character == "[" and (character_class := _character_class(step, position)):
        return character_class
    if character == "?":
        return "[^/]", position + 1
    return (character if character == "*" else re.escape(character)), position + 1


def _character_class(step: str, position: int) -> tuple[str, int] | None:
    """Translate a character class; ``None`` if the bracket is not closed."""
    end = position + 1
    if "]" not in step[end:]:
        return None
    is_negated = step[end : end + 1] in ("!", "^")
    end += is_negated
    content = ""
    while end < len(step) and (step[end] != "]" or not content):
        name = next((name for name in _CLASSES if step.startswith(name, end)), None)
        if name:
            content, end = content + _CLASSES[name], end + len(name)
            continue
        end += step[end] == "\\" and end + 1 < len(step)
        content += step[end] if step[end] == "-" else re.escape(step[end])
        end += 1
    if end >= len(step):
        return None
    try:
        re.compile(f"[{content}]")
    except re.error:
        # In a class with an invalid range, every `-` is literal.
        content = content.replace("-", r"\-")
    return f"[{'^/' if is_negated else ''}{content}]", end + 1


@lru_cache(maxsize=512)
def _brace_alternatives(pattern: str) -> tuple[str, ...]:
    """Expand the braces of a pattern to at most a thousand patterns."""
    alternatives: list[str] = []
    for alternative in _expand_braces(pattern):
        alternatives.append(alternative)
        if len(alternatives) == _MAX_ALTERNATIVES:
            break
    return tuple(alternatives)


def _expand_braces(pattern: str) -> Iterator[str]:
    start = 0
    while (start := pattern.find("{", start)) >= 0:
        end = _closing_position(pattern, start, "{", "}")
        options = _brace_options(pattern[start + 1 : end]) if end else ()
        if options:
            for option in options:
                yield from _expand_braces(pattern[:start] + option + pattern[(end or 0) + 1 :])
            return
        start += 1
    yield pattern


def _brace_options(inner: str) -> tuple[str, ...]:
    """Return the options of a brace expression; empty if the braces are literal text."""
    parts = _split_outside_groups(inner, ",")
    if len(parts) > 1:
        return tuple(parts)
    range_match = _RANGE.fullmatch(inner)
    if not range_match:
        return ()
    if range_match[1]:
        return tuple(str(number) for number in _inclusive_range(int(range_match[1]), int(range_match[2])))
    return tuple(chr(number) for number in _inclusive_range(ord(range_match[3]), ord(range_match[4])))


def _inclusive_range(first: int, last: int) -> range:
    step = 1 if first <= last else -1
    return range(first, last + step, step)[:_MAX_ALTERNATIVES]


def _split_outside_groups(text: str, sign: str) -> list[str]:
    """Split at a separator outside of nested braces and parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "{(") - (character in "})")
        if character == sign and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _closing_position(text: str, start: int, opening: str, closing: str) -> int | None:
    depth = 0
    for position in range(start, len(text) if closing in text[start:] else 0):
        depth += (text[position] == opening) - (text[position] == closing)
        if depth == 0:
            return position
    return None
