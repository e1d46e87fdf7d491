"""Calls whose results have the values that other tools take, with words for these values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.json_location import value_at
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.paths import Path, path_text, scalars
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments, Source
from pytest_mcpbench.generation.pipelines.tools.words import words

_ORDINALS = ("first", "second", "third")
_LABELS = ("name", "title", "subject", "summary", "label")
"""Members by which a person knows one thing from the others."""
_LONGEST_LABEL = 60


@dataclass(frozen=True)
class Returned:
    """A call with its result."""

    tool: str
    arguments: Arguments
    result: Any


def sources_of(arguments: Arguments, returned: Sequence[Returned]) -> Iterator[Source]:
    """Yield the first call of each tool whose result has an id or name among the arguments."""
    for parameter, value in arguments.items():
        if not _identifies(parameter) or isinstance(value, bool | list | dict) or len(str(value)) < 2:
            continue
        seen: set[str] = set()
        for call in returned:
            found = None if call.tool in seen or value in call.arguments.values() else _path_to(value, call.result)
            said = None if found is None else _words(parameter, found, call.result)
            if found is not None and said is not None:
                seen.add(call.tool)
                yield Source(
                    arguments=arguments,
                    parameter=parameter,
                    tool=call.tool,
                    tool_arguments=call.arguments,
                    path=path_text(found) or "",
                    words=said,
                )


def _identifies(parameter: str) -> bool:
    return (words_of(parameter) or [""])[-1] in words().identifying


def _path_to(value: Any, result: Any) -> Path | None:
    """Return the path to a value that a placeholder can name."""
    for path, found in scalars(result):
        if type(found) is type(value) and found == value and path_text(path):
            return path
    return None


def _words(parameter: str, path: Path, result: Any) -> str | None:
    """Return the words for a value of a list: the name of its thing, or the place; ``None`` if there are none."""
    positions = [at for at, part in enumerate(path) if isinstance(part, int)]
    if len(positions) != 1:
        return None
    siblings = value_at(result, path[: positions[0]])
    label = _label(siblings, int(path[positions[0]]))
    owner = " ".join(words_of(parameter)[:-1])
    if label is not None and owner and label != value_at(result, path):
        return f'the {owner} "{label}"'
    at = int(path[positions[0]])
    return f"the {_ORDINALS[at]} {owner or 'one'}" if at < len(_ORDINALS) else None


def _label(siblings: Any, at: int) -> str | None:
    """Return a text by which one of several things is known; ``None`` if others have the same."""
    for name in _LABELS:
        texts = [each.get(name) if isinstance(each, dict) else None for each in siblings]
        label = texts[at]
        if isinstance(label, str) and 0 < len(label) <= _LONGEST_LABEL and texts.count(label) == 1:
            return label
    return None
