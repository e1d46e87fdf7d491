"""Edits of a part of a Markdown note: under a heading, at a block, or in a field of the front matter."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import yaml

Operation = Literal["append", "prepend", "replace"]
_FRONT = re.compile(r"\A---\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")


class PatchError(Exception):
    """The reason why an edit cannot be made, in the wording of the plugin's library."""


@dataclass(frozen=True)
class Section:
    """A heading and the text under it, including subsections."""

    path: tuple[str, ...]
    """The headings above it and its own."""
    start: int
    """The offset at which the text under the heading begins."""
    end: int


def apply_patch(content: str, operation: Operation, kind: str, target: str, text: str) -> str:
    """Return the note after an edit at a ``heading`` (a path with ``::``), a ``block`` or a ``frontmatter`` field."""
    changes: Mapping[str, Callable[[str, Operation, str, str], str]] = {
        "heading": _edit_heading,
        "block": _edit_block,
        "frontmatter": _edit_front_matter,
    }
    return changes[kind](content, operation, target, text)


def sections(content: str) -> Iterator[Section]:
    """Yield the sections of a note, in order."""
    headings = [match for match in _HEADING.finditer(content) if not _is_code(content, match.start())]
    above: list[tuple[int, str]] = []
    for number, match in enumerate(headings):
        level = len(match[1])
        above = [each for each in above if each[0] < level] + [(level, match[2])]
        below = (each.start() for each in headings[number + 1 :] if len(each[1]) <= level)
        start = min(match.end() + 1, len(content))
        yield Section(tuple(name for _, name in above), start, next(below, len(content)))


def front_matter(content: str) -> dict[str, Any]:
    """Return the fields of a note's front matter, or an empty mapping if it is missing or invalid."""
    match = _FRONT.match(content)
    try:
        fields = yaml.safe_load(match[1]) if match else {}
    except yaml.YAMLError:
        return {}
    return fields if isinstance(fields, dict) else {}


def tags(content: str) -> list[str]:
    """Return the tags of a note without duplicates, those of the front matter first."""
    declared = front_matter(content).get("tags") or []
    declared = declared if isinstance(declared, list) else str(declared).split()
    return list(dict.fromkeys([*map(str, declared), *_TAG.findall(_FRONT.sub("", content))]))


def _is_code(content: str, position: int) -> bool:
    return len(re.findall(r"^```", content[:position], re.MULTILINE)) % 2 == 1


def _edit_heading(content: str, operation: Operation, target: str, text: str) -> str:
    section = next((each for each in sections(content) if each.path == tuple(target.split("::"))), None)
    if section is None:
        raise PatchError("invalid-target")
    body = content[section.start : section.end].rstrip("\n")
    gap = content[section.start + len(body) : section.end]
    body = {"append": _join_lines(body, text), "prepend": _join_lines(text, body), "replace": text}[operation].rstrip(
        "\n"
    )
    return _join_lines(content[: section.start], body) + (gap or "\n") + content[section.end :]


def _join_lines(first: str, second: str) -> str:
    """Join two texts so that the second begins on its own line."""
    return f"{first}\n{second}" if first and second and not first.endswith("\n") else first + second


def _edit_block(content: str, operation: Operation, target: str, text: str) -> str:
    """Edit a block: the list item or paragraph that ends with the reference ``^name``."""
    name = target.removeprefix("^")
    match = re.search(rf"^(?P<last>.*?)[ \t]*\^{re.escape(name)}[ \t]*$", content, re.MULTILINE)
    if match is None:
        raise PatchError("invalid-target")
    start = match.start() if _ITEM.match(match["last"]) else content.rfind("\n\n", 0, match.start()) + 2
    start = 0 if start == 1 else start
    block = content[start : match.end("last")]
    block = {"append": block + text, "prepend": text + block, "replace": text}[operation]
    return content[:start] + block + content[match.end("last") :]


def _edit_front_matter(content: str, operation: Operation, target: str, text: str) -> str:
    fields = front_matter(content)
    if target not in fields:
        raise PatchError("invalid-target")
    old = fields[target]
    if operation != "replace" and not isinstance(old, str):
        raise PatchError("content-not-mergeable")
    fields[target] = {"append": f"{old}{text}", "prepend": f"{text}{old}", "replace": text}[operation]
    dumped = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)
    return f"---\n{dumped}---\n{_FRONT.sub('', content)}"
