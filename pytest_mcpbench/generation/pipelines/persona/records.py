"""Things in results of tools and in worlds: JSON objects in lists, and blocks of ``Name: value`` lines."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipelines.persona.candidates import Record

Fields = dict[str, Any]

_LABELS = ("real_name", "full_name", "title", "subject", "summary", "name", "label", "display_name")
"""Fields that name a thing, the best one first."""
_TEXT_INSIDE = frozenset({"content", "plain_text", "value"})
_PAIR = re.compile(r"([A-Z][\w ]{0,30}?): (.*)")
_NEXT_PAIR = re.compile(r",\s+(?=[A-Z][\w ]{0,30}: )")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DEEPEST = 8
_LONGEST_LABEL = 80
_WRAPPERS = frozenset({"results", "result", "items", "data", "entries", "list", "values", "records"})


def records_in(value: Any) -> list[tuple[str, Record]]:
    """Return the named things of a result, each with the word for its kind; the word may be empty."""
    found = _of_text(value) if isinstance(value, str) else _of_json(value, "", 0)
    return [(noun, Record(label=label, fields=fields)) for noun, fields in found if (label := label_of(fields))]


def label_of(fields: Mapping[str, Any]) -> str:
    """Return the name by which people speak of a thing; empty if it has none."""
    path = label_path(fields)
    return str(fields[path]) if path else ""


def label_path(fields: Mapping[str, Any]) -> str:
    """Return the path of the field that names a thing; empty if there is none."""
    for wanted in _LABELS:
        for path, value in fields.items():
            parts = [part for part in path.split(".") if not part.isdigit()]
            is_named = _snake(parts[-1]) == wanted or (wanted in parts and parts[-1] in _TEXT_INSIDE)
            if is_named and _is_label(value):
                return path
    return ""


def is_email(value: Any) -> bool:
    """Return whether a value is a mail address."""
    return isinstance(value, str) and _EMAIL.fullmatch(value) is not None


def is_opaque(text: str) -> bool:
    """Return whether a text is an id that says nothing to a person."""
    words = text.split()
    if len(words) != 1:
        return False
    digits = sum(sign.isdigit() for sign in text)
    return digits >= 4 or "://" in text or (digits > 0 and bool(re.search(r"[A-Z].*\d|\d.*[A-Z]", text)))


def singular(word: str) -> str:
    """Return a noun without the ending of the plural."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us")) else word


def flatten(value: Mapping[str, Any]) -> Fields:
    """Return the texts and numbers of an object by their dotted paths."""
    return dict(_scalars(value, "", 0))


def _of_json(value: Any, name: str, depth: int) -> Iterator[tuple[str, Fields]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _of_json(part, str(key), depth + 1)
    elif isinstance(value, list):
        noun = "" if name.casefold() in _WRAPPERS else singular(" ".join(words_of(name)))
        for part in value:
            if isinstance(part, Mapping):
                fields = flatten(part)
                kind = fields.get("object") or fields.get("kind")
                yield (str(kind) if isinstance(kind, str) and kind.isalpha() else noun), fields


def _of_text(text: str) -> Iterator[tuple[str, Fields]]:
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if _PAIR.match(line.strip())]
        rows = [_NEXT_PAIR.split(line.strip()) for line in lines]
        if any(len(row) > 1 for row in rows):
            yield from (("", _pairs(row)) for row in rows)
        elif rows:
            yield "", _pairs([line.strip() for line in lines])


def _pairs(texts: list[str]) -> Fields:
    matches = (_PAIR.match(text) for text in texts)
    return {_snake(match[1]): match[2].strip() for match in matches if match}


def _scalars(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    if depth > _DEEPEST:
        return
    parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        below = f"{path}.{name}" if path else str(name)
        if isinstance(part, str | int | float) and not isinstance(part, bool) and part != "":
            yield below, part
        else:
            yield from _scalars(part, below, depth + 1)


def _is_label(value: Any) -> bool:
    if not isinstance(value, str) or not 2 <= len(value.strip()) <= _LONGEST_LABEL or "\n" in value:
        return False
    return any(sign.isalpha() for sign in value) and not is_email(value) and not is_opaque(value) and '"' not in value


def _snake(name: str) -> str:
    return "_".join(words_of(name))
