"""Changes of a part of a Markdown note: below a heading, at a block, in a field of the front matter."""

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
    """Why a change cannot be made, in the words of the library that the plugin uses."""


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, its subsections included."""

    path: tuple[str, ...]
    """The headings above, and its own."""
    start: int
    """Where the text under the heading begins."""
    end: int


def patched(content: str, operation: Operation, kind: str, target: str, text: str) -> str:
    """The note after a change at a ``heading`` (a path with ``::``), a ``block`` or a field of the ``frontmatter``."""
    changes: Mapping[str, Callable[[str, Operation, str, str], str]] = {
        "heading": _under_heading,
        "block": _at_block,
        "frontmatter": _in_front_matter,
    }
    return changes[kind](content, operation, target, text)


def sections(content: str) -> Iterator[Section]:
    """The sections of a note, in order."""
    found = [match for match in _HEADING.finditer(content) if not _is_code(content, match.start())]
    above: list[tuple[int, str]] = []
    for number, match in enumerate(found):
        level = len(match[1])
        above = [each for each in above if each[0] < level] + [(level, match[2])]
        below = (each.start() for each in found[number + 1 :] if len(each[1]) <= level)
        start = min(match.end() + 1, len(content))
        yield Section(tuple(name for _, name in above), start, next(below, len(content)))


def front_matter(content: str) -> dict[str, Any]:
    """The fields at the head of a note; none where there are none or they cannot be read."""
    found = _FRONT.match(content)
    try:
        fields = yaml.safe_load(found[1]) if found else {}
    except yaml.YAMLError:
        return {}
    return fields if isinstance(fields, dict) else {}


def tags(content: str) -> list[str]:
    """The tags of a note, those of the front matter first, each once."""
    own = front_matter(content).get("tags") or []
    own = own if isinstance(own, list) else str(own).split()
    return list(dict.fromkeys([*map(str, own), *_TAG.findall(_FRONT.sub("", content))]))


def _is_code(content: str, position: int) -> bool:
    return len(re.findall(r"^```", content[:position], re.MULTILINE)) % 2 == 1


def _under_heading(content: str, operation: Operation, target: str, text: str) -> str:
    section = next((each for each in sections(content) if each.path == tuple(target.split("::"))), None)
    if section is None:
        raise PatchError("invalid-target")
    body = content[section.start : section.end].rstrip("\n")
    gap = content[section.start + len(body) : section.end]
    body = {"append": _joined(body, text), "prepend": _joined(text, body), "replace": text}[operation].rstrip("\n")
    return _joined(content[: section.start], body) + (gap or "\n") + content[section.end :]


def _joined(first: str, second: str) -> str:
    """Two texts, the second beginning on a line of its own."""
    return f"{first}\n{second}" if first and second and not first.endswith("\n") else first + second


def _at_block(content: str, operation: Operation, target: str, text: str) -> str:
    """A block is the list item or the paragraph at whose end its reference ``^name`` stands."""
    name = target.removeprefix("^")
    found = re.search(rf"^(?P<last>.*?)[ \t]*\^{re.escape(name)}[ \t]*$", content, re.MULTILINE)
    if found is None:
        raise PatchError("invalid-target")
    start = found.start() if _ITEM.match(found["last"]) else content.rfind("\n\n", 0, found.start()) + 2
    start = 0 if start == 1 else start
    block = content[start : found.end("last")]
    block = {"append": block + text, "prepend": text + block, "replace": text}[operation]
    return content[:start] + block + content[found.end("last") :]


def _in_front_matter(content: str, operation: Operation, target: str, text: str) -> str:
    fields = front_matter(content)
    if target not in fields:
        raise PatchError("invalid-target")
    old = fields[target]
    if operation != "replace" and not isinstance(old, str):
        raise PatchError("content-not-mergeable")
    fields[target] = {"append": f"{old}{text}", "prepend": f"{text}{old}", "replace": text}[operation]
    dumped = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)
    return f"---\n{dumped}---\n{_FRONT.sub('', content)}"
