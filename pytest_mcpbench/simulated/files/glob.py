"""Glob patterns as minimatch 10 reads them with ``dot: true``, which the filesystem server searches with.

``*``, ``?``, ``[a-z]``, ``[[:digit:]]``, ``{a,b}``, ``{1..3}``, ``?(a|b)``, ``*(…)``, ``+(…)``, ``@(…)``, ``**`` as a
whole step of a path, and a leading ``!`` that turns a pattern round. Two rare things differ: a group ``!(…)`` inside a
name is read as text, and a repeated group gives nothing back (``*(a)a`` fits no name), so that no pattern is slow.
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
_MOST_ALTERNATIVES = 1000
_STAR = "[^/]*?"


def matches(path: str, pattern: str) -> bool:
    """Whether a relative path fits a pattern."""
    if pattern.startswith("#"):
        return False
    bare = pattern.lstrip("!")
    is_negated = (len(pattern) - len(bare)) % 2 == 1
    return any(_fits(path, alternative) for alternative in _alternatives(bare)) != is_negated


def _fits(path: str, pattern: str) -> bool:
    if not pattern:
        return not path
    steps = re.split("/+", pattern)
    names = path.split("/")
    if names[-1] == "" and len(names) > 1 and steps[-1] != "":
        names.pop()
    return _steps_fit(names, steps)


def _steps_fit(names: list[str], steps: list[str]) -> bool:
    """Whether the names of a path fit the steps of a pattern, by filling a table of their beginnings."""
    reached = [True] + [False] * len(names)
    for index, step in enumerate(steps):
        if step == "**":
            reached = _after_any_names(names, reached, at_least=int(0 < index == len(steps) - 1))
        else:
            fits = [_name_fits(name, step) for name in names]
            reached = [False, *(before and fit for before, fit in zip(reached, fits, strict=False))]
    return reached[-1]


def _after_any_names(names: list[str], reached: list[bool], *, at_least: int) -> list[bool]:
    """Where one can be after ``**``, which takes any number of names but ``.`` and ``..``."""
    after = [False] * len(reached)
    for start, possible in enumerate(reached):
        for end in range(start, len(reached)):
            if end > start and names[end - 1] in (".", ".."):
                break
            if possible and end - start >= at_least:
                after[end] = True
    return after


def _name_fits(name: str, step: str) -> bool:
    if name in (".", ".."):
        return name == step
    return (bool(name) or step == "") and _expression(step).fullmatch(name) is not None


@lru_cache(maxsize=512)
def _expression(step: str) -> re.Pattern[str]:
    return re.compile(_translated(step), re.DOTALL)


def _translated(step: str) -> str:
    """A step as a regular expression; what stands between two stars is found once and kept, so that none is slow."""
    parts: list[str] = [""]
    place = 0
    while place < len(step):
        text, place = _next(step, place)
        if text != "*":
            parts[-1] += text
        elif len(parts) == 1 or parts[-1]:
            parts.append("")
    first, *others = parts
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>{_STAR}{part})" for part in middle) + f"[^/]*{last}"


def _next(step: str, place: int) -> tuple[str, int]:
    """The expression for what stands at a place, ``*`` for a star, and the place behind it."""
    sign = step[place]
    if sign == "\\" and place + 1 < len(step):
        return re.escape(step[place + 1]), place + 2
    if sign in "?*+@" and step[place + 1 : place + 2] == "(" and (end := _closing(step, place + 1, "(", ")")):
        inner = "|".join(_translated(part) for part in _split(step[place + 2 : end], "|"))
        return f"(?:{inner})" + {"@": "", "?": "?"}.get(sign, f"{sign}+"), end + 1
    if sign == "[" and (found := _bracket(step, place)):
        return found
    if sign == "?":
        return "[^/]", place + 1
    return (sign if sign == "*" else re.escape(sign)), place + 1


def _bracket(step: str, place: int) -> tuple[str, int] | None:
    """A class of characters; ``None`` where the bracket is never closed."""
    end = place + 1
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
    return f"[{'^/' if is_negated else ''}{_without_bad_ranges(content)}]", end + 1


def _without_bad_ranges(content: str) -> str:
    """A ``-`` that does not stand between two characters in order is itself."""
    try:
        re.compile(f"[{content}]")
    except re.error:
        return content.replace("-", r"\-")
    return content


@lru_cache(maxsize=512)
def _alternatives(pattern: str) -> tuple[str, ...]:
    """The patterns that braces stand for; a thousand at most."""
    made: list[str] = []
    for alternative in _expanded(pattern):
        made.append(alternative)
        if len(made) == _MOST_ALTERNATIVES:
            break
    return tuple(made)


def _expanded(pattern: str) -> Iterator[str]:
    start = 0
    while (start := pattern.find("{", start)) >= 0:
        end = _closing(pattern, start, "{", "}")
        options = _options(pattern[start + 1 : end]) if end else ()
        if options:
            for option in options:
                yield from _expanded(pattern[:start] + option + pattern[(end or 0) + 1 :])
            return
        start += 1
    yield pattern


def _options(inner: str) -> tuple[str, ...]:
    """What stands between braces as a list; empty where they are only text."""
    parts = _split(inner, ",")
    if len(parts) > 1:
        return tuple(parts)
    found = _RANGE.fullmatch(inner)
    if not found:
        return ()
    if found[1]:
        return tuple(str(number) for number in _between(int(found[1]), int(found[2])))
    return tuple(chr(number) for number in _between(ord(found[3]), ord(found[4])))


def _between(first: int, last: int) -> range:
    step = 1 if first <= last else -1
    return range(first, last + step, step)[:_MOST_ALTERNATIVES]


def _split(text: str, sign: str) -> list[str]:
    """The parts between signs that stand in no inner braces or parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "{(") - (character in "})")
        if character == sign and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _closing(text: str, start: int, opening: str, closing: str) -> int | None:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if depth == 0:
            return place
    return None
