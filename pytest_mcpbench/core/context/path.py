"""The path grammar of context trees: ``calendars[primary].events[*].summary``.

``path := segment ("." segment)*`` and ``segment := name ["[" selector "]"]``. A name holds no ``.`` and no bracket; a
selector runs to the bracket that matches its first one, so that ids with dots, ``@`` and nested brackets need no
escapes. Brackets are read before dots (MCP-Persona, App. B.3.1).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.core.errors import SandboxError

EVERY = "*"
PRIMARY = "primary"


@dataclass(eq=False)
class PathSyntaxError(SandboxError):
    """Error for a text that is not a path; ``position`` counts characters from 0."""

    path: str
    position: int

    def __str__(self) -> str:
        return f"path {self.path!r}, character {self.position}: {self.problem}"


@dataclass(frozen=True)
class Segment:
    """Name with an optional selector of one child or of every child."""

    name: str
    selector: str | None = None

    def __str__(self) -> str:
        return self.name if self.selector is None else f"{self.name}[{self.selector}]"


@dataclass(frozen=True)
class Path:
    """A path in a context tree: its segments, from the root down. Without segments it is the root."""

    segments: tuple[Segment, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Path":
        """Parse a path or raise :class:`PathSyntaxError`; ``str()`` of the path gives the text back."""
        return cls(tuple(_segments(text)))

    @property
    def has_wildcard(self) -> bool:
        """True if the path can match several places."""
        return any(segment.selector == EVERY for segment in self.segments)

    def __str__(self) -> str:
        return ".".join(map(str, self.segments))


def is_selectable(key: str) -> bool:
    """Return whether a path can name the id: it is not empty, not ``*``, and its brackets match."""
    return key not in ("", EVERY) and _end_of_selector(f"[{key}]", 0) == len(key) + 1


def _segments(text: str) -> Iterator[Segment]:
    position = 0
    while True:
        end = next((at for at in range(position, len(text)) if text[at] in ".[]"), len(text))
        if text[end : end + 1] == "]":
            raise PathSyntaxError("a ']' without its '['.", text, end)
        if end == position:
            raise PathSyntaxError("expected a name.", text, position)
        name = text[position:end]
        position += len(name)
        selector = None
        if text[position : position + 1] == "[":
            closing = _end_of_selector(text, position)
            if closing is None:
                raise PathSyntaxError("a '[' without its ']'.", text, position)
            if closing == position + 1:
                raise PathSyntaxError(
                    "an empty selector; write an id, '*' for every child, or leave out the brackets.", text, closing
                )
            selector = text[position + 1 : closing]
            position = closing + 1
        yield Segment(name, selector)
        if position == len(text):
            return
        if text[position] != ".":
            raise PathSyntaxError("expected '.' or the end of the path.", text, position)
        position += 1


def _end_of_selector(text: str, start: int) -> int | None:
    depth = 0
    for at in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return None
