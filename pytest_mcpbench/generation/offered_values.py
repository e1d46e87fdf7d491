"""Values that a server names when it refuses a call, such as `unknown unit 'pound'; valid units: 'kg', 'lb'`."""

import re
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.generation.pipeline.paths import scalars

_QUOTED = re.compile(r"(?<!\w)([\"'`])([^\"'`\n]{1,80})\1(?!\w)")
_OFFERING = re.compile(
    r"(?i)\b(?:accepted|allowed|available|choose from|did you mean|existing|expected|known|must be|must have|must end"
    r"|must point|notation|one of|options|possible|such as|supported|valid)\b"
)
"""Words before values that a server takes."""
_INVALID = re.compile(r"(?i)\b(?:invalid|illegal|not allowed|characters|spaces)\b")
"""Words about a name, which may do without its spaces and capital letters."""
_LISTED = re.compile(r"[^:\n]{0,40}:\s*\[?((?:[\w./-]+,\s*)*[\w./-]+)")
"""Values without quotation marks, after a colon."""
_ENDING = re.compile(r"(?<!\w)\.[a-z]{2,5}\b")
_MOST = 6


def offered_values(arguments: Mapping[str, Any], said: str) -> dict[str, list[str]]:
    """Return the values that a refusal offers for an argument which it repeats, or whose parameter it names.

    Args:
        arguments: Arguments of the call.
        said: Text of the refusal.
    """
    found: dict[str, list[str]] = {}
    texts = [
        (next(key for key in reversed(path) if isinstance(key, str)), value)
        for path, value in scalars(dict(arguments))
        if isinstance(value, str)
    ]
    for name, value in texts:
        place = said.find(value)
        if place >= 0 and len(value) > 1:
            end = place + len(value)
            stem, dot, ending = value.rpartition(".")
            named_endings = _ENDING.findall(said[end:])
            # A file's name with the endings that the refusal names.
            has_ending = bool(dot) and re.fullmatch(r"\w{2,5}", ending) is not None
            has_wrong_ending = has_ending and f".{ending}" not in named_endings
            renamed = [f"{stem}{each}" for each in named_endings] if has_wrong_ending else []
            found[name] = [*renamed, *_offers(said[end:], but=value)]
            if not found[name] and _INVALID.search(said):
                found[name] = [plain] if (plain := re.sub(r"\W+", "-", value.lower()).strip("-")) != value else []
    if not any(found.values()):
        for refused in _QUOTED.finditer(said):
            within = [(name, value) for name, value in texts if len(refused[2]) > 1 and refused[2] in value]
            offers = _offers(said[refused.end() :], but=refused[2]) if within else []
            for name, value in within:
                found[name] = [value.replace(refused[2], offer) for offer in offers]
    if not any(found.values()):
        for name, _ in texts:
            named = re.search(rf"\b{re.escape(name)}\b", said)
            if named is not None:
                found[name] = _offers(said[named.end() :], but="")
    return {name: values[:_MOST] for name, values in found.items() if values}


def _offers(said: str, *, but: str) -> list[str]:
    offering = _OFFERING.search(said)
    if offering is None:
        return []
    rest = said[offering.end() :]
    quoted = [found[2] for found in _QUOTED.finditer(rest)]
    listed = _LISTED.match(rest)
    values = quoted or (re.split(r",\s*", listed[1]) if listed else [])
    return [value for value in values if value != but and value.rstrip(".").casefold() != "none"]
